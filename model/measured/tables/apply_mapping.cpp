#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/metrics/metric_formats.h"
#include "model/measured/tables/column_mapping.h"
#include "model/measured/tables/csv.h"
#include "model/measured/tables/mapping_fields.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

// The mapped columns of a table, with their numbers in base units.
class Mapped {
public:
    Mapped(const MeasuredTable& table, const ColumnMapping& mapping) : m_table(table), m_mapping(mapping) { }

    Status bind(const std::string& file)
    {
        bool needed = false;
        for (const ColumnMapping::Column& c : m_mapping.columns) {
            const auto at = std::find(m_table.columns.begin(), m_table.columns.end(), c.column);
            if (at == m_table.columns.end())
                return bad_input("the table has no such column", Place{file, 0, {}}, c.column, fmt::format("one of {}", fmt::join(m_table.columns.begin(), m_table.columns.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(20, m_table.columns.size())), ", ")));
            const MappingField* f = mapping_field(m_mapping.target, c.is);
            if (f == nullptr)
                return bad_input("unknown field", Place{file, 0, {}}, c.is, fmt::format("one of {}", fmt::join(fields_of(m_mapping.target), ", ")));
            Bound b{static_cast<std::size_t>(at - m_table.columns.begin()), f, 1, c.unit.empty() && !f->units.empty()};
            if (!f->units.empty())
                b.factor = f->units.front().factor;
            for (const MappingUnit& u : f->units)
                if (u.name == c.unit)
                    b.factor = u.factor;
            needed |= f->needed;
            if (b.assumed)
                notes.push_back(fmt::format("The unit of \"{}\" is not stated; it is taken as {}.", c.column, f->units.front().name));
            m_bound.push_back(b);
        }
        if (!needed) {
            std::vector<std::string_view> any;
            for (const MappingField& f : mapping_fields())
                if (f.target == m_mapping.target && f.needed)
                    any.push_back(f.name);
            return bad_input("no column says what was measured", Place{file, 0, {}}, {}, fmt::format("one of {}", fmt::join(any, ", ")));
        }
        return Done{};
    }

    // None: not mapped, empty, or no number. A cell with a unit of its own ("12.5 ms") says it better than the mapping.
    [[nodiscard]] std::optional<double> number(std::size_t row, std::string_view field) const
    {
        const Bound* b = find(field);
        const auto v = b == nullptr ? std::nullopt : cell_number(m_table.rows[row][b->column]);
        if (!v)
            return std::nullopt;
        const bool own = !v->unit.empty() && (std::any_of(b->field->units.begin(), b->field->units.end(), [&](const MappingUnit& u) { return u.name == v->unit; }));
        return own ? v->value : v->value * b->factor;
    }
    [[nodiscard]] std::string text(std::size_t row, std::string_view field) const
    {
        const Bound* b = find(field);
        return b == nullptr ? std::string() : m_table.rows[row][b->column];
    }
    template<typename Value>
    void set(std::optional<Value>& target, std::size_t row, std::string_view field) const
    {
        if (const auto v = number(row, field); v && *v > 0 && std::isfinite(*v)) {
            if constexpr (std::is_integral_v<Value>)
                target = static_cast<Value>(std::llround(std::min(*v, 2e9)));
            else
                target = Value{*v};
        }
    }
    [[nodiscard]] std::size_t rows() const { return m_table.rows.size(); }
    template<typename Take>
    void each_column(std::string_view field, Take take) const
    {
        for (const Bound& b : m_bound)
            if (b.field->name == field)
                take(b.column);
    }
    [[nodiscard]] const MeasuredTable& table() const { return m_table; }

    std::vector<std::string> notes;

private:
    struct Bound {
        std::size_t column;
        const MappingField* field;
        double factor;
        bool assumed;
    };
    [[nodiscard]] const Bound* find(std::string_view field) const
    {
        for (const Bound& b : m_bound)
            if (b.field->name == field)
                return &b;
        return nullptr;
    }
    const MeasuredTable& m_table;
    const ColumnMapping& m_mapping;
    std::vector<Bound> m_bound;
};

