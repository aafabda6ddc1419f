// JSON lines: the history of a tracker, the log of LLaMA-Factory.

#include <algorithm>

#include "model/measured/lenient_json.h"
#include "model/measured/training/documents.h"
#include "model/measured/training/log_lines.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

// trainer_log.jsonl of LLaMA-Factory: {"current_steps": 10, "total_steps": 100, "loss": 1.2, "elapsed_time": "0:00:30",
// "throughput": tokens per second of the job, ...}.
constexpr std::string_view llama_factory = "LLaMA-Factory";
bool is_llama_factory(const Json& record) { return record.contains("current_steps") && record.contains("total_steps") && record.contains("elapsed_time"); }

// "0:04:30", "1 day, 2:03:04"
std::optional<double> seconds_of_clock(std::string_view text)
{
    double days = 0;
    std::string_view rest;
    if (const std::size_t day = text.find(" day"); day != std::string_view::npos) {
        days = leading_number(text, rest).value_or(0);
        text.remove_prefix(std::min(text.size(), text.find(' ', day + 1) == std::string_view::npos ? text.size() : text.find(' ', day + 1) + 1));
    }
    double seconds = 0;
    for (int part = 0; part < 3; ++part) {
        const auto v = leading_number(text, rest);
        if (!v || *v < 0 || (part < 2 && !rest.starts_with(':')))
            return std::nullopt;
        seconds = seconds * 60 + *v;
        text = rest.substr(part < 2 ? 1 : 0);
    }
    return days * 86400 + seconds;
}

void take_llama_factory(const Json& record, TrainingLog& log)
{
    log.framework = llama_factory;
    const auto step = integer_at(record, "current_steps");
    if (!step || *step < 0)
        return;
    const auto elapsed = seconds_of_clock(text_at(record, "elapsed_time"));
    if (elapsed && *elapsed > 0 && *step > 0) {
        log.run_time = Seconds{*elapsed};
        log.run_steps = *step;
    }
    TrainingStep s;
    s.step = *step;
    s.loss = number_at(record, "loss");
    if (const auto v = number_at(record, "throughput"))
        put(s, {TrainingQuantity::tokens_per_second, 1}, *v);
    if (s.loss || s.tokens_per_second)
        log.steps.push_back(s);
}

bool recognises(std::string_view text)
{
    std::size_t lines = 0;
    while (!text.empty() && lines < 20) {
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty())
            continue;
        ++lines;
        if (!line.starts_with("{\"") || !line.ends_with('}') || line.size() > 65536)
            return false;
        std::vector<Skipped> ignored;
        const auto record = lenient_json(line, {}, ignored);
        TrainingLog log;
        if (record && record->is_object() && (is_llama_factory(*record) || (has_step(*record) && step_from(*record, log))))
            return true;
    }
    return false;
}

Expected<Measured> read(std::string_view text, const std::string& file)
{
    TrainingLog log;
    log.framework = "a tracker's JSON lines";
    std::vector<Skipped> skipped;
    std::vector<std::string> notes;
    for (const Json& record : lenient_json_lines(text, skipped)) {
        if (!record.is_object())
            continue;
        if (is_llama_factory(record))
            take_llama_factory(record, log);
        else if (auto step = step_from(record, log))
            log.steps.push_back(*step);
    }
    if (log.framework == llama_factory)
        notes.emplace_back("Throughput and elapsed time are those since the start of the run: the step is the mean over it, evaluation and checkpoints included.");
    return finished("JSON lines of training steps", file, std::move(log), std::move(skipped), std::move(notes));
}

} // namespace

TextFormat json_lines_format() { return {"JSON lines of training steps", recognises, read}; }

} // namespace ridgepoint
