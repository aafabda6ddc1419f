// Lengths of real requests: CSV with a header, or JSON Lines, as published traces have them.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "model/load/request_mix.h"
#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_bytes = std::size_t{64} << 20;
constexpr std::size_t most_requests = 1'000'000;

// Azure LLM inference traces, Mooncake, Vidur, BurstGPT, OpenAI usage records, our own plan.
constexpr std::array<std::string_view, 9> input_names = {"input_length", "ContextTokens", "num_prefill_tokens", "Request tokens", "prompt_tokens",
    "input_tokens", "prompt_length", "input_len", "isl"};
constexpr std::array<std::string_view, 9> output_names = {"output_length", "GeneratedTokens", "num_decode_tokens", "Response tokens", "completion_tokens",
    "output_tokens", "response_length", "output_len", "osl"};
constexpr const char* expected_names = "columns for both lengths, for example input_length and output_length";

std::string_view trimmed(std::string_view s)
{
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
    while (!s.empty() && blank(s.front()))
        s.remove_prefix(1);
    while (!s.empty() && blank(s.back()))
        s.remove_suffix(1);
    return s;
}

std::vector<std::string_view> fields_of(std::string_view line)
{
    std::vector<std::string_view> out;
    for (;;) {
        const std::size_t comma = line.find(',');
        out.push_back(trimmed(line.substr(0, comma)));
        if (comma == std::string_view::npos)
            return out;
        line.remove_prefix(comma + 1);
    }
}

template <typename Names> int column_of(const std::vector<std::string_view>& header, const Names& names)
{
    for (const std::string_view name : names)
        for (std::size_t i = 0; i < header.size(); ++i)
            if (header[i] == name)
                return static_cast<int>(i);
    return -1;
}

class LengthsReader {
public:
    LengthsReader(const std::string& text, const std::string& file)
        : m_text(text)
        , m_file(file)
    {
    }

    Expected<std::vector<RequestLengths>> read()
    {
        std::string_view rest = m_text;
        if (rest.starts_with("\xef\xbb\xbf"))
            rest.remove_prefix(3);
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            ++m_line;
            if (Status s = read_line(trimmed(rest.substr(0, end))); !s)
                return s.error();
            if (end == std::string_view::npos)
                break;
            rest.remove_prefix(end + 1);
        }
        if (m_out.empty())
            return bad_input("no request in the file", Place{m_file, 0, {}}, {}, expected_names);
        return std::move(m_out);
    }

private:
    Status read_line(std::string_view line)
    {
        if (line.empty())
            return Done{};
        if (m_out.size() >= most_requests)
            return bad_input("too many requests", Place{m_file, m_line, {}}, {}, fmt::format("at most {}", most_requests));
        if (line.front() == '{')
            return read_json(line);
        return m_input < 0 ? read_header(line) : read_row(line);
    }

    Status read_header(std::string_view line)
    {
        const std::vector<std::string_view> header = fields_of(line);
        m_input = column_of(header, input_names);
        m_output = column_of(header, output_names);
        if (m_input < 0 || m_output < 0)
            return bad_input("the header does not name the lengths", Place{m_file, m_line, {}}, std::string(line.substr(0, 80)), expected_names);
        return Done{};
    }

    Status read_row(std::string_view line)
    {
        const std::vector<std::string_view> fields = fields_of(line);
        std::array<double, 2> lengths{};
        for (std::size_t i = 0; i < 2; ++i) {
            const auto column = static_cast<std::size_t>(i == 0 ? m_input : m_output);
            const std::string_view text = column < fields.size() ? fields[column] : std::string_view();
            const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), lengths[i]);
            if (error != std::errc{} || stopped != text.data() + text.size())
                return wrong(text);
        }
        return add(lengths[0], lengths[1]);
    }

    Status read_json(std::string_view line)
    {
        Expected<JsonDocument> document = parse_json(std::string(line), m_file);
        if (!document) {
            Error e = document.error();
            e.place = Place{m_file, m_line, {}};
            return e;
        }
        const auto find = [&](const auto& names) -> const nlohmann::json* {
            for (const std::string_view name : names)
                if (const auto v = document->root().find(std::string(name)); v != document->root().end())
                    return &*v;
            return nullptr;
        };
        const nlohmann::json* input = find(input_names);
        const nlohmann::json* output = find(output_names);
        if (input == nullptr || output == nullptr)
            return bad_input("the record does not name the lengths", Place{m_file, m_line, {}}, json_excerpt(document->root()), expected_names);
        for (const nlohmann::json* v : {input, output})
            if (!v->is_number())
                return wrong(json_excerpt(*v));
        return add(input->get<double>(), output->get<double>());
    }

    // Published traces hold requests that failed, with no output: they are no load to speak of.
    Status add(double input, double output)
    {
        for (const double v : {input, output})
            if (!(v >= 0.0 && v <= longest_request) || v != std::floor(v))
                return wrong(fmt::format("{}", v));
        if (input >= 1.0 && output >= 1.0)
            m_out.push_back({static_cast<int>(input), static_cast<int>(output)});
        return Done{};
    }

    [[nodiscard]] Error wrong(std::string_view found) const
    {
        return bad_input("a length is not a whole number of tokens", Place{m_file, m_line, {}}, std::string(found.substr(0, 40)),
            fmt::format("0 to {}", longest_request));
    }

    std::string_view m_text;
    std::string m_file;
    int m_line = 0;
    int m_input = -1;
    int m_output = -1;
    std::vector<RequestLengths> m_out;
};

} // namespace

Expected<std::vector<RequestLengths>> parse_request_lengths(const std::string& text, const std::string& file) { return LengthsReader(text, file).read(); }

Expected<std::vector<RequestLengths>> read_request_lengths(const std::string& file)
{
    const Expected<std::string> text = read_text_file(file, most_bytes);
    if (!text)
        return text.error();
    return parse_request_lengths(*text, file);
}

} // namespace ridgepoint
