// The run around the steps: ramp, data, checkpoints, failures; energy and what the bill holds beside the instances.

#include "model/project/field_builders.h"

namespace ridgepoint {
namespace {

template <typename T> auto of_run(T Run::*member)
{
    return [member](Plan& p) -> T* { return std::holds_alternative<Training>(p.workload) ? &(p.run.*member) : nullptr; };
}

bool ramps(const Plan& p) { return p.run.ramp_batch > 0; }
bool evaluates(const Plan& p) { return p.run.evaluate_every > 0; }
bool has_spares(const Plan& p) { return p.run.spare_nodes > 0; }

constexpr double tebibyte = 1099511627776.0;

class Table {
public:
    Table(std::vector<FieldEntry>& table, const char* group) : m_table(table), m_group(group) {}

    template <typename T> FieldEntry& number(const char* path, const char* label, const char* unit, double low, double high, const char* help, const char* source,
        T Run::*member, double scale = 1.0)
    {
        return add(number_entry(field(path, label, unit, low, high, help, source), of_run(member), scale));
    }
    FieldEntry& whole(const char* path, const char* label, const char* unit, double low, double high, const char* help, const char* source, int Run::*member)
    {
        return add(whole_entry(field(path, label, unit, low, high, help, source), of_run(member)));
    }
    FieldEntry& text(const char* path, const char* label, double longest, const char* help, const char* source, std::string Run::*member)
    {
        return add(text_entry(field(path, label, "", 0, longest, help, source), FieldType::text, of_run(member)));
    }
    FieldEntry& add(FieldEntry entry)
    {
        m_table.push_back(std::move(entry));
        return m_table.back();
    }
    [[nodiscard]] PlanField field(const char* path, const char* label, const char* unit, double low, double high, const char* help, const char* source) const
    {
        return field_of(m_group, {path, label, unit, low, high, help, source, Scope::training});
    }

private:
    std::vector<FieldEntry>& m_table;
    const char* m_group;
};

FieldEntry mtbf_entry(PlanField field)
{
    FieldEntry e;
    e.field = std::move(field);
    e.field.type = FieldType::number;
    e.nullable = true;
    e.get = [](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        if (!std::holds_alternative<Training>(p.workload))
            return std::nullopt;
        return p.run.mtbf_hours ? nlohmann::ordered_json(*p.run.mtbf_hours) : nlohmann::ordered_json(nullptr);
    };
    e.set = [](Plan& p, const nlohmann::json& j) { p.run.mtbf_hours = j.is_null() ? std::nullopt : std::optional(j.get<double>()); };
    return e;
}

void add_steps(Table& t)
{
    t.text("/run/start", "Start", 10, "Day on which the run starts, YYYY-MM-DD; empty: not said.", "not set", &Run::start);
    t.whole("/run/ramp_batch", "Ramp: first batch", "sequences", 0, 1e9, "Batch at the start of a ramp to the global batch; 0: no ramp.", "no ramp", &Run::ramp_batch);
    t.whole("/run/ramp_increment", "Ramp: increment", "sequences", 0, 1e9, "By how much the batch grows; each batch takes the same number of samples.",
        "Megatron-LM --rampup-batch-size", &Run::ramp_increment).relevant = ramps;
    t.number("/run/ramp_tokens", "Ramp: tokens", "tokens", 0, 1e18, "Tokens trained during the ramp.", "Megatron-LM --rampup-batch-size", &Run::ramp_tokens).relevant = ramps;
    t.whole("/run/evaluate_every", "Evaluate every", "steps", 0, 1e9, "Steps between evaluations; 0: never.", "none", &Run::evaluate_every);
    t.number("/run/evaluation_tokens", "Evaluation tokens", "tokens", 0, 1e15, "Tokens of one evaluation, forward only.", "not set", &Run::evaluation_tokens).relevant = evaluates;
    t.text("/run/data_tier", "Data tier", 128, "Where the tokenised data are read from, by its id in specs/storage.", "a shared file system", &Run::data_tier);
    t.number("/run/data_capacity_tib", "Data capacity", "TiB", 0, 1e7, "Provisioned for the data, which decides the throughput of a file system; 0: what the data need.",
        "what the data need", &Run::data_capacity, tebibyte);
    t.number("/run/bytes_per_token", "Bytes per token", "B", 0.1, 1e4, "Stored size of one training token.", "4: int32, vocabularies above 65,536", &Run::bytes_per_token);
}

void add_checkpoints(Table& t)
{
    t.text("/run/checkpoint_tier", "Checkpoint tier", 128, "Where checkpoints are written, by its id in specs/storage.", "a shared file system", &Run::checkpoint_tier);
    t.number("/run/checkpoint_capacity_tib", "Checkpoint capacity", "TiB", 0, 1e7, "Provisioned for checkpoints, which decides the throughput of a file system; 0: what the kept ones need.",
        "what the kept ones need", &Run::checkpoint_capacity, tebibyte);
    t.add(flag_entry(t.field("/run/asynchronous", "Asynchronous", "", 0, 0, "Only the copy to host memory stops training; the write runs behind it.",
        "PyTorch DCP async_save, Megatron-Core --async-save"), of_run(&Run::asynchronous)));
    t.number("/run/checkpoint_interval_min", "Checkpoint interval", "min", 0, 1e6, "Training time between checkpoints; 0: the optimum for the failure rate.",
        "the optimum", &Run::checkpoint_interval, 60.0);
    t.number("/run/checkpoint_overhead_s", "Checkpoint overhead", "s", 0, 3600, "Barriers and metadata of one checkpoint, beside moving its bytes.", "assumed", &Run::checkpoint_overhead);
    t.whole("/run/checkpoints_kept", "Checkpoints kept", "", 1, 10'000, "On the tier at one time.", "the last, the one before, the one in progress", &Run::checkpoints_kept);
    t.whole("/run/checkpoints_archived", "Checkpoints archived", "", 0, 1'000'000, "Kept in S3 to the end of the run.", "assumed", &Run::checkpoints_archived);
}

void add_failures(Table& t)
{
    t.add(mtbf_entry(t.field("/run/mtbf_hours", "MTBF of a node", "h", 0, 1e9, "Mean time between interruptions of a job on one node; 0: never; empty: the instance's figure.",
        "specs/instances, reliability")));
    t.number("/run/detection_s", "Detection", "s", 0, 86'400, "Until a failure is noticed.", "assumed: health checks; PyTorch's NCCL watchdog alone takes 600", &Run::detection);
    t.number("/run/swap_s", "Swap", "s", 0, 86'400, "Until a free spare node has taken over.", "assumed", &Run::swap).relevant = has_spares;
    t.number("/run/replacement_s", "Replacement", "s", 0, 8.64e6, "Until a node has been replaced or restarted where no spare is free.", "assumed; depends on capacity", &Run::replacement);
    t.number("/run/startup_s", "Start-up", "s", 0, 86'400, "Scheduler, processes, communicators, compilation; the checkpoint is read on top.", "assumed", &Run::startup);
    t.whole("/run/spare_nodes", "Spare nodes", "instances", 0, 100'000, "Rented beside the nodes that train, to take over.", "none", &Run::spare_nodes);
    t.number("/run/repair_h", "Repair", "h", 0, 10'000, "Until a failed node is a spare again.", "assumed: a day", &Run::repair, 3600.0).relevant = has_spares;
    t.whole("/run/samples", "Simulated runs", "", 100, 100'000, "Of the Monte-Carlo run behind the quantiles of the time.", "quantiles to about half a per cent of the spread", &Run::samples);
    t.whole("/run/seed", "Seed", "", 0, 1'000'000'000, "Of the random numbers; the same seed gives the same result everywhere.", "1", &Run::seed);
    t.number("/run/power_cap", "Power cap", "", 0.3, 1, "Power limit of the GPUs over their TDP; below 1 the clock falls under load.", "none", &Run::power_cap);
    t.number("/run/pue", "PUE", "", 1, 3, "Power of the data centre over that of the machines.", "AWS fleet 2023 and 2024", &Run::pue);
}

} // namespace

void add_run_fields(std::vector<FieldEntry>& table)
{
    Table run(table, "Run");
    add_steps(run);
    add_checkpoints(run);
    add_failures(run);
    Table costs(table, "Costs");
    costs.text("/price/support", "Support plan", 64, "none, or a support plan of specs/markets: business, enterprise.", "none", &Run::support);
    costs.number("/price/egress_tb", "Egress", "TB", 0, 1e6, "Sent to the internet once, at the end: weights, logs.", "none", &Run::egress, 1e12);
    costs.number("/price/tax", "Tax", "", 0, 1, "On the whole bill: 0.19 is 19 %.", "none", &Run::tax);
    costs.number("/price/delay_usd_per_day", "Cost of delay", "USD/day", 0, 1e12, "What a day of delay costs beside the instances.", "none", &Run::delay_per_day);
}

} // namespace ridgepoint
