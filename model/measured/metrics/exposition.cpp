// Prometheus exposition text 0.0.4 and OpenMetrics 1.0: name{label="value"} value [timestamp] [# exemplar].

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "model/measured/metrics/metric_formats.h"

namespace ridgepoint {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool is_name(char c) { return is_name_start(c) || (c >= '0' && c <= '9') || c == '.'; }

void drop_blanks(std::string_view& text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
        text.remove_prefix(1);
}

std::string_view take_word(std::string_view& text)
{
    drop_blanks(text);
    const std::size_t end = std::min(text.find_first_of(" \t\r"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

std::optional<double> value_of(std::string_view word)
{
    if (word == "NaN" || word == "nan" || word == "Nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (word == "+Inf" || word == "Inf" || word == "-Inf" || word == "+inf" || word == "inf" || word == "-inf")
        return std::numeric_limits<double>::infinity();
    if (word.starts_with('+'))
        word.remove_prefix(1);
    double v = 0;
    const auto r = std::from_chars(word.data(), word.data() + word.size(), v);
    return !word.empty() && r.ec == std::errc{} && r.ptr == word.data() + word.size() ? std::optional(v) : std::nullopt;
}

// A sample's line; false: it is none.
bool read_sample(std::string_view line, std::string& name, std::map<std::string, std::string>& labels, double& value, std::optional<double>& time, bool open_metrics)
{
    drop_blanks(line);
    if (!take_metric_name(line, name, labels))
        return false;
    const auto v = value_of(take_word(line));
    if (!v)
        return false;
    value = *v;
    time.reset();
    drop_blanks(line);
    if (line.empty() || line.front() == '#') // an exemplar
        return true;
    const auto stamp = value_of(take_word(line));
    if (!stamp || !std::isfinite(*stamp))
        return false;
    time = open_metrics ? *stamp : *stamp * 1e-3; // seconds there, milliseconds here
    drop_blanks(line);
    return line.empty() || line.front() == '#';
}

bool ends_as_open_metrics(std::string_view text)
{
    const std::string_view tail = text.substr(text.size() > 64 ? text.size() - 64 : 0);
    return tail.find("# EOF") != std::string_view::npos;
}

bool recognises(std::string_view text)
{
    if (text.find('\0') != std::string_view::npos)
        return false;
    const bool typed = text.find("# TYPE ") != std::string_view::npos || text.find("# HELP ") != std::string_view::npos;
    // Samples without comments (a README, a grep) are recognised by their form.
    std::size_t samples = 0, others = 0;
    std::string_view rest = text;
    std::string name;
    std::map<std::string, std::string> labels;
    double value = 0;
    std::optional<double> time;
    for (int i = 0; i < (typed ? 100'000 : 50) && !rest.empty(); ++i) {
        const std::size_t end = rest.find('\n');
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        drop_blanks(line);
        if (line.empty() || line.front() == '#')
            continue;
        const bool sample = line.size() < 65536 && read_sample(line, name, labels, value, time, false);
        samples += sample && (typed || !labels.empty()) ? 1 : 0;
        others += sample ? 0 : 1;
        if (typed && samples > 0)
            return true;
    }
    return samples > 0 && samples > others;
}

Expected<Measured> read(std::string_view text, const std::string& file)
{
    SeriesBuilder builder;
    std::vector<Skipped> skipped;
    std::map<std::string, std::string, std::less<>> types;
    const bool open_metrics = ends_as_open_metrics(text);
    std::int64_t lines = 0, samples = 0, scrapes = 0, blank = 0;
    std::map<std::string, std::size_t> names;
    std::string name;
    std::map<std::string, std::string> labels;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        ++lines;
        drop_blanks(line);
        if (line.empty())
            continue;
        const std::string place = fmt::format("line {}", lines);
        if (line.front() == '#') {
            line.remove_prefix(1);
            if (take_word(line) == "TYPE") {
                const std::string metric(take_word(line));
                types[metric] = std::string(take_word(line));
            }
            continue;
        }
        double value = 0;
        std::optional<double> time;
        if (line.size() > 1'000'000 || !read_sample(line, name, labels, value, time, open_metrics)) {
            skip(skipped, "line that is no sample", place);
            continue;
        }
        // What an exporter says of its own scrape is kept, but counted apart from what it measured.
        if (name.starts_with("node_scrape_collector_") || name.starts_with("scrape_")) {
            ++scrapes;
        } else {
            ++samples;
            ++names[name];
        }
        switch (builder.add(name, labels, time, value)) {
        case SeriesBuilder::Outcome::blank:
            ++blank;
            skip(skipped, "blank of DCGM (not supported, not permitted, not found)", place);
            break;
        case SeriesBuilder::Outcome::missing:
            skip(skipped, "value that is NaN or infinite", place);
            break;
        case SeriesBuilder::Outcome::duplicate:
            skip(skipped, "second sample of the same series", place);
            break;
        case SeriesBuilder::Outcome::kept: {
            auto type = types.find(name);
            if (type == types.end())
                for (const std::string_view suffix : {"_total", "_sum", "_count", "_bucket"})
                    if (name.ends_with(suffix) && type == types.end())
                        type = types.find(name.substr(0, name.size() - suffix.size()));
            if (type != types.end())
                builder.series(name, labels).counter = type->second == "counter" || type->second == "histogram" || (type->second == "summary" && !labels.contains("quantile"));
            break;
        }
        }
    }
    if (samples + scrapes == 0)
        return bad_input("no sample of a metric", Place{file, 0, {}}, {}, "lines as name{label=\"value\"} 1.5");
    std::vector<std::string> notes;
    if (blank > 0)
        notes.emplace_back("Blank sentinels of DCGM are no samples; profiling fields need permission and no other profiler at work.");
    const nlohmann::json own = {{"n_samples", samples}, {"n_metrics", names.size()}, {"n_blank", blank}, {"n_scrape_samples", scrapes}};
    return metrics_of(open_metrics ? "OpenMetrics text" : "Prometheus exposition text", file, builder.take(), std::move(skipped), std::move(notes), own);
}

} // namespace

bool take_metric_name(std::string_view& rest, std::string& name, std::map<std::string, std::string>& labels)
{
    name.clear();
    labels.clear();
    std::size_t n = 0;
    if (!rest.empty() && is_name_start(rest.front()))
        while (n < rest.size() && is_name(rest[n]))
            ++n;
    name = std::string(rest.substr(0, n));
    rest.remove_prefix(n);
    drop_blanks(rest);
    if (rest.empty() || rest.front() != '{')
        return !name.empty();
    rest.remove_prefix(1);
    for (int i = 0; i < 1000; ++i) {
        drop_blanks(rest);
        if (!rest.empty() && rest.front() == '}') {
            rest.remove_prefix(1);
            return !name.empty();
        }
        // Prometheus 3 may quote names: {"a metric", "a label"="v"}.
        std::string label;
        const bool quoted = !rest.empty() && rest.front() == '"';
        const auto take_string = [&](std::string& out) {
            rest.remove_prefix(1);
            while (!rest.empty() && rest.front() != '"') {
                if (rest.front() == '\\' && rest.size() > 1) {
                    out += rest[1] == 'n' ? '\n' : rest[1];
                    rest.remove_prefix(2);
                } else {
                    out += rest.front();
                    rest.remove_prefix(1);
                }
            }
            if (rest.empty())
                return false;
            rest.remove_prefix(1);
            return true;
        };
        if (quoted) {
            if (!take_string(label))
                return false;
        } else {
            std::size_t l = 0;
            while (l < rest.size() && is_name(rest[l]))
                ++l;
            label = std::string(rest.substr(0, l));
            rest.remove_prefix(l);
        }
        drop_blanks(rest);
        if (quoted && name.empty() && (rest.empty() || rest.front() != '=')) {
            name = label;
        } else {
            if (label.empty() || rest.empty() || rest.front() != '=')
                return false;
            rest.remove_prefix(1);
            drop_blanks(rest);
            std::string value;
            if (rest.empty() || rest.front() != '"' || !take_string(value))
                return false;
            labels[label] = value;
        }
        drop_blanks(rest);
        if (!rest.empty() && rest.front() == ',')
            rest.remove_prefix(1);
    }
    return false;
}

TextFormat exposition_format() { return {"Prometheus exposition text", recognises, read}; }

} // namespace ridgepoint
