// What users bring to a served model, what they are promised, and how much of it there is over days and months.

#include "model/project/field_builders.h"

namespace ridgepoint {
namespace {

bool serves(const Plan& p)
{
    const auto* s = std::get_if<Serving>(&p.workload);
    return s != nullptr && s->phase == ServingPhase::serving;
}

// Members exist in serving plans only.
template <typename T> auto of_load(T Load::*member)
{
    return [member](Plan& p) -> T* { return serves(p) ? &(p.load.*member) : nullptr; };
}
template <typename T> auto of_fleet(T Fleet::*member)
{
    return [member](Plan& p) -> T* { return serves(p) ? &(p.fleet.*member) : nullptr; };
}

FieldEntry when(FieldEntry entry, bool (*relevant)(const Plan&))
{
    entry.relevant = relevant;
    return entry;
}

bool is_open(const Plan& p) { return p.load.arrival != Arrival::closed; }
bool is_lognormal(const Plan& p) { return p.load.lengths == LengthSpread::lognormal; }
bool thinks(const Plan& p)
{
    const auto* s = std::get_if<Serving>(&p.workload);
    return is_lognormal(p) && s != nullptr && s->thinking_length > 0;
}
bool is_file(const Plan& p) { return p.load.lengths == LengthSpread::file; }

void add_fleet_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const About& a) { return field_of("Fleet", a); };
    table.push_back(number_entry(about({"/fleet/mean_rate", "Mean demand", "1/s", 1e-6, 1e9,
        "Requests per second, mean over the first day.", "a small service", Scope::serving}), of_fleet(&Fleet::mean_rate)));
    table.push_back(number_entry(about({"/fleet/peak_to_mean", "Peak over mean", "", 1, 2,
        "Largest hour of the day over the mean, of a sine.", "assumed; give the 24 hours where they are known", Scope::serving}), of_fleet(&Fleet::peak_to_mean)));
    table.push_back(text_entry(about({"/fleet/hours", "Hours of the day", "", 0, 2000,
        "Relative demand of the 24 hours instead of a sine: 24 numbers with commas between.", "a sine", Scope::serving}), FieldType::text, of_fleet(&Fleet::hours)));
    table.push_back(number_entry(about({"/fleet/growth_per_month", "Growth per month", "", -0.5, 1,
        "Compound: 0.05 is 5 % more demand each month.", "none", Scope::serving}), of_fleet(&Fleet::growth)));
    table.push_back(whole_entry(about({"/fleet/months", "Months", "months", 1, 120, "How long the fleet is planned for.", "a year", Scope::serving}), of_fleet(&Fleet::months)));
    table.push_back(whole_entry(about({"/fleet/spare_instances", "Spare instances", "instances", 0, 10'000,
        "Instances that may fail or be updated without harm: N + k.", "N + 1", Scope::serving}), of_fleet(&Fleet::spare_instances)));
    table.push_back(number_entry(about({"/fleet/headroom", "Headroom", "", 0, 0.95,
        "Share of the largest rate within the limits that stays free at the peak.", "room for bursts that an hour's mean hides", Scope::serving}), of_fleet(&Fleet::headroom)));
    table.push_back(flag_entry(about({"/fleet/scale_by_hour", "Scale by the hour", "", 0, 0,
        "Instances follow the demand of each hour; else the month's peak is paid for day and night.", "reserved instances", Scope::serving}), of_fleet(&Fleet::scale_by_hour)));
    table.push_back(number_entry(about({"/fleet/api_input_usd_per_million", "API price of input", "USD/Mtoken", 0, 1e6,
        "What an API would charge for a million prompt tokens; 0 with the next: no comparison.", "not set", Scope::serving}), of_fleet(&Fleet::api_input_per_million)));
    table.push_back(number_entry(about({"/fleet/api_output_usd_per_million", "API price of output", "USD/Mtoken", 0, 1e6,
        "What an API would charge for a million output tokens.", "not set", Scope::serving}), of_fleet(&Fleet::api_output_per_million)));
}

} // namespace

