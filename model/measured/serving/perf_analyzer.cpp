// Perf Analyzer's profile_export.json, which GenAI-Perf computes its figures from: stamps of every request and of every
// response to it, in nanoseconds.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/serving/other_tools.h"
#include "model/measured/serving/run_reading.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool text_in(const json& holder, std::initializer_list<const char*> keys)
{
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return !text_at(holder, key).empty(); });
}

// Chunks that carry the role, the usage or the end of the stream hold no token; GenAI-Perf leaves them out as well.
bool holds_no_token(const json& output)
{
    std::string response = text_at(output, "response");
    if (response.empty())
        return output.is_object() && output.contains("response");
    if (response.starts_with("data:"))
        response.erase(0, 5);
    if (response.find("[DONE]") != std::string::npos && response.find('{') == std::string::npos)
        return true;
    const json chunk = json::parse(response, nullptr, false);
    const json& choices = member(chunk, "choices");
    if (!choices.is_array())
        return false;
    if (choices.empty())
        return true;
    for (const json& choice : choices)
        if (text_in(choice, {"text"}) || text_in(member(choice, "delta"), {"content", "reasoning_content", "reasoning"}) || text_in(member(choice, "message"), {"content"}) || !member(member(choice, "delta"), "tool_calls").is_null())
            return false;
    return true;
}

class Experiment {
public:
    std::optional<ServingRun> read(const json& experiment, const std::string& place, std::vector<Skipped>& skipped)
    {
        ServingRun run;
        run.tool = "Perf Analyzer";
        const json& load = member(experiment, "experiment");
        const std::string mode = text_at(load, "mode");
        if (mode == "concurrency")
            run.max_concurrency = count_at(load, "value");
        else if (mode == "request_rate")
            run.request_rate = number_at(load, "value");
        std::size_t index = 0;
        for (const json& request : member(experiment, "requests")) {
            const std::string at = fmt::format("{}/requests/{}", place, index++);
            const auto start = integer_at(request, "timestamp");
            if (!start)
                skip(skipped, "request without a stamp of its start", at);
            else if (take(request, *start))
                ++run.completed;
            else
                ++run.failed;
        }
        if (run.completed == 0)
            return std::nullopt;
        run.ttft = statistics_of_samples(m_ttfts);
        run.itl = statistics_of_samples(m_gaps);
        run.end_to_end = statistics_of_samples(m_ends);
        if (m_last > m_first)
            run.duration = seconds(1e-9 * static_cast<double>(m_last - m_first));
        return run;
    }

private:
    bool take(const json& request, std::int64_t start)
    {
        const json& stamps = member(request, "response_timestamps");
        const json& outputs = member(request, "response_outputs");
        if (!stamps.is_array())
            return false;
        std::vector<std::int64_t> times;
        for (std::size_t i = 0; i < stamps.size(); ++i)
            if (stamps[i].is_number() && !(outputs.is_array() && i < outputs.size() && holds_no_token(outputs[i])))
                times.push_back(stamps[i].get<std::int64_t>());
        const auto since = [](std::int64_t later, std::int64_t earlier) { return 1e-9 * (static_cast<double>(later / 1000 - earlier / 1000) * 1e3 + static_cast<double>(later % 1000 - earlier % 1000)); };
        if (times.empty() || since(times.back(), start) < 0)
            return false;
        m_first = std::min(m_first, start);
        m_last = std::max(m_last, times.back());
        m_ends.push_back(since(times.back(), start));
        if (times.size() > 1) // a single response: not streamed, hence no first token to be told from the last
            m_ttfts.push_back(since(times.front(), start));
        for (std::size_t i = 1; i < times.size(); ++i)
            m_gaps.push_back(since(times[i], times[i - 1]));
        return true;
    }

    std::vector<double> m_ttfts, m_gaps, m_ends;
    std::int64_t m_first = std::numeric_limits<std::int64_t>::max(), m_last = 0;
};

} // namespace

bool is_perf_analyzer(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    return first != std::string_view::npos && text[first] == '{' && has("\"experiments\"") && has("\"response_timestamps\"") && has("\"requests\"");
}

Expected<Measured> read_perf_analyzer(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    std::vector<ServingRun> runs;
    std::size_t index = 0;
    for (const json& experiment : member(*doc, "experiments")) {
        const std::string place = fmt::format("/experiments/{}", index++);
        if (auto run = Experiment().read(experiment, place, skipped)) {
            run->backend = text_at(*doc, "service_kind");
            runs.push_back(std::move(*run));
        } else {
            skip(skipped, "experiment without an answered request", place);
        }
    }
    json facts = {{"n_experiments", index}};
    return serving_measured(std::move(runs), std::move(facts), file, "Perf Analyzer profile", std::move(skipped),
        {"figures are computed from the stamps of requests and responses; ITL is the gap between two responses, which may carry several tokens", "tokens are not counted in this file: that takes the model's tokenizer"});
}

} // namespace ridgepoint