Expected<Measured> as_training_log(Mapped& t, const std::string& file)
{
    TrainingLog log;
    log.framework = "a table";
    std::vector<Skipped> skipped;
    for (std::size_t r = 0; r < t.rows(); ++r) {
        TrainingStep s;
        const auto step = t.number(r, "step");
        s.step = step && *step >= 0 && *step < 9e15 ? std::llround(*step) : static_cast<std::int64_t>(r) + 1;
        t.set(s.time, r, "step time");
        t.set(s.tokens_per_second_per_gpu, r, "tokens/s/GPU");
        t.set(s.tokens_per_second, r, "tokens/s");
        t.set(s.samples_per_second, r, "samples/s");
        t.set(s.flops_per_gpu, r, "FLOP/s/GPU");
        t.set(s.mfu, r, "MFU");
        t.set(s.memory, r, "memory");
        s.loss = t.number(r, "loss");
        if (const auto rank = t.number(r, "rank"); rank && *rank >= 0 && *rank < 1e9)
            s.rank = static_cast<int>(*rank);
        if (s.time || s.tokens_per_second_per_gpu || s.tokens_per_second || s.samples_per_second || s.flops_per_gpu || s.mfu)
            log.steps.push_back(s);
        else
            skip(skipped, "row without a time or a throughput", fmt::format("row {}", r + 1));
    }
    return finished("table with a column mapping", file, std::move(log), std::move(skipped), std::move(t.notes));
}

void put_latency(const Mapped& t, std::size_t row, LatencyStatistics& l, const std::string& name)
{
    t.set(l.mean, row, name + " mean");
    t.set(l.median, row, name + " median");
    std::optional<Seconds> p99;
    t.set(p99, row, name + " p99");
    if (p99)
        l.percentiles[99] = *p99;
}

Expected<Measured> as_serving(Mapped& t, const std::string& file)
{
    ServingBenchmark bench;
    std::vector<Skipped> skipped;
    for (std::size_t r = 0; r < t.rows(); ++r) {
        ServingRun run;
        run.tool = "a table";
        run.model = t.text(r, "model");
        run.backend = t.text(r, "backend");
        t.set(run.request_rate, r, "request rate");
        t.set(run.max_concurrency, r, "concurrency");
        t.set(run.tp, r, "TP");
        t.set(run.gpus, r, "GPUs");
        std::optional<std::int64_t> completed;
        t.set(completed, r, "completed");
        run.completed = completed.value_or(0);
        t.set(run.duration, r, "duration");
        t.set(run.input_tokens, r, "input tokens");
        t.set(run.output_tokens, r, "output tokens");
        t.set(run.requests_per_second, r, "requests/s");
        t.set(run.output_per_second, r, "output tokens/s");
        t.set(run.total_per_second, r, "total tokens/s");
        put_latency(t, r, run.ttft, "TTFT");
        put_latency(t, r, run.tpot, "TPOT");
        put_latency(t, r, run.itl, "ITL");
        put_latency(t, r, run.end_to_end, "latency");
        if (run.requests_per_second || run.output_per_second || run.total_per_second || run.ttft.mean || run.ttft.median || run.tpot.mean || run.tpot.median || run.itl.mean || run.itl.median || run.end_to_end.mean || run.end_to_end.median)
            bench.runs.push_back(std::move(run));
        else
            skip(skipped, "row without a throughput or a latency", fmt::format("row {}", r + 1));
    }
    if (bench.runs.empty())
        return bad_input("no row states a throughput or a latency", Place{file, 0, {}}, {}, "numbers in the mapped columns");
    Measured m;
    m.file = file;
    m.format = "table with a column mapping";
    m.facts = {{"n_runs", bench.runs.size()}};
    m.content = std::move(bench);
    m.skipped = std::move(skipped);
    m.notes = std::move(t.notes);
    return m;
}

CollectiveType collective_named(std::string text)
{
    std::string name;
    for (const char c : text)
        if (c >= 'A' && c <= 'Z')
            name += static_cast<char>(c + 32);
        else if (c >= 'a' && c <= 'z')
            name += c;
    for (const auto& [word, type] : {std::pair{"allreduce", CollectiveType::all_reduce}, std::pair{"allgather", CollectiveType::all_gather}, std::pair{"reducescatter", CollectiveType::reduce_scatter}, std::pair{"alltoall", CollectiveType::all_to_all}, std::pair{"broadcast", CollectiveType::broadcast}, std::pair{"sendrecv", CollectiveType::send_recv}, std::pair{"reduce", CollectiveType::reduce}})
        if (name.find(word) != std::string::npos)
            return type;
    return CollectiveType::other;
}