void add_load_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const About& a) { return field_of("Load", a); };
    table.push_back(choice_entry<Arrival>(about({"/load/arrival", "Arrivals", "", 0, 0,
        "How requests come: independently, at equal gaps, or each user's next one when the last is answered.", "independent users", Scope::serving}),
        {{"poisson", "Poisson", Arrival::poisson}, {"even", "Equal gaps", Arrival::even}, {"closed", "Closed loop", Arrival::closed}}, of_load(&Load::arrival)));
    table.push_back(when(number_entry(about({"/load/rate", "Arrival rate", "1/s", 1e-6, 1e9,
        "Requests per second, over all replicas of the plan.", "a moderate load", Scope::serving}), of_load(&Load::rate)), is_open));
    table.push_back(choice_entry<LengthSpread>(about({"/load/lengths", "Lengths", "", 0, 0,
        "How prompt and output lengths spread around the workload's: not at all, by a law, or as in a file of requests.",
        "long tails, as in published traces [Splitwise, arXiv:2311.18677, figure 3]", Scope::serving}),
        {{"constant", "Constant", LengthSpread::constant}, {"lognormal", "Lognormal", LengthSpread::lognormal}, {"file", "From a file", LengthSpread::file}},
        of_load(&Load::lengths)));
    table.push_back(when(number_entry(about({"/load/input_spread", "Spread of prompts", "", 0, 10,
        "Standard deviation of the prompt length over its mean.", "assumed", Scope::serving}), of_load(&Load::input_spread)), is_lognormal));
    table.push_back(when(number_entry(about({"/load/output_spread", "Spread of outputs", "", 0, 10,
        "Standard deviation of the output length over its mean; of the answer's, where the output thinks before it.", "assumed", Scope::serving}), of_load(&Load::output_spread)), is_lognormal));
    table.push_back(when(number_entry(about({"/load/thinking_spread", "Spread of thinking", "", 0, 10,
        "Standard deviation of the length of thinking over its mean.", "assumed", Scope::serving}), of_load(&Load::thinking_spread)), thinks));
    table.push_back(when(whole_entry(about({"/load/thinking_limit", "Thinking is cut at", "tokens", 0, 16'777'216,
        "Longest thinking, after which the answer is forced; 0: no limit.", "no limit; s1 forces one [arXiv:2501.19393, section 3.1]", Scope::serving}), of_load(&Load::thinking_limit)), thinks));
    table.push_back(when(text_entry(about({"/load/lengths_file", "Lengths file", "", 0, 4096,
        "CSV with a header or JSON Lines with both lengths of each request; relative to the plan.", "none", Scope::serving}), FieldType::text, of_load(&Load::file)), is_file));
    table.push_back(whole_entry(about({"/load/max_batch", "Largest batch", "sequences", 1, 65536,
        "Sequences that one replica runs at once, where the KV cache has room for them.", "vLLM max_num_seqs 256", Scope::serving}), of_load(&Load::max_batch)));
    table.push_back(number_entry(about({"/load/overhead_ms", "Overhead per request", "ms", 0, 60'000,
        "Network, HTTP and tokenization outside the engine, in TTFT.", "none assumed", Scope::serving}), of_load(&Load::overhead), 1e-3));
    table.push_back(number_entry(about({"/load/ttft_limit_s", "TTFT limit", "s", 1e-3, 1e6,
        "Time to first token that users are promised.", "2 s: MLPerf Inference, Llama 2 70B server", Scope::serving}), of_load(&Load::ttft_limit)));
    table.push_back(number_entry(about({"/load/tpot_limit_ms", "TPOT limit", "ms", 1e-2, 1e6,
        "Time per output token that users are promised.", "50 ms: 20 tokens/s, several times reading speed", Scope::serving}), of_load(&Load::tpot_limit), 1e-3));
    table.push_back(number_entry(about({"/load/limit_share", "Within limits", "", 0.5, 0.999,
        "Share of the requests that must keep each limit.", "the 90th percentile", Scope::serving}), of_load(&Load::limit_share)));
    table.push_back(whole_entry(about({"/load/requests", "Simulated requests", "", 100, 1'000'000,
        "Requests measured in the simulation, after it has settled.", "quantiles to a few per cent", Scope::serving}), of_load(&Load::requests)));
    table.push_back(whole_entry(about({"/load/seed", "Seed", "", 0, 1'000'000'000,
        "Of the random numbers; the same seed gives the same result everywhere.", "1", Scope::serving}), of_load(&Load::seed)));
    add_fleet_fields(table);
}

} // namespace ridgepoint
