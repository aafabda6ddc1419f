// Tables of a tracker: wandb and MLflow exports, one row a step with a column for each figure, or one row a figure
// (key, value, step). Cells may be empty.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/tables/csv.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

struct Columns {
    std::size_t step = npos;
    std::size_t runtime = npos; // seconds since the start of the run, wandb's _runtime
    std::size_t key = npos, value = npos; // one row a figure
    std::vector<std::pair<std::size_t, NamedQuantity>> figures;
    std::size_t others = 0; // columns of further runs in the same chart
    bool speed = false;

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

bool is_step(TrainingQuantity q) { return q == TrainingQuantity::step || q == TrainingQuantity::log_index; }

bool is_speed(TrainingQuantity q)
{
    switch (q) {
    case TrainingQuantity::step_time:
    case TrainingQuantity::steps_per_second:
    case TrainingQuantity::tokens_per_second:
    case TrainingQuantity::tokens_per_second_per_gpu:
    case TrainingQuantity::samples_per_second:
    case TrainingQuantity::running_samples_per_second:
    case TrainingQuantity::flops_per_gpu:
    case TrainingQuantity::mfu:
        return true;
    default:
        return false;
    }
}

Columns columns_of(const std::vector<std::string>& header)
{
    Columns c;
    int best = 3; // "global_step" before "step" before "_step"
    std::map<TrainingQuantity, int> seen;
    for (std::size_t i = 0; i < header.size(); ++i) {
        const std::string& name = header[i];
        if (name == "key" || name == "metric")
            c.key = i;
        else if (name == "value")
            c.value = i;
        else if (name == "_runtime" || name == "Relative Time (Process)")
            c.runtime = i;
        const auto q = quantity_named(name);
        if (!q)
            continue;
        if (is_step(q->quantity)) {
            const int order = q->quantity == TrainingQuantity::log_index ? 2 : name.ends_with("global_step") ? 0 : 1;
            if (order < best) {
                best = order;
                c.step = i;
            }
        } else if (seen[q->quantity]++ == 0) {
            c.figures.emplace_back(i, *q);
            c.speed |= is_speed(q->quantity);
        } else {
            ++c.others;
        }
    }
    return c;
}

bool is_step_table(std::string_view text)
{
    if (!looks_like_csv(text))
        return false;
    const Columns c = columns_of(csv_header(text));
    if (c.step == Columns::npos)
        return false;
    return c.speed || (c.key != Columns::npos && c.value != Columns::npos) || (c.runtime != Columns::npos && !c.figures.empty());
}

Expected<Measured> read_step_table(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto table = csv_table(text, skipped);
    if (!table)
        return bad_input("not a table", Place{file, 0, {}}, {}, "rows of as many cells as the header has");
    const Columns c = columns_of(table->columns);
    if (c.step == Columns::npos)
        return bad_input("no column counts steps", Place{file, 1, {}}, {}, "a column like step, _step or iteration");
    const bool long_form = c.key != Columns::npos && c.value != Columns::npos;
    TrainingLog log;
    log.framework = std::find(table->columns.begin(), table->columns.end(), "_step") != table->columns.end() ? "wandb" : "a tracker's table";
    std::map<std::int64_t, TrainingStep> steps;
    std::map<std::int64_t, double> runtime;
    for (std::size_t r = 0; r < table->rows.size(); ++r) {
        const auto& row = table->rows[r];
        const auto number = cell_number(row[c.step]);
        if (!number || number->value < 0 || number->value > 9e15) {
            skip(skipped, "row without a step", fmt::format("row {}", r + 1));
            continue;
        }
        const std::int64_t step = std::llround(number->value);
        const auto store = [&](const NamedQuantity& q, const std::string& cell) {
            const auto v = cell_number(cell);
            if (!v)
                return;
            TrainingStep& s = steps[step];
            s.step = step;
            put(s, q, v->value, q.quantity == TrainingQuantity::mfu && v->unit == "%" ? std::string_view() : std::string_view(v->unit));
        };
        if (long_form) {
            if (const auto q = quantity_named(row[c.key]); q && !is_step(q->quantity))
                store(*q, row[c.value]);
        } else {
            for (const auto& [i, q] : c.figures)
                store(q, row[i]);
        }
        if (c.runtime != Columns::npos)
            if (const auto v = cell_number(row[c.runtime]); v && v->value >= 0)
                runtime[step] = v->value;
    }
    for (auto& [number, step] : steps)
        log.steps.push_back(step);
    std::vector<std::string> notes;
    const bool timed = std::any_of(log.steps.begin(), log.steps.end(), [](const TrainingStep& s) { return s.time || s.tokens_per_second || s.tokens_per_second_per_gpu || s.samples_per_second; });
    if (!timed && runtime.size() > 1) {
        for (auto before = runtime.begin(), at = std::next(before); at != runtime.end(); before = at++) {
            TrainingStep& s = steps[at->first];
            const double seconds = (at->second - before->second) / static_cast<double>(at->first - before->first);
            s.step = at->first;
            if (seconds > 0)
                s.time = Seconds{seconds};
        }
        log.steps.clear();
        for (auto& [number, step] : steps)
            log.steps.push_back(step);
        notes.emplace_back("No column states a time of a step: it is the difference of _runtime over the steps in between, evaluation and checkpoints included.");
    }
    if (c.others > 0)
        notes.push_back(fmt::format("{} more columns state a figure that an earlier column has already (other runs?); they are left out.", c.others));
    const nlohmann::json own = {{"n_rows", table->rows.size()}, {"n_columns", table->columns.size()}};
    return finished("table of training steps", file, std::move(log), std::move(skipped), std::move(notes), own);
}

} // namespace

TextFormat step_table_format() { return {"table of training steps", is_step_table, read_step_table}; }

} // namespace ridgepoint
