// Large traces from a small one, deterministically: the seed's events repeated R times, each copy later in time, with its
// own correlation, flow and External ids and its own step numbers. Facts scale exactly: counts, sums and unions by R,
// span = (R - 1) * period + the seed's.
//
//   trace_generator SEED.json[.gz] R OUT.json [--nan-every N] [--cut FRACTION]

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace {

std::string read_all(const char* file)
{
    std::string text;
    gzFile in = gzopen(file, "rb"); // reads plain files as well
    if (!in)
        return text;
    std::vector<char> block(1U << 20);
    for (int n; (n = gzread(in, block.data(), static_cast<unsigned>(block.size()))) > 0;)
        text.append(block.data(), static_cast<std::size_t>(n));
    gzclose(in);
    return text;
}

// Behind the value that starts at `at`, brackets matched outside strings.
std::size_t end_of_value(std::string_view text, std::size_t at)
{
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        if (text[i] == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\';
        } else if (text[i] == '{' || text[i] == '[') {
            ++depth;
        } else if ((text[i] == '}' || text[i] == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return text.size();
}

enum class Kind { time, external, correlation, flow, step };

// A number in the body that differs from copy to copy.
struct Number {
    std::size_t at, length;
    Kind kind;
    std::int64_t value; // nanoseconds for times
    int decimals;
};

Number number_at(std::string_view body, std::size_t at, Kind kind)
{
    Number n{at, 0, kind, 0, 0};
    std::size_t i = at;
    const auto digit = [&] { return i < body.size() && body[i] >= '0' && body[i] <= '9'; };
    for (; digit(); ++i)
        n.value = n.value * 10 + (body[i] - '0');
    if (kind == Kind::time) {
        if (i < body.size() && body[i] == '.')
            for (++i; digit() && n.decimals < 3; ++i, ++n.decimals)
                n.value = n.value * 10 + (body[i] - '0');
        for (int d = n.decimals; d < 3; ++d)
            n.value *= 10;
    }
    n.length = i - at;
    return n;
}

std::vector<Number> numbers_in(std::string_view body)
{
    std::vector<Number> out;
    const auto value_of = [&](std::size_t after_key) {
        while (after_key < body.size() && (body[after_key] == ' ' || body[after_key] == ':'))
            ++after_key;
        return after_key;
    };
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '"')
            continue;
        std::size_t close = i + 1;
        while (close < body.size() && body[close] != '"')
            close += body[close] == '\\' ? 2 : 1;
        const std::string_view text = body.substr(i + 1, close - i - 1);
        const std::size_t value = value_of(close + 1);
        const bool number = close + 1 < body.size() && body[close + 1] == ':' && value < body.size() && body[value] >= '0' && body[value] <= '9';
        if (number && text == "ts")
            out.push_back(number_at(body, value, Kind::time));
        else if (number && (text == "External id" || text == "external id"))
            out.push_back(number_at(body, value, Kind::external));
        else if (number && text == "correlation")
            out.push_back(number_at(body, value, Kind::correlation));
        else if (number && text == "id")
            out.push_back(number_at(body, value, Kind::flow));
        else if (text.starts_with("ProfilerStep#"))
            out.push_back(number_at(body, i + 1 + 13, Kind::step));
        i = close;
    }
    return out;
}

void append(std::string& out, std::int64_t v)
{
    char digits[24];
    const auto r = std::to_chars(digits, digits + sizeof digits, v);
    out.append(digits, r.ptr);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fprintf(stderr, "usage: trace_generator SEED.json[.gz] COPIES OUT.json [--nan-every N] [--cut FRACTION]\n");
        return 2;
    }
    const long copies = std::atol(argv[2]);
    long nan_every = 0;
    double cut = 1;
    for (int i = 4; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--nan-every"))
            nan_every = std::atol(argv[i + 1]);
        if (!std::strcmp(argv[i], "--cut"))
            cut = std::atof(argv[i + 1]);
    }
    const std::string seed = read_all(argv[1]);
    const auto key = seed.find("\"traceEvents\"");
    const auto open = key == std::string::npos ? key : seed.find('[', key);
    if (open == std::string::npos || copies < 1) {
        std::fprintf(stderr, "%s: no traceEvents\n", argv[1]);
        return 1;
    }
    const std::size_t close = end_of_value(seed, open) - 1;
    std::string_view body(seed.data() + open + 1, close - open - 1);
    std::size_t lead = 0;
    while (!body.empty() && static_cast<unsigned char>(body.back()) <= ' ')
        body.remove_suffix(1);
    while (lead < body.size() && static_cast<unsigned char>(body[lead]) <= ' ')
        ++lead;
    body.remove_prefix(lead);

    const std::vector<Number> numbers = numbers_in(body);
    std::int64_t first = INT64_MAX, last = 0, external = 0, correlation = 0, flow = 0;
    std::set<std::int64_t> steps;
    for (const Number& n : numbers)
        switch (n.kind) {
        case Kind::time:
            if (n.value > 0) {
                first = std::min(first, n.value);
                last = std::max(last, n.value);
            }
            break;
        case Kind::external: external = std::max(external, n.value + 1); break;
        case Kind::correlation: correlation = std::max(correlation, n.value + 1); break;
        case Kind::flow: flow = std::max(flow, n.value + 1); break;
        case Kind::step: steps.insert(n.value); break;
        }
    const std::int64_t period = (last - first) / 1'000'000 * 1'000'000 + 20'000'000;

    std::FILE* file = std::fopen(argv[3], "wb");
    if (!file) {
        std::fprintf(stderr, "%s: cannot be written\n", argv[3]);
        return 1;
    }
    const double whole = static_cast<double>(seed.size() - body.size()) + static_cast<double>(body.size()) * static_cast<double>(copies);
    auto left = cut < 1 ? static_cast<std::uint64_t>(whole * cut) : UINT64_MAX;
    const auto write = [&](std::string_view text) {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left, text.size()));
        left -= n;
        return std::fwrite(text.data(), 1, n, file) == n;
    };
    bool sound = write({seed.data(), open + 1});
    std::string copy;
    long events = 0;
    for (long r = 0; sound && left > 0 && r < copies; ++r) {
        copy.clear();
        std::size_t from = 0;
        for (const Number& n : numbers) {
            copy.append(body.substr(from, n.at - from));
            from = n.at + n.length;
            const std::int64_t step = n.kind == Kind::time ? period : n.kind == Kind::external ? external
                : n.kind == Kind::correlation                                                ? correlation
                : n.kind == Kind::flow                                                       ? flow
                                                                                             : static_cast<std::int64_t>(steps.size());
            const std::int64_t v = n.value + (n.kind == Kind::time && n.value == 0 ? 0 : r * step);
            if (n.kind != Kind::time) {
                append(copy, v);
                continue;
            }
            if (nan_every > 0 && ++events % nan_every == 0)
                copy.append("NaN, \"ts\": ");
            append(copy, v / 1000);
            if (n.decimals > 0) {
                // The first copy is the seed as it is; the others are padded as the profiler itself writes.
                const auto places = static_cast<std::size_t>(r == 0 ? n.decimals : 3);
                copy.append(".").append(std::to_string(1000 + v % 1000).substr(1, places));
            }
        }
        copy.append(body.substr(from));
        if (r + 1 < copies)
            copy.append(",\n");
        sound = write(copy);
    }
    sound = sound && write(std::string_view(seed).substr(close));
    return std::fclose(file) == 0 && sound ? 0 : 1;
}
