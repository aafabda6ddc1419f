#include "model/trace/op_arguments.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ridgepoint {
namespace {

// [[64, 128], [], [[1, 2], [3, 4]]]: the shape of a list of tensors is not that of a tensor and stays empty.
std::vector<Shape> parse_shapes(std::string_view s)
{
    constexpr std::size_t most_arguments = 64;
    constexpr std::size_t most_dimensions = 16;
    std::vector<Shape> out;
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '[') {
            if (++depth == 2 && out.size() < most_arguments)
                out.emplace_back();
            else if (depth == 3 && !out.empty())
                out.back().clear();
        } else if (c == ']') {
            --depth;
        } else if (depth == 2 && (c == '-' || (c >= '0' && c <= '9')) && !out.empty()) {
            double v = 0;
            const auto r = std::from_chars(s.data() + i, s.data() + s.size(), v);
            if (r.ec == std::errc{} && out.back().size() < most_dimensions)
                out.back().push_back(v);
            i = static_cast<std::size_t>(std::max(r.ptr, s.data() + i + 1) - s.data()) - 1;
        }
    }
    return out;
}

// ["float", "", "True"]
std::vector<std::string_view> parse_texts(std::string_view s)
{
    constexpr std::size_t most = 64;
    std::vector<std::string_view> out;
    while (out.size() < most) {
        const auto open = s.find('"');
        if (open == std::string_view::npos)
            break;
        std::size_t close = open + 1;
        while (close < s.size() && s[close] != '"')
            close += s[close] == '\\' ? 2 : 1;
        if (close >= s.size())
            break;
        out.push_back(s.substr(open + 1, close - open - 1));
        s.remove_prefix(close + 1);
    }
    return out;
}

} // namespace

OpArguments::OpArguments(std::string_view dims, std::string_view type_names, std::string_view concrete)
    : shapes(parse_shapes(dims)), types(parse_texts(type_names)), values(parse_texts(concrete))
{
}

const Shape& OpArguments::shape(std::size_t i) const
{
    static const Shape none;
    return i < shapes.size() ? shapes[i] : none;
}

double OpArguments::element_bytes(std::size_t i) const { return i < types.size() ? bytes_of_dtype(types[i]) : 0; }

double product(const Shape& s, std::size_t from)
{
    double p = 1;
    for (std::size_t i = from; i < s.size(); ++i)
        p *= s[i];
    return p;
}

Shape parse_list(std::string_view s)
{
    Shape out;
    for (std::size_t i = 0; i < s.size() && out.size() < 16;) {
        double v = 0;
        const auto r = std::from_chars(s.data() + i, s.data() + s.size(), v);
        if (r.ec == std::errc{}) {
            out.push_back(v);
            i = static_cast<std::size_t>(r.ptr - s.data());
        } else {
            ++i;
        }
    }
    return out;
}

double bytes_of_dtype(std::string_view name)
{
    if (name.starts_with("c10::"))
        name.remove_prefix(5);
    struct Size {
        std::string_view name;
        double bytes;
    };
    static constexpr std::array sizes{Size{"float", 4}, Size{"Float", 4}, Size{"BFloat16", 2}, Size{"Half", 2}, Size{"double", 8}, Size{"Double", 8},
        Size{"long int", 8}, Size{"long", 8}, Size{"Long", 8}, Size{"int", 4}, Size{"Int", 4}, Size{"short", 2}, Size{"Short", 2},
        Size{"unsigned char", 1}, Size{"signed char", 1}, Size{"Byte", 1}, Size{"Char", 1}, Size{"bool", 1}, Size{"Bool", 1},
        Size{"complex<float>", 8}, Size{"complex<double>", 16}, Size{"ComplexFloat", 8}, Size{"ComplexDouble", 16}, Size{"UInt16", 2},
        Size{"UInt32", 4}, Size{"UInt64", 8}};
    for (const Size& s : sizes)
        if (s.name == name)
            return s.bytes;
    return name.starts_with("Float8") ? 1 : name.starts_with("Float4") ? 0.5 : 0;
}

double bytes_of_scalar_type(std::string_view number)
{
    static constexpr std::array<double, 16> sizes{1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2}; // Byte to BFloat16
    std::size_t n = sizes.size();
    const auto r = std::from_chars(number.data(), number.data() + number.size(), n);
    if (r.ec == std::errc{} && n >= 23 && n <= 26) // the four of Float8
        return 1;
    return r.ec == std::errc{} && n < sizes.size() ? sizes[n] : 0;
}

} // namespace ridgepoint
