#include "model/measured/training/documents.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/training/log_lines.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

std::optional<std::int64_t> step_key(const std::string& key)
{
    std::int64_t v = 0;
    const auto r = std::from_chars(key.data(), key.data() + key.size(), v);
    return !key.empty() && r.ec == std::errc{} && r.ptr == key.data() + key.size() && v >= 0 ? std::optional(v) : std::nullopt;
}

Expected<Measured> read_trainer_state(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto document = lenient_json(text, file, skipped);
    if (!document)
        return document.error();
    const Json& d = *document;
    TrainingLog log;
    log.framework = "Hugging Face Trainer";
    const auto history = d.find("log_history");
    if (!d.is_object() || (history != d.end() && !history->is_array()))
        return bad_input("not a trainer state", Place{file, 0, "/log_history"}, {}, "an object with a list `log_history`");
    const Json* totals = history == d.end() ? &d : nullptr; // train_results.json is the last record alone
    std::int64_t evaluations = 0;
    if (history != d.end())
        for (const Json& r : *history) {
            if (number_at(r, "train_runtime"))
                totals = &r;
            else if (number_at(r, "eval_runtime"))
                ++evaluations;
            else if (r.is_object() && r.contains("loss")) {
                TrainingStep s;
                if (const auto timed = step_from(r, log))
                    s = *timed;
                s.step = integer_at(r, "step").value_or(0);
                s.loss = number_at(r, "loss");
                if (!s.loss)
                    skip(skipped, "loss that is not a number", fmt::format("step {}", s.step));
                log.steps.push_back(s);
            }
        }
    Json own = {{"n_log_records", history == d.end() ? 1 : history->size()}, {"n_evaluations", evaluations}};
    auto steps = integer_at(d, "global_step");
    std::optional<double> runtime;
    if (totals) {
        runtime = number_at(*totals, "train_runtime");
        if (!steps)
            steps = integer_at(*totals, "step");
        const auto rate = number_at(*totals, "train_steps_per_second");
        if (!steps && rate && runtime && *rate > 0 && *runtime * *rate < 1e15)
            steps = std::llround(*runtime * *rate);
        own["train_samples_per_second"] = number_at(*totals, "train_samples_per_second") ? Json(*number_at(*totals, "train_samples_per_second")) : Json(nullptr);
    }
    auto flos = number_at(d, "total_flos");
    if (totals && !flos)
        flos = number_at(*totals, "total_flos");
    std::vector<std::string> notes;
    if (steps) {
        own["global_step"] = *steps;
        log.run_steps = *steps;
    }
    if (flos && *flos > 0) {
        own["total_flos"] = *flos;
        log.run_flops = Flops{*flos};
        notes.emplace_back("total_flos is the trainer's own estimate, 6 x parameters x tokens.");
    }
    const bool timed = std::any_of(log.steps.begin(), log.steps.end(), [](const TrainingStep& step) { return step.time.has_value(); });
    if (runtime && *runtime > 0) {
        log.run_time = Seconds{*runtime};
        own["train_runtime_s"] = *runtime;
        if (flos && *flos > 0)
            own["mean_flops"] = *flos / *runtime;
        if (steps && *steps > 0)
            own["sec_per_step"] = *runtime / static_cast<double>(*steps);
    }
    if (runtime && *runtime > 0 && !timed) {
        notes.emplace_back("Times of single steps are not stated: the step is the mean over the run, evaluation and checkpoints included.");
    } else if (timed) {
        notes.emplace_back("Times of steps are those that the log states with each loss; ms-swift's train_speed is the mean since the start of the run.");
    } else {
        notes.emplace_back("No time is stated: a state that was saved before the run ended tells losses only.");
    }
    if (const auto batch = number_at(d, "train_batch_size"))
        put_setting(log, "micro_batch_size", *batch);
    return finished("Hugging Face trainer state", file, std::move(log), std::move(skipped), std::move(notes), own);
}

// "10/40": the step, and how many there will be.
std::optional<double> figure_of(const Json& value)
{
    if (const auto v = number_of(value); v || !value.is_string())
        return v;
    std::string_view rest;
    const auto v = leading_number(value.get_ref<const std::string&>(), rest);
    return v && rest.starts_with('/') ? v : std::nullopt;
}

