#include "model/measured/json_objects.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

constexpr int most_cut = 100; // to find that an object is never closed takes a look at the whole rest

// Behind the bracket that closes the one at the start; npos if it is never closed.
std::size_t end_of_object(std::string_view text)
{
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

} // namespace

std::vector<nlohmann::json> json_objects(std::string_view text, std::vector<Skipped>& skipped, std::size_t most)
{
    std::vector<nlohmann::json> out;
    std::int64_t line = 1;
    int cut = 0;
    const auto pass = [&](std::size_t n) {
        line += std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n), '\n');
        text.remove_prefix(n);
    };
    while (!text.empty() && out.size() < most) {
        const std::size_t start = std::min(text.find('{'), text.size());
        if (text.substr(0, start).find_first_not_of(" \t\r\n,[]") != std::string_view::npos)
            skip(skipped, "text between objects", fmt::format("line {}", line));
        pass(start);
        if (text.empty())
            break;
        std::size_t end = end_of_object(text);
        if (end == std::string_view::npos && ++cut < most_cut)
            end = text.find("\n{"); // a line that was cut must not swallow those behind it
        end = std::min(end, text.size());
        const std::string place = fmt::format("line {}", line);
        std::vector<Skipped> mended;
        auto value = lenient_json(text.substr(0, end), {}, mended);
        for (const Skipped& m : mended)
            skip(skipped, m.reason, place);
        if (value)
            out.push_back(std::move(*value));
        else
            skip(skipped, "object that is no JSON", place);
        pass(end);
    }
    return out;
}

} // namespace ridgepoint
