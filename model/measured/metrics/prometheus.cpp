// Answers of the Prometheus HTTP API (/api/v1/query and query_range), and exports with one JSON line a series.

#include <cmath>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/metrics/metric_formats.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

std::map<std::string, std::string> labels_of(const Json& metric, std::string& name)
{
    std::map<std::string, std::string> labels;
    name.clear();
    if (!metric.is_object())
        return labels;
    for (const auto& [label, value] : metric.items())
        if (value.is_string()) {
            if (label == "__name__")
                name = value.get<std::string>();
            else
                labels[label] = value.get<std::string>();
        }
    return labels;
}

class AnswerReader {
public:
    explicit AnswerReader(const std::string& file) : m_file(file) {}

    Expected<Measured> read(std::string_view text)
    {
        const auto document = lenient_json(text, m_file, m_skipped);
        if (!document)
            return document.error();
        if (!document->is_object())
            return bad_input("not an answer of Prometheus", Place{m_file, 0, {}}, {}, "an object with status and data");
        const std::string status = text_at(*document, "status");
        if (status == "error" || (document->contains("errorType") && !document->contains("data")))
            return bad_input(fmt::format("Prometheus answered the query with an error: {}", text_at(*document, "error")), Place{m_file, 0, "/error"}, text_at(*document, "errorType"), "an answer with status \"success\"");
        const auto data = document->find("data");
        if (data == document->end() || !data->is_object() || !data->contains("resultType"))
            return bad_input("an answer without a result", Place{m_file, 0, "/data"}, {}, "data with resultType and result");
        m_type = text_at(*data, "resultType");
        const auto result = data->find("result");
        if (result == data->end() || !result->is_array())
            return bad_input("an answer without a result", Place{m_file, 0, "/data/result"}, {}, "a list");
        if (m_type == "scalar" || m_type == "string")
            sample("", {}, *result, "/data/result");
        else if (m_type == "matrix" || m_type == "vector")
            for (std::size_t i = 0; i < result->size(); ++i)
                series((*result)[i], fmt::format("/data/result/{}", i));
        else
            return bad_input("an unknown type of result", Place{m_file, 0, "/data/resultType"}, m_type, "matrix, vector, scalar or string");
        std::vector<std::string> notes;
        for (const char* key : {"warnings", "infos"})
            if (const auto list = document->find(key); list != document->end() && list->is_array())
                for (const Json& w : *list)
                    if (w.is_string() && notes.size() < 20)
                        notes.push_back("Prometheus: " + w.get<std::string>());
        if (result->empty())
            notes.emplace_back("The query found no series: there is no data, which is not zero.");
        if (m_type == "matrix" && !result->empty())
            notes.emplace_back("A range query samples at its step; peaks between two steps are not seen.");
        const Json own = {{"status", status}, {"resultType", m_type}, {"n_series", m_type == "matrix" || m_type == "vector" ? result->size() : 1}, {"n_samples", m_samples}, {"n_nan", m_nan}, {"n_blank", m_blank}, {"n_warnings", document->contains("warnings") ? (*document)["warnings"].size() : 0}};
        return metrics_of("Prometheus query result", m_file, m_builder.take(), std::move(m_skipped), std::move(notes), own);
    }

private:
    void series(const Json& one, const std::string& place)
    {
        if (!one.is_object()) {
            skip(m_skipped, "series that is no object", place);
            return;
        }
        std::string name;
        const auto labels = labels_of(one.contains("metric") ? one["metric"] : Json(), name);
        m_builder.series(name, labels);
        if (one.contains("value"))
            sample(name, labels, one["value"], place + "/value");
        if (const auto values = one.find("values"); values != one.end() && values->is_array())
            for (std::size_t i = 0; i < values->size(); ++i)
                sample(name, labels, (*values)[i], fmt::format("{}/values/{}", place, i));
        if (one.contains("histogram") || one.contains("histograms"))
            skip(m_skipped, "native histogram", place);
    }

    void sample(const std::string& name, const std::map<std::string, std::string>& labels, const Json& pair, const std::string& place)
    {
        if (!pair.is_array() || pair.size() != 2) {
            skip(m_skipped, "sample that is no pair of a time and a value", place);
            return;
        }
        ++m_samples;
        const auto time = number_of(pair[0]);
        const auto value = number_of(pair[1]);
        if (!time || !std::isfinite(*time)) {
            skip(m_skipped, "sample without a time", place);
            return;
        }
        if (!value) {
            ++m_nan;
            skip(m_skipped, "value that is no number", place);
            return;
        }
        switch (m_builder.add(name, labels, *time, *value)) {
        case SeriesBuilder::Outcome::blank:
            ++m_blank;
            skip(m_skipped, "blank of DCGM (not supported, not permitted, not found)", place);
            break;
        case SeriesBuilder::Outcome::missing:
            ++m_nan;
            skip(m_skipped, "value that is NaN or infinite", place);
            break;
        case SeriesBuilder::Outcome::duplicate:
            skip(m_skipped, "second sample of the same series and time", place);
            break;
        case SeriesBuilder::Outcome::kept:
            break;
        }
    }

    const std::string& m_file;
    std::vector<Skipped> m_skipped;
    SeriesBuilder m_builder;
    std::string m_type;
    std::int64_t m_samples = 0, m_nan = 0, m_blank = 0;
};

bool is_answer(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
        return false;
    return has(text, "\"resultType\"") || (has(text.substr(0, 4096), "\"status\"") && has(text.substr(0, 65536), "\"errorType\""));
}

Expected<Measured> read_answer(std::string_view text, const std::string& file) { return AnswerReader(file).read(text); }

// {"metric":{"__name__":"up",...},"values":[1,2],"timestamps":[1757000000000,...]} a line, as /api/v1/export of VictoriaMetrics.
bool is_export(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(first, text.size()));
    const std::string_view head = text.substr(0, std::min(text.find('\n'), std::size_t{1} << 20));
    return first != std::string_view::npos && text.front() == '{' && has(head, "\"metric\"") && has(head, "\"timestamps\"") && has(head, "\"values\"");
}

Expected<Measured> read_export(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    SeriesBuilder builder;
    for (const Json& line : lenient_json_lines(text, skipped)) {
        std::string name;
        const auto labels = labels_of(line.is_object() && line.contains("metric") ? line["metric"] : Json(), name);
        const Json values = line.is_object() ? line.value("values", Json::array()) : Json::array(), times = line.is_object() ? line.value("timestamps", Json::array()) : Json::array();
        if (!values.is_array() || !times.is_array() || values.size() != times.size()) {
            skip(skipped, "series whose times and values do not match", {});
            continue;
        }
        builder.series(name, labels);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto t = number_of(times[i]), v = number_of(values[i]);
            if (!t || !v || builder.add(name, labels, *t * 1e-3, *v) != SeriesBuilder::Outcome::kept)
                skip(skipped, "sample that is blank, no number or there already", {});
        }
    }
    return metrics_of("exported series", file, builder.take(), std::move(skipped), {});
}

} // namespace

TextFormat prometheus_answer_format() { return {"Prometheus query result", is_answer, read_answer}; }
TextFormat prometheus_export_format() { return {"exported series", is_export, read_export}; }

} // namespace ridgepoint
