#include "model/measured/serving/perf_metrics.h"

#include <cmath>

namespace ridgepoint {

// A metric's plain name to the latency it is; ITL of these tools is the mean gap of each request, hence a TPOT too.
std::optional<Latency> perf_latency_of(std::string_view plain)
{
    if (plain == "timetofirsttoken")
        return Latency::ttft;
    if (plain == "intertokenlatency")
        return Latency::itl;
    if (plain == "timeperoutputtoken")
        return Latency::tpot;
    if (plain == "requestlatency")
        return Latency::end_to_end;
    return std::nullopt;
}

void put_perf_figure(ServingRun& run, std::string_view plain, double v, std::optional<double> unit)
{
    if (!std::isfinite(v) || v < 0)
        return;
    const auto whole = [&]() { return v < 9e18 ? std::optional<std::int64_t>(std::llround(v)) : std::nullopt; };
    if (plain == "requestthroughput")
        run.requests_per_second = v;
    else if (plain == "outputtokenthroughput")
        run.output_per_second = TokensPerSecond{v};
    else if (plain == "totaltokenthroughput")
        run.total_per_second = TokensPerSecond{v};
    else if (plain == "requestcount")
        run.completed = whole().value_or(0);
    else if (plain == "errorrequestcount")
        run.failed = whole().value_or(0);
    else if (plain == "totalosl" || plain == "totaloutputsequencelength" || (plain == "totaloutputtokens" && !run.output_tokens))
        run.output_tokens = whole(); // throughput counts all that was generated; total_output_tokens leaves out what a model reasoned
    else if (plain == "totalisl" || plain == "totalinputtokens" || plain == "totalinputsequencelength")
        run.input_tokens = whole();
    else if (plain == "outputsequencelength" || plain == "numoutputtoken")
        run.output_length = v;
    else if (plain == "inputsequencelength" || plain == "numinputtoken")
        run.input_length = v;
    else if (plain == "benchmarkduration" && unit && v > 0)
        run.duration = seconds(v * *unit);
}

void put_perf_facts(nlohmann::json& facts, const ServingRun& run)
{
    const auto put = [&](const char* key, const std::optional<Seconds>& v) {
        if (v)
            facts[key] = in_milliseconds(*v);
    };
    if (run.requests_per_second)
        facts["req_s"] = *run.requests_per_second;
    if (run.output_per_second)
        facts["out_tok_s"] = run.output_per_second->value();
    put("ttft_ms_p50", run.ttft.median);
    put("ttft_ms_avg", run.ttft.mean);
    put("itl_ms_avg", run.itl.mean);
    put("itl_ms_p50", run.itl.median);
    put("e2e_ms_avg", run.end_to_end.mean);
}

} // namespace ridgepoint
