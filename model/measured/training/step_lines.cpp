// Logs with one line a step. A line belongs to the first dialect that claims it.

#include <array>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/measured/training/log_lines.h"
#include "model/measured/training/progress_bar.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

bool is_step_line(std::string_view line)
{
    if (!(has(line, "step") || has(line, "Step") || has(line, "iter") || has(line, "Iter") || has(line, "STEP")) || has(line, "MLLOG") || has(line, "DLLL {") || !step_in(line))
        return false;
    for (const NamedNumber& f : named_numbers(line))
        if (const auto q = quantity_named(f.name))
            switch (q->quantity) {
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
                break;
            }
    return false;
}

// DeepSpeed and Primus divide bytes by 1024^3 and print "GB".
bool counts_in_gib(std::string_view name) { return name == "MaxMemAllocated" || name.starts_with("hip mem usage"); }

struct Dialect {
    std::string_view format, framework;
    std::array<std::string_view, 4> anchors; // one of them is in every line
    bool (*claims)(std::string_view line);
};

constexpr std::array dialects{
    Dialect{"Nanotron log", "Nanotron", {"time_per_iteration_ms:", "", "", ""}, [](std::string_view l) { return has(l, "iteration") && has(l, "tokens_per_sec"); }},
    Dialect{"Megatron-LM log", "Megatron-LM", {"elapsed time per iteration", "elapsed_time_per_iteration_ms", "", ""}, [](std::string_view l) { return has(l, "iteration"); }},
    Dialect{"MaxText log", "MaxText", {"completed step:", "", "", ""}, [](std::string_view l) { return has(l, "seconds:"); }},
    Dialect{"torchtitan log", "torchtitan", {"tps:", "wps:", "iter:", ""}, [](std::string_view l) { return has(l, "step:") && (has(l, "iter:") ? has(l, "data:") : has(l, "memory:") || has(l, "mfu:") || has(l, "loss:")); }},
    Dialect{"NeMo log", "NeMo", {"train_step_timing", "", "", ""}, [](std::string_view l) { return !has(l, "DLLL {") && !has(l, "MLLOG") && !has(l, "\"train_step_timing"); }},
    Dialect{"DeepSpeed log", "DeepSpeed", {"SamplesPerSec=", "iter time (s):", "", ""}, [](std::string_view l) { return has(l, "sec: ") || has(l, "SamplesPerSec="); }},
    Dialect{"Hugging Face Trainer output", "Hugging Face Trainer", {"'loss':", "'train_runtime':", "'train_loss':", ""}, [](std::string_view l) { return has(l, "{'"); }},
    Dialect{"progress bar of training", "progress bar", {"it/s", "s/it", "", ""}, is_progress_bar},
    Dialect{"training log", "a framework that is not named", {"", "", "", ""}, is_step_line},
};

bool anchored(const Dialect& d, std::string_view line)
{
    if (d.anchors[0].empty())
        return true;
    for (const std::string_view a : d.anchors)
        if (!a.empty() && has(line, a))
            return true;
    return false;
}

bool belongs_to(std::size_t which, std::string_view line)
{
    for (std::size_t i = 0; i < which; ++i)
        if (anchored(dialects[i], line) && dialects[i].claims(line))
            return false;
    return anchored(dialects[which], line) && dialects[which].claims(line);
}

template<std::size_t Which>
bool recognises(std::string_view text)
{
    const Dialect& d = dialects[Which];
    if (!anchored(d, text))
        return false;
    // Whether any line is one: the first megabytes tell where there is no rare word to look for.
    constexpr std::size_t most = std::size_t{16} << 20;
    LogLines lines(d.anchors[0].empty() ? text.substr(0, most) : text);
    LogLine line;
    while (lines.next(line))
        if (belongs_to(Which, line.text))
            return true;
    return false;
}

class Reader {
public:
    explicit Reader(std::size_t which) : m_which(which), m_dialect(dialects[which]) { m_log.framework = m_dialect.framework; }

