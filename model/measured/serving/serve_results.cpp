#include "model/measured/serving/serve_results.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"
#include "model/measured/serving/latency_units.h"
#include "model/measured/serving/serve_object.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Whether the first line is an object of its own: JSON lines, be it only one.
bool is_lines(std::string_view text)
{
    text = text.substr(text.find_first_not_of(" \t\r\n"));
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    return line.starts_with('{') && line.ends_with('}');
}

// As Python prints it: "inf", "1.0", "4".
json rate_as_text(const json& o)
{
    const auto v = number_at(o, "request_rate");
    if (!v)
        return nullptr;
    return std::isfinite(*v) ? json(o["request_rate"].is_string() ? o["request_rate"].get<std::string>() : o["request_rate"].dump()) : json("inf");
}

json rounded(const std::optional<double>& v, double digits) { return v && std::isfinite(*v) ? json(std::round(*v * digits) / digits) : json(nullptr); }

std::optional<double> recomputed_output(const ServingRun& run)
{
    return run.output_tokens && run.duration ? std::optional(static_cast<double>(*run.output_tokens) / run.duration->value()) : std::nullopt;
}

// The facts of one object: its scalars, latencies in ms, and what follows from its arrays.
json facts_of_object(const json& o, const ServingRun& run, const ServeArrays& arrays)
{
    json f = json::object();
    for (const auto& [key, value] : o.items())
        if ((value.is_number() || value.is_string()) && !latency_key(key) && (!value.is_string() || value.get_ref<const std::string&>().size() < 200))
            f[key] = value;
    const json common = facts_of_run(run);
    for (const auto& [key, value] : common.items())
        if (key.ends_with("_ms"))
            f[key] = value;
    if (run.output_per_second)
        f["output_tok_s"] = run.output_per_second->value();
    f["recomputed"] = f["recomputed_output_tok_s"] = rounded(recomputed_output(run), 1e6);
    if (arrays.mean_ttft)
        f["recomputed_mean_ttft_ms"] = *arrays.mean_ttft * 1e3;
    if (o.contains("itls"))
        f["n_itls"] = arrays.itls;
    return f;
}

json facts_of_lines(const std::vector<json>& objects, const std::vector<ServingRun>& runs)
{
    json f = {{"n_lines", objects.size()}, {"request_rates", json::array()}, {"output_throughput", json::array()}, {"recomputed", json::array()}, {"keys", json::array()}};
    std::set<std::string> keys;
    for (std::size_t i = 0; i < objects.size(); ++i) {
        f["request_rates"].push_back(rate_as_text(objects[i]));
        f["output_throughput"].push_back(rounded(runs[i].output_per_second ? std::optional(runs[i].output_per_second->value()) : std::nullopt, 1e3));
        f["recomputed"].push_back(rounded(recomputed_output(runs[i]), 1e3));
        for (const auto& [key, value] : objects[i].items())
            keys.insert(key);
    }
    f["keys"] = keys;
    return f;
}

Expected<Measured> measured_of(const std::vector<json>& objects, bool lines, const std::string& file, std::vector<Skipped> skipped)
{
    std::vector<json> good;
    std::vector<ServingRun> runs;
    std::vector<std::string> notes;
    json facts = json::object();
    std::size_t index = 0;
    for (const json& o : objects) {
        const std::string place = lines ? fmt::format("record {}", index) : fmt::format("/{}", index);
        ++index;
        if (!is_serve_object(o)) {
            skip(skipped, "record that is no result of a serving benchmark", place);
            continue;
        }
        ServeArrays arrays;
        std::vector<std::string> own;
        runs.push_back(serve_run(o, arrays, own));
        for (std::string& note : own)
            if (notes.size() < 100 && std::find(notes.begin(), notes.end(), note) == notes.end())
                notes.push_back(std::move(note));
        if (good.empty())
            facts = facts_of_object(o, runs.back(), arrays);
        good.push_back(o);
    }
    if (runs.empty())
        return bad_input("no result of a serving benchmark", Place{file, 0, {}}, {}, "objects with throughput and latencies");
    if (lines || good.size() > 1) {
        json of_lines = facts_of_lines(good, runs);
        if (good.size() == 1) // one line: its own facts besides
            for (auto& [key, value] : facts.items())
                of_lines.emplace(key, std::move(value));
        facts = std::move(of_lines);
    }
    const std::string format = runs.front().tool == "SGLang bench_serving" ? "SGLang serving results" : runs.front().tool == "InferenceX" ? "InferenceX results" : "vLLM serving results";
    return serving_measured(std::move(runs), std::move(facts), file, format, std::move(skipped), std::move(notes));
}

std::vector<std::string> csv_header(std::string_view text, char& separator)
{
    const std::string_view line = trimmed(text.substr(0, std::min(text.find('\n'), std::size_t{65536})));
    separator = separator_of(line);
    std::vector<std::string> header;
    if (!line.empty() && line.front() != '{')
        DelimitedText(line, separator).next(header);
    return header;
}

} // namespace

bool is_serve_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return false;
    const bool rate = has(text, "\"output_throughput\"") || has(text, "\"request_throughput\"") || has(text, "\"total_token_throughput\"") || has(text, "\"output_token_throughput\"") || has(text, "\"tput_per_gpu\"") || has(text, "\"output_tput_per_gpu\"");
    return rate && (has(text, "\"duration\"") || has(text, "\"completed\"") || has(text, "\"max_concurrency\"") || has(text, "\"conc\"") || has(text, "_ttft") || has(text, "_tpot"));
}