Expected<Measured> as_collectives(Mapped& t, const std::string& file)
{
    CollectiveBenchmark bench;
    std::vector<Skipped> skipped;
    for (std::size_t r = 0; r < t.rows(); ++r) {
        const auto size = t.number(r, "size"), time = t.number(r, "time"), algorithm = t.number(r, "algorithm bandwidth"), bus = t.number(r, "bus bandwidth");
        if (!size || *size < 0 || !(time || algorithm || bus)) {
            skip(skipped, "row without a size, or without a time and a bandwidth", fmt::format("row {}", r + 1));
            continue;
        }
        CollectiveRow row;
        row.size = Bytes{*size};
        row.dtype = t.text(r, "dtype");
        row.reduction = t.text(r, "reduction");
        CollectiveTiming timing;
        // Algorithm bandwidth is size / time: either gives the other.
        timing.time = Seconds{time ? *time : algorithm && *algorithm > 0 ? *size / *algorithm : 0};
        timing.algorithm_bandwidth = BytesPerSecond{algorithm ? *algorithm : timing.time > Seconds{} ? *size / timing.time.value() : 0};
        timing.bus_bandwidth = BytesPerSecond{bus.value_or(0)};
        row.out_of_place = timing;
        const std::string test = t.text(r, "collective");
        const auto ranks = t.number(r, "ranks");
        const int n = ranks && *ranks >= 1 && *ranks < 1e8 ? static_cast<int>(*ranks) : 0;
        auto sweep = std::find_if(bench.sweeps.begin(), bench.sweeps.end(), [&](const CollectiveSweep& s) { return s.test == test && s.ranks == n; });
        if (sweep == bench.sweeps.end()) {
            if (bench.sweeps.size() >= 10'000) {
                skip(skipped, "row of one sweep too many", fmt::format("row {}", r + 1));
                continue;
            }
            bench.sweeps.emplace_back();
            sweep = std::prev(bench.sweeps.end());
            sweep->test = test;
            sweep->type = collective_named(test);
            sweep->ranks = n;
        }
        sweep->rows.push_back(std::move(row));
    }
    if (bench.sweeps.empty())
        return bad_input("no row states a size with a time or a bandwidth", Place{file, 0, {}}, {}, "numbers in the mapped columns");
    Measured m;
    m.file = file;
    m.format = "table with a column mapping";
    m.facts = {{"n_sweeps", bench.sweeps.size()}};
    m.content = std::move(bench);
    m.skipped = std::move(skipped);
    m.notes = std::move(t.notes);
    return m;
}

Expected<Measured> as_metrics(Mapped& t, const std::string& file)
{
    SeriesBuilder builder;
    std::vector<Skipped> skipped;
    std::int64_t samples = 0;
    for (std::size_t r = 0; r < t.rows(); ++r) {
        const auto& row = t.table().rows[r];
        const auto time = unix_seconds(t.text(r, "time"));
        if (!time) {
            skip(skipped, "row without a time", fmt::format("row {}", r + 1));
            continue;
        }
        std::map<std::string, std::string> labels;
        t.each_column("label", [&](std::size_t c) { labels[t.table().columns[c]] = row[c]; });
        t.each_column("value", [&](std::size_t c) {
            if (const auto v = cell_number(row[c]))
                samples += builder.add(t.table().columns[c], labels, *time, v->value) == SeriesBuilder::Outcome::kept ? 1 : 0;
        });
    }
    if (samples == 0)
        return bad_input("no row states a time and a number", Place{file, 0, {}}, {}, "numbers in the mapped columns");
    return metrics_of("table with a column mapping", file, builder.take(), std::move(skipped), std::move(t.notes));
}

} // namespace

Expected<Measured> apply_mapping(const MeasuredTable& table, const ColumnMapping& mapping, const std::string& file)
{
    for (const auto& row : table.rows)
        if (row.size() != table.columns.size())
            return bad_input("a row of another width than the header", Place{file, 0, {}}, fmt::format("{} cells", row.size()), fmt::format("{} cells", table.columns.size()));
    Mapped mapped(table, mapping);
    if (const Status bound = mapped.bind(file); !bound)
        return bound.error();
    switch (mapping.target) {
    case MappingTarget::training_log:
        return as_training_log(mapped, file);
    case MappingTarget::serving_benchmark:
        return as_serving(mapped, file);
    case MappingTarget::collective_benchmark:
        return as_collectives(mapped, file);
    case MappingTarget::metrics:
        return as_metrics(mapped, file);
    }
    return bad_input("unknown target", Place{file, 0, {}});
}

} // namespace ridgepoint