    Expected<Measured> read(std::string_view text, const std::string& file)
    {
        read_settings(text, m_log);
        LogLines lines(text);
        LogLine line;
        while (lines.next(line))
            if (belongs_to(m_which, line.text))
                take(line);
            else if (m_dialect.framework == "Megatron-LM" && has(line.text, "TFLOP/s/GPU"))
                keep_flops(line.text);
        if (m_dialect.framework == "Megatron-LM" || m_dialect.framework == "DeepSpeed")
            m_log.timers = read_timers(text);
        return finish(file);
    }

private:
    void take(const LogLine& line)
    {
        TrainingStep s;
        s.rank = line.rank;
        const std::string place = fmt::format("line {}", line.number);
        bool speed = false, numbered = false;
        std::set<TrainingQuantity> seen;
        if (m_dialect.claims == is_progress_bar)
            read_progress_bar(line.text, s);
        for (const NamedNumber& f : named_numbers(line.text)) {
            if (put_setting(m_log, f.name, f.value * count_factor(f.unit)))
                continue;
            keep_text(f);
            if (read_run(f))
                continue;
            auto q = quantity_named(f.name);
            if (!q && m_dialect.framework == "MaxText" && f.name == "seconds")
                q = NamedQuantity{TrainingQuantity::step_time, 1};
            if (!q && m_dialect.framework == "MaxText" && (f.name.starts_with("TFLOP/s/device")))
                q = NamedQuantity{TrainingQuantity::flops_per_gpu, 1e12};
            if (m_dialect.framework == "torchtitan" && f.name == "iter") // its first months: seconds of a step
                q = NamedQuantity{TrainingQuantity::step_time, 1};
            if (!q)
                continue;
            // The same quantity twice in a line: the first is the one of the step, but "global_step" is the step whatever counts epochs before it.
            const bool global = f.name.ends_with("global_step");
            if (!seen.insert(q->quantity).second && !global)
                continue;
            if (!put(s, *q, f.value, counts_in_gib(f.name) ? "GiB" : f.unit)) {
                if (std::isnan(f.value))
                    skip(m_skipped, fmt::format("{} is not a number", std::string(f.name)), place);
                continue;
            }
            numbered |= q->quantity == TrainingQuantity::step;
            speed |= q->quantity != TrainingQuantity::step && q->quantity != TrainingQuantity::loss && q->quantity != TrainingQuantity::memory;
        }
        if (m_dialect.framework == "torchtitan" && s.loss == -1.0) { // a pipeline's rank without the last stage has none
            s.loss.reset();
            skip(m_skipped, "loss of -1, which a rank without the last pipeline stage prints", place);
        }
        speed |= s.time.has_value();
        if (!s.flops_per_gpu)
            s.flops_per_gpu = std::exchange(m_flops, std::nullopt);
        if (!numbered && m_dialect.claims != is_progress_bar) {
            const std::size_t at = line.text.find("SamplesPerSec=");
            const std::size_t comma = at == std::string::npos ? at : line.text.rfind(", ", at);
            const std::size_t slash = comma == std::string::npos ? comma : line.text.rfind('/', comma);
            std::string_view rest;
            if (slash != std::string::npos && leading_number(std::string_view(line.text).substr(slash + 1), rest) && rest.starts_with(", ")) // DeepSpeed's "0/20, ": epoch and step
                s.step = static_cast<std::int64_t>(std::min(1e15, *leading_number(std::string_view(line.text).substr(slash + 1), rest)));
            else if (const auto n = step_in(line.text))
                s.step = *n;
            else
                s.step = static_cast<std::int64_t>(m_log.steps.size()) + 1;
        }
        if (m_dialect.framework == "Hugging Face Trainer" ? s.loss || speed : speed)
            m_log.steps.push_back(s);
        else if (m_dialect.framework != "Hugging Face Trainer")
            skip(m_skipped, "line of a step without a time or a throughput", place);
    }

    // Megatron-Bridge prints "Step Time : 6.21s GPU utilization: 750.9MODEL_TFLOP/s/GPU" before the line of the iteration.
    void keep_flops(std::string_view line)
    {
        for (const NamedNumber& f : named_numbers(line))
            if (f.name.ends_with("GPU utilization") && has(f.unit, "TFLOP/s/GPU") && f.value > 0)
                m_flops = FlopPerSecond{f.value * 1e12};
    }

