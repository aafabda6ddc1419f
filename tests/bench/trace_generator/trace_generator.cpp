// Large traces from a small one, deterministically: the seed's events repeated R times, each copy later in time, with its
// own correlation, flow and External ids and its own step numbers. Facts scale exactly: counts, sums and unions by R,
// span = (R - 1) * period + the seed's.
//
//   trace_generator SEED.json[.gz] R OUT.json[.gz] [--nan-every N] [--cut FRACTION] [--compact] [--integer-times]
//                   [--ranks N --skew MICROSECONDS]
//
// --compact writes one line without blanks, --integer-times whole microseconds since 1970 as until 2024, --ranks one file
// per rank, rank-K.OUT, each later than the one before by the skew.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
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

struct Options {
    long copies = 1;
    long nan_every = 0;
    double cut = 1;
    bool compact = false;
    bool integer_times = false;
    long ranks = 0;
    long skew_us = 0;
};

// White space outside strings removed.
std::string compacted(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (in_string) {
            out += text[i];
            if (text[i] == '\\' && i + 1 < text.size())
                out += text[++i];
            else if (text[i] == '"')
                in_string = false;
        } else if (static_cast<unsigned char>(text[i]) > ' ') {
            in_string = text[i] == '"';
            out += text[i];
        }
    }
    return out;
}

// Times and durations as whole microseconds, times since 1970.
std::string with_integer_times(std::string_view text)
{
    constexpr std::int64_t epoch_us = 1'600'000'000'000'000;
    std::string out;
    out.reserve(text.size());
    std::size_t from = 0;
    for (std::size_t i = 0; i + 5 < text.size(); ++i) {
        const bool start = text.substr(i, 5) == "\"ts\":";
        if (!start && text.substr(i, 6) != "\"dur\":")
            continue;
        std::size_t at = i + (start ? 5 : 6);
        while (at < text.size() && text[at] == ' ')
            ++at;
        if (at >= text.size() || text[at] < '0' || text[at] > '9')
            continue;
        const Number n = number_at(text, at, Kind::time);
        const std::int64_t us = (n.value + 500) / 1000;
        out.append(text.substr(from, at - from));
        append(out, start && us > 0 && us < epoch_us ? us + epoch_us : us);
        from = at + n.length;
        i = from - 1;
    }
    return out.append(text.substr(from));
}

// The rank in distributedInfo, if there is one.
void set_rank(std::string& seed, long rank)
{
    const auto info = seed.find("\"distributedInfo\"");
    auto at = info == std::string::npos ? info : seed.find("\"rank\":", info);
    if (at == std::string::npos)
        return;
    at = seed.find_first_of("0123456789", at);
    seed.replace(at, seed.find_first_not_of("0123456789", at) - at, std::to_string(rank));
}

// A file, through gzip if its name says so; no more than `most` bytes of text.
class Output {
public:
    Output(const std::string& file, std::uint64_t most) : m_file(gzopen(file.c_str(), file.ends_with(".gz") ? "wb6" : "wbT")), m_left(most) {}
    bool write(std::string_view text)
    {
        const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(m_left, text.size()));
        m_left -= n;
        for (std::size_t done = 0; m_sound && done < n; done += 1U << 30)
            m_sound = gzwrite(m_file, text.data() + done, static_cast<unsigned>(std::min<std::size_t>(n - done, 1U << 30))) > 0;
        return m_sound;
    }
    [[nodiscard]] bool opened() const { return m_file != nullptr; }
    [[nodiscard]] bool full() const { return m_left == 0; }
    bool close() { return gzclose(m_file) == Z_OK && m_sound; }

private:
    gzFile m_file;
    std::uint64_t m_left;
    bool m_sound = true;
};

bool write_copies(const std::string& seed, const Options& options, std::int64_t shift_ns, const std::string& file)
{
    const auto key = seed.find("\"traceEvents\"");
    const auto open = key == std::string::npos ? key : seed.find('[', key);
    if (open == std::string::npos || options.copies < 1) {
        std::fputs("the seed has no traceEvents\n", stderr);
        return false;
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

    const double whole = static_cast<double>(seed.size() - body.size()) + static_cast<double>(body.size()) * static_cast<double>(options.copies);
    Output out(file, options.cut < 1 ? static_cast<std::uint64_t>(whole * options.cut) : UINT64_MAX);
    if (!out.opened()) {
        std::fprintf(stderr, "%s: cannot be written\n", file.c_str());
        return false;
    }
    bool sound = out.write({seed.data(), open + 1});
    std::string copy;
    long events = 0;
    for (long r = 0; sound && !out.full() && r < options.copies; ++r) {
        copy.clear();
        std::size_t from = 0;
        for (const Number& n : numbers) {
            copy.append(body.substr(from, n.at - from));
            from = n.at + n.length;
            const std::int64_t step = n.kind == Kind::time ? period : n.kind == Kind::external ? external
                : n.kind == Kind::correlation                                                ? correlation
                : n.kind == Kind::flow                                                       ? flow
                                                                                             : static_cast<std::int64_t>(steps.size());
            const std::int64_t v = n.value + (n.kind == Kind::time && n.value == 0 ? 0 : r * step + (n.kind == Kind::time ? shift_ns : 0));
            if (n.kind != Kind::time) {
                append(copy, v);
                continue;
            }
            if (options.nan_every > 0 && ++events % options.nan_every == 0)
                copy.append("NaN, \"ts\": ");
            append(copy, v / 1000);
            if (n.decimals > 0) {
                // The first copy is the seed as it is; the others are padded as the profiler itself writes.
                const auto places = static_cast<std::size_t>(r == 0 ? n.decimals : 3);
                copy.append(".").append(std::to_string(1000 + v % 1000).substr(1, places));
            }
        }
        copy.append(body.substr(from));
        if (r + 1 < options.copies)
            copy.append(options.compact ? "," : ",\n");
        sound = out.write(copy);
    }
    sound = sound && out.write(std::string_view(seed).substr(close));
    return out.close() && sound;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 4) {
        std::fputs("usage: trace_generator SEED.json[.gz] COPIES OUT.json[.gz] [--nan-every N] [--cut FRACTION] [--compact]\n"
                   "                       [--integer-times] [--ranks N --skew MICROSECONDS]\n",
            stderr);
        return 2;
    }
    Options options;
    options.copies = std::atol(argv[2]);
    for (int i = 4; i < argc; ++i) {
        const std::string_view option = argv[i];
        const char* const value = i + 1 < argc ? argv[i + 1] : "";
        if (option == "--nan-every")
            options.nan_every = std::atol(value);
        else if (option == "--cut")
            options.cut = std::atof(value);
        else if (option == "--ranks")
            options.ranks = std::atol(value);
        else if (option == "--skew")
            options.skew_us = std::atol(value);
        options.compact = options.compact || option == "--compact";
        options.integer_times = options.integer_times || option == "--integer-times";
    }
    std::string seed = read_all(argv[1]);
    if (options.integer_times)
        seed = with_integer_times(seed);
    if (options.compact)
        seed = compacted(seed);
    if (options.ranks <= 0)
        return write_copies(seed, options, 0, argv[3]) ? 0 : 1;
    const std::filesystem::path out(argv[3]);
    for (long rank = 0; rank < options.ranks; ++rank) {
        set_rank(seed, rank);
        const auto file = out.parent_path() / ("rank-" + std::to_string(rank) + "." + out.filename().string());
        if (!write_copies(seed, options, rank * options.skew_us * 1000, file.string()))
            return 1;
    }
    return 0;
}