Expected<Measured> read_serve_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    if (is_lines(text)) {
        std::vector<Skipped> skipped_lines;
        const std::vector<json> objects = lenient_json_lines(text, skipped_lines);
        // vLLM writes its one object on one line as well; SGLang appends lines.
        if (objects.size() > 1 || (objects.size() == 1 && !objects[0].contains("model_id")))
            return measured_of(objects, true, file, std::move(skipped_lines));
    }
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    std::vector<json> objects;
    if (doc->is_array())
        objects.assign(doc->begin(), doc->end());
    else
        objects.push_back(*doc);
    return measured_of(objects, false, file, std::move(skipped));
}

bool is_serve_csv(std::string_view text)
{
    char separator = ',';
    const auto header = csv_header(text, separator);
    const auto count = [&](auto fits) { return std::count_if(header.begin(), header.end(), fits); };
    return count([](const std::string& h) { return h == "output_throughput" || h == "request_throughput" || h == "total_token_throughput" || h == "tput_per_gpu"; }) > 0
        && count([](const std::string& h) { return latency_key(h).has_value(); }) > 0;
}

Expected<Measured> read_serve_csv(std::string_view text, const std::string& file)
{
    char separator = ',';
    const auto header = csv_header(text, separator);
    DelimitedText records(text, separator);
    std::vector<std::string> record;
    records.next(record);
    std::vector<json> objects;
    std::vector<Skipped> skipped;
    while (records.next(record) && objects.size() < 1'000'000) {
        if (record.size() != header.size()) {
            skip(skipped, fmt::format("record without the header's {} fields", header.size()), fmt::format("line {}", records.line()));
            continue;
        }
        json o = json::object();
        for (std::size_t i = 0; i < header.size(); ++i)
            if (!record[i].empty()) {
                const auto v = number_in(record[i], separator == ';' ? DecimalMark::comma : DecimalMark::point);
                o[header[i]] = v && std::isfinite(*v) ? json(*v) : json(record[i]);
            }
        objects.push_back(std::move(o));
    }
    auto m = measured_of(objects, true, file, std::move(skipped));
    if (m) {
        m->format = "CSV of serving results";
        m->facts["n_rows"] = m->facts["n_lines"];
    }
    return m;
}

bool is_vllm_offline_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
        return false;
    return (has(text, "\"avg_latency\"") && (has(text, "\"percentiles\"") || has(text, "\"latencies\""))) || (has(text, "\"elapsed_time\"") && has(text, "\"num_requests\"") && has(text, "\"tokens_per_second\""));
}

Expected<Measured> read_vllm_offline_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (!doc->is_object())
        return bad_input("no result of a vLLM benchmark", Place{file, 0, {}}, {}, "an object");
    ServingRun run;
    json facts = json::object();
    std::vector<std::string> notes;
    if (const auto elapsed = number_at(*doc, "elapsed_time")) {
        run.tool = "vLLM bench throughput";
        if (*elapsed > 0 && std::isfinite(*elapsed))
            run.duration = seconds(*elapsed);
        run.completed = std::max<std::int64_t>(0, integer_at(*doc, "num_requests").value_or(0));
        run.requests_per_second = number_at(*doc, "requests_per_second");
        if (const auto v = number_at(*doc, "tokens_per_second"); v && std::isfinite(*v))
            run.total_per_second = TokensPerSecond{*v};
        for (const char* key : {"elapsed_time", "num_requests", "total_num_tokens", "requests_per_second", "tokens_per_second"})
            facts[key] = doc->value(key, json());
        const auto total = number_at(*doc, "total_num_tokens");
        if (total && run.duration && run.total_per_second && std::abs(*total / run.duration->value() - run.total_per_second->value()) > 0.01 * run.total_per_second->value())
            run.checks.push_back(fmt::format("tokens per second are stated as {:.6g}, but total_num_tokens / elapsed_time gives {:.6g}", run.total_per_second->value(), *total / run.duration->value()));
        notes.emplace_back("tokens per second count input and output together");
    } else {
        run.tool = "vLLM bench latency";
        if (const auto v = number_at(*doc, "avg_latency"))
            put_statistic(run.end_to_end, "mean", *v);
        std::vector<double> samples;
        if (doc->contains("latencies") && (*doc)["latencies"].is_array())
            for (const json& v : (*doc)["latencies"])
                if (const auto s = number_of(v))
                    samples.push_back(*s);
        if (doc->contains("percentiles") && (*doc)["percentiles"].is_object())
            for (const auto& [percent, value] : (*doc)["percentiles"].items())
                if (const auto v = number_of(value))
                    put_statistic(run.end_to_end, "p" + percent, *v);
        const LatencyStatistics of_samples = statistics_of_samples(samples);
        if (of_samples.mean && run.end_to_end.mean && std::abs(of_samples.mean->value() - run.end_to_end.mean->value()) > 0.01 * of_samples.mean->value())
            run.checks.push_back(fmt::format("the average latency is stated as {:.6g} s, but the list gives {:.6g} s", run.end_to_end.mean->value(), of_samples.mean->value()));
        fill_missing(run.end_to_end, of_samples);
        if (!run.end_to_end.mean)
            return bad_input("a latency benchmark without a latency", Place{file, 0, "/avg_latency"}, {}, "seconds");
        facts = {{"avg_latency_s", run.end_to_end.mean->value()}, {"n", samples.size()}};
        notes.emplace_back("latencies are of whole batches: prefill and all output tokens of every sequence");
    }
    std::vector<ServingRun> runs;
    const std::string format = run.tool;
    runs.push_back(std::move(run));
    return serving_measured(std::move(runs), std::move(facts), file, format, std::move(skipped), std::move(notes));
}

} // namespace ridgepoint