    void keep_text(const NamedNumber& f)
    {
        if (m_dialect.framework != "torchtitan" || m_tps.size() > 100'000)
            return;
        if (f.name == "tps" || f.name == "wps")
            m_tps.emplace(f.text);
        else if (f.name == "mfu")
            m_mfu.emplace(f.text);
        else if (f.name == "memory" && f.unit.starts_with("GiB"))
            m_memory.emplace(f.text);
    }

    // Hugging Face closes a run with its totals.
    bool read_run(const NamedNumber& f)
    {
        if (m_dialect.framework != "Hugging Face Trainer")
            return false;
        if (f.name == "train_runtime" && f.value > 0)
            m_log.run_time = Seconds{f.value};
        else if (f.name == "total_flos" && f.value > 0)
            m_log.run_flops = Flops{f.value};
        else if (f.name == "train_steps_per_second" && f.value > 0)
            m_steps_per_second = f.value;
        else if (f.name != "train_samples_per_second" && f.name != "train_loss" && f.name != "train_tokens_per_second")
            return false;
        return true;
    }

    Expected<Measured> finish(const std::string& file)
    {
        nlohmann::json own = nlohmann::json::object();
        if (m_dialect.framework == "Megatron-LM") {
            own["n_iter_lines"] = m_log.steps.size();
            nlohmann::json timers = nlohmann::json::object();
            for (const TrainingTimer& t : m_log.timers)
                timers[t.name] = {in_milliseconds(t.least), in_milliseconds(t.most)};
            if (!timers.empty())
                own["timers_ms"] = timers;
        } else if (m_dialect.framework == "torchtitan") {
            std::set<std::string> ranks;
            for (const TrainingStep& s : m_log.steps)
                if (s.rank)
                    ranks.insert(fmt::format("{}", *s.rank));
            own["tps"] = m_tps;
            own["mfu"] = m_mfu;
            own["memory_GiB"] = m_memory;
            own["ranks"] = ranks;
            m_notes.emplace_back("torchtitan's tps is of one GPU; lines that several ranks print of one step are one step.");
        } else if (m_dialect.framework == "Hugging Face Trainer") {
            // The step is not printed; the rate of the run, rounded to three decimals, gives how many there were.
            if (m_log.run_time && m_steps_per_second) {
                m_log.run_steps = std::llround(m_log.run_time->value() * *m_steps_per_second);
                own["train_runtime_s"] = m_log.run_time->value();
                own["sec_per_step"] = 1 / *m_steps_per_second;
                m_notes.emplace_back("Time of a step is the mean over the run, from train_steps_per_second, which is rounded to three decimals; it holds evaluation and checkpoints.");
            }
            if (m_log.run_flops)
                own["total_flos"] = m_log.run_flops->value();
        } else if (m_dialect.framework == "Nanotron") {
            m_notes.emplace_back("Nanotron prints three digits: 1.02K may stand for 1024.");
        } else if (m_dialect.framework == "progress bar") {
            m_notes.emplace_back("A progress bar shows a running average, not the time of each step.");
        } else if (m_dialect.framework == "DeepSpeed" && !m_log.steps.empty() && !m_log.steps.front().time) {
            if (m_log.global_batch)
                for (TrainingStep& s : m_log.steps)
                    if (s.samples_per_second && !s.time)
                        s.time = Seconds{*m_log.global_batch / *s.samples_per_second};
            m_notes.emplace_back(m_log.global_batch ? "Time of a step is the global batch over DeepSpeed's samples per second." : "DeepSpeed states samples per second; the time of a step needs the global batch, which is not in the log.");
        }
        return finished(m_dialect.format, file, std::move(m_log), std::move(m_skipped), std::move(m_notes), own);
    }

    std::size_t m_which;
    const Dialect& m_dialect;
    TrainingLog m_log;
    std::vector<Skipped> m_skipped;
    std::vector<std::string> m_notes;
    std::set<std::string, std::less<>> m_tps, m_mfu, m_memory;
    std::optional<double> m_steps_per_second;
    std::optional<FlopPerSecond> m_flops; // of the step whose line follows
};

template<std::size_t Which>
Expected<Measured> read(std::string_view text, const std::string& file) { return Reader(Which).read(text, file); }

template<std::size_t... Which>
std::vector<TextFormat> all(std::index_sequence<Which...>) { return {TextFormat{dialects[Which].format, recognises<Which>, read<Which>}...}; }

} // namespace

std::vector<TextFormat> step_line_formats() { return all(std::make_index_sequence<dialects.size()>{}); }

} // namespace ridgepoint