// Megatron-Bridge: {"0": {"elapsed time per iteration (ms)": ..., "GPU utilization": TFLOP/s per GPU, "lm loss": ...}, "alloc": ...}.
// Megatron-LM: {"iteration-time": {"start_step": 1, "end_step": 100, "step_interval": 5, "values": {"1": 8.6, ...} or [..]}, ...}.
Expected<Measured> read_golden_values(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto document = lenient_json(text, file, skipped);
    if (!document)
        return document.error();
    if (!document->is_object())
        return bad_input("not golden values", Place{file, 0, {}}, {}, "an object by step or by metric");
    std::map<std::int64_t, TrainingStep> steps;
    const auto store = [&](std::int64_t step, std::string_view name, const Json& value) {
        const auto v = number_of(value);
        const auto q = name == "GPU utilization" ? std::optional(NamedQuantity{TrainingQuantity::flops_per_gpu, 1e12}) : quantity_named(name);
        if (v && q && q->quantity != TrainingQuantity::step) {
            steps[step].step = step;
            put(steps[step], *q, *v);
        }
    };
    TrainingLog log;
    bool utilization = false;
    for (const auto& [key, value] : document->items()) {
        if (!value.is_object())
            continue; // alloc, max_alloc and other figures of the run
        if (const auto step = step_key(key)) {
            for (const auto& [name, v] : value.items()) {
                store(*step, name, v);
                utilization |= name == "GPU utilization";
            }
        } else if (const auto values = value.find("values"); values != value.end()) {
            const std::int64_t first = std::clamp<std::int64_t>(integer_at(value, "start_step").value_or(1), 0, std::int64_t{1} << 50), interval = std::clamp<std::int64_t>(integer_at(value, "step_interval").value_or(1), 1, std::int64_t{1} << 20);
            if (values->is_object())
                for (const auto& [k, v] : values->items())
                    if (const auto number = step_key(k))
                        store(*number, key, v);
            if (values->is_array())
                for (std::size_t i = 0; i < values->size(); ++i)
                    store(first + static_cast<std::int64_t>(i) * interval, key, (*values)[i]);
        } else { // by metric, the steps directly below
            for (const auto& [k, v] : value.items())
                if (const auto number = step_key(k))
                    store(*number, key, v);
        }
    }
    log.framework = "Megatron";
    std::vector<std::string> notes;
    // Until 2024 the files held the mean over the run instead of times of steps.
    if (const auto mean = number_at(*document, "iteration_timing_avg"); mean && *mean > 0 && std::isfinite(*mean)) {
        const auto loss = document->find("lm loss");
        const auto last = loss == document->end() ? std::nullopt : integer_at(*loss, "end_step");
        log.run_steps = last && *last > 0 && *last < (std::int64_t{1} << 50) ? *last : 1;
        log.run_time = Seconds{*mean * static_cast<double>(*log.run_steps)};
        notes.emplace_back("iteration_timing_avg is the mean time of an iteration over the run.");
    }
    for (auto& [number, step] : steps)
        log.steps.push_back(step);
    if (utilization)
        notes.emplace_back("\"GPU utilization\" is TFLOP/s per GPU, not a percentage.");
    Json own = {{"n_steps", log.steps.size()}};
    for (const char* key : {"alloc", "max_alloc"})
        if (const auto v = number_at(*document, key))
            own[key] = *v;
    return finished("golden values of Megatron", file, std::move(log), std::move(skipped), std::move(notes), own);
}

bool starts_object(std::string_view text) { return trimmed(text.substr(0, 4096)).starts_with('{'); }

bool is_trainer_state(std::string_view text)
{
    return starts_object(text) && (has(text, "\"log_history\"") || (has(text, "\"train_runtime\"") && has(text, "\"train_samples_per_second\"") && text.size() < 65536 && !has(text, "\"_step\"")));
}

bool is_golden_values(std::string_view text)
{
    if (!starts_object(text) || has(text, "\"log_history\""))
        return false;
    return has(text, "\"elapsed time per iteration (ms)\"") || has(text, "\"GPU utilization\"") || (has(text, "\"iteration_timing_avg\"") && has(text, "\"values\"")) || (has(text, "\"iteration-time\"") && (has(text, "\"values\"") || has(text, "\"start_step\"")));
}

} // namespace

bool has_step(const Json& record)
{
    for (const auto& [key, value] : record.items())
        if (const auto q = quantity_named(key); q && (q->quantity == TrainingQuantity::step || q->quantity == TrainingQuantity::log_index) && figure_of(value))
            return true;
    return false;
}

std::optional<TrainingStep> step_from(const Json& record, TrainingLog& log)
{
    TrainingStep s;
    bool speed = false;
    int rank_of_step = 3; // "global_step" before "step" before "_step"
    for (const auto& [key, value] : record.items()) {
        const auto v = figure_of(value);
        if (!v || put_setting(log, key, *v))
            continue;
        const auto q = quantity_named(key);
        if (!q)
            continue;
        if (q->quantity == TrainingQuantity::step || q->quantity == TrainingQuantity::log_index) {
            const int order = q->quantity == TrainingQuantity::log_index ? 2 : key.ends_with("global_step") ? 0 : 1;
            if (order < rank_of_step && put(s, *q, *v))
                rank_of_step = order;
            continue;
        }
        if (put(s, *q, *v))
            speed |= q->quantity != TrainingQuantity::loss && q->quantity != TrainingQuantity::memory;
    }
    return speed ? std::optional(s) : std::nullopt;
}

std::vector<TextFormat> document_formats()
{
    return {{"Hugging Face trainer state", is_trainer_state, read_trainer_state}, {"golden values of Megatron", is_golden_values, read_golden_values}};
}

} // namespace ridgepoint
