// Logs of JSON records between other lines: MLPerf (:::MLLOG) and DLLogger (DLLL).

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/training/documents.h"
#include "model/measured/training/log_lines.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

// The JSON object behind a mark, line by line.
template<typename Take>
void each_record(std::string_view text, std::string_view mark, std::vector<Skipped>& skipped, Take take)
{
    LogLines lines(text);
    LogLine line;
    while (lines.next_with(mark, line)) {
        const std::string place = fmt::format("line {}", line.number);
        const std::string_view whole = line.text;
        const std::size_t at = whole.find('{', whole.find(mark));
        std::vector<Skipped> mended;
        auto record = at == std::string_view::npos ? Expected<Json>(bad_input("no record")) : lenient_json(whole.substr(at), {}, mended);
        for (const Skipped& m : mended)
            skip(skipped, m.reason, place);
        if (record && record->is_object())
            take(*record, place);
        else
            skip(skipped, "record that is no JSON", place);
    }
}

class MlperfReader {
public:
    Expected<Measured> read(std::string_view text, const std::string& file)
    {
        m_log.framework = "MLPerf";
        each_record(text, ":::MLLOG", m_skipped, [&](const Json& r, const std::string& place) { take(r, place); });
        if (m_start && m_stop && *m_stop > *m_start)
            m_log.run_time = milliseconds(*m_stop - *m_start);
        times_from_throughput();
        if (m_log.steps.empty())
            steps_from_losses();
        Json own = {{"n_step_records", m_values.size()}, {"values", m_values}, {"n_records", m_records}, {"submission", m_submission}};
        if (m_log.global_batch)
            own["global_batch_size"] = *m_log.global_batch;
        Json checks = Json::array();
        for (std::size_t i = 0; i < m_values.size() && i < 2; ++i)
            if (m_values[i][0].is_number() && m_values[i][1].is_number())
                checks.push_back(std::round(m_values[i][0].get<double>() * m_values[i][1].get<double>() * 1e3) / 1e3);
        own["check_throughput_times_step"] = checks;
        if (m_log.run_time)
            own["run_duration_s"] = m_log.run_time->value();
        if (!m_status.empty())
            own["status"] = m_status;
        for (const TrainingStep& s : m_log.steps)
            if (const auto n = sequences_per_step(s); n && m_log.global_batch && std::abs(*n / *m_log.global_batch - 1) > 0.01) {
                m_notes.push_back(fmt::format("Step time x throughput is {:.4g} sequences, but the global batch is {}.", *n, *m_log.global_batch));
                break;
            }
        return finished("MLPerf log", file, std::move(m_log), std::move(m_skipped), std::move(m_notes), own);
    }

private:
    void take(const Json& r, const std::string& place)
    {
        ++m_records;
        const std::string key = text_at(r, "key");
        const Json& value = r.contains("value") ? r["value"] : m_null;
        const Json& metadata = r.contains("metadata") ? r["metadata"] : m_null;
        const auto at = number_at(r, "time_ms");
        if (key == "run_start" && at) {
            m_start = m_start ? std::min(*m_start, *at) : *at;
        } else if (key == "run_stop" && at) {
            m_stop = m_stop ? std::max(*m_stop, *at) : *at;
            m_status = text_at(metadata, "status");
        } else if (key == "global_batch_size") {
            if (const auto v = number_of(value))
                put_setting(m_log, key, *v);
        } else if (key.starts_with("submission_") && value.is_string()) {
            m_submission[key] = value;
            if (key == "submission_benchmark")
                m_log.model = value;
        } else if (key == "max_sequence_length" || key == "sequence_length") {
            if (const auto v = number_of(value))
                put_setting(m_log, key, *v);
        } else if (key == "train_loss" && at) {
            if (const auto samples = number_at(metadata, "samples_count"))
                m_losses.push_back({*at, *samples, number_of(value)});
        } else if (key == "tracked_stats" && value.is_object()) {
            tracked(r, value, metadata, place);
        }
    }

    void tracked(const Json& r, const Json& value, const Json& metadata, const std::string& place)
    {
        TrainingStep s;
        for (const auto& [name, v] : value.items())
            if (const auto x = number_of(v)) {
                if (name == "throughput") // sequences per second: step time x throughput is the global batch
                    put(s, {TrainingQuantity::samples_per_second, 1}, *x);
                else if (const auto q = quantity_named(name))
                    put(s, *q, *x);
            }
        if (!s.time && !s.samples_per_second)
            return; // of evaluation, of initialisation
        // Several processes log the same record.
        if (!m_seen.insert(fmt::format("{} {}", number_at(r, "time_ms").value_or(0), value.dump(-1, ' ', false, Json::error_handler_t::replace))).second) {
            skip(m_skipped, "record that another process wrote too", place);
            return;
        }
        auto samples = number_at(metadata, "step");
        for (const char* key : {"samples_count", "epoch_num"}) // BERT counts its samples under "epoch_num"
            if (!samples)
                samples = number_at(metadata, key);
        if (samples && *samples >= 0 && *samples < 1e15)
            s.step = std::llround(m_log.global_batch && !counts_tokens() ? *samples / *m_log.global_batch : *samples);
        m_values.push_back({s.time ? Json(s.time->value()) : Json(nullptr), s.samples_per_second ? Json(*s.samples_per_second) : Json(nullptr)});
        m_log.steps.push_back(s);
    }

    // GPT-3 is measured in tokens: its steps and its throughput count them.
    bool counts_tokens() const { return m_log.model.starts_with("gpt3"); }

    // Many records hold the throughput since the last evaluation alone.
    void times_from_throughput()
    {
        bool derived = false;
        for (TrainingStep& s : m_log.steps) {
            if (counts_tokens() && s.samples_per_second) {
                s.tokens_per_second = TokensPerSecond{*s.samples_per_second};
                s.samples_per_second.reset();
                if (!m_log.sequence_length)
                    continue;
                s.samples_per_second = s.tokens_per_second->value() / *m_log.sequence_length;
                if (m_log.global_batch)
                    s.step = std::llround(static_cast<double>(s.step) / *m_log.sequence_length / *m_log.global_batch);
            }
            if (!s.time && s.samples_per_second && m_log.global_batch) {
                s.time = Seconds{*m_log.global_batch / *s.samples_per_second};
                derived = true;
            }
        }
        if (derived)
            m_notes.emplace_back("Times of steps are the global batch over the throughput that is stated between evaluations.");
        else if (!m_log.steps.empty() && !m_log.steps.front().time)
            m_notes.emplace_back("The throughput is stated; the time of a step needs the global batch (and, where tokens are counted, the sequence length), which the log does not have.");
    }

    // Without tracked statistics: losses are logged with a clock and the sequences seen so far. Evaluation and checkpoints
    // in between make an interval long; the steady part drops those.
    void steps_from_losses()
    {
        if (!m_log.global_batch)
            return;
        for (std::size_t i = 1; i < m_losses.size(); ++i) {
            const double sequences = m_losses[i].samples - m_losses[i - 1].samples, ms = m_losses[i].ms - m_losses[i - 1].ms;
            if (!(sequences > 0 && ms > 0))
                continue;
            TrainingStep s;
            s.step = std::llround(std::min(9e15, m_losses[i].samples / *m_log.global_batch));
            s.time = milliseconds(ms * *m_log.global_batch / sequences);
            s.samples_per_second = sequences / (ms * 1e-3);
            s.loss = m_losses[i].loss;
            m_log.steps.push_back(s);
        }
        if (!m_log.steps.empty())
            m_notes.emplace_back("No statistics of steps are in the log: times of steps are the clock between losses over the sequences in between.");
    }

    struct Loss {
        double ms, samples;
        std::optional<double> loss;
    };
    TrainingLog m_log;
    std::vector<Skipped> m_skipped;
    std::vector<std::string> m_notes;
    std::vector<Loss> m_losses;
    std::set<std::string> m_seen;
    std::vector<Json> m_values;
    Json m_submission = Json::object();
    const Json m_null;
    std::string m_status;
    std::int64_t m_records = 0;
    std::optional<double> m_start, m_stop; // ms since 1970
};

Expected<Measured> read_mlperf(std::string_view text, const std::string& file) { return MlperfReader().read(text, file); }

// A unit that DLLogger states for a metric; none: not of speed. Names differ by model ("train_throughput", "train.total_ips").
std::optional<NamedQuantity> speed_in(std::string_view metric, std::string_view unit)
{
    if (metric.find("rain") == std::string_view::npos) // validation, inference
        return std::nullopt;
    for (const std::string_view u : {"tokens/s", "tok/s"})
        if (unit == u)
            return NamedQuantity{TrainingQuantity::tokens_per_second, 1};
    for (const std::string_view u : {"images/s", "img/s", "sequences/s", "samples/s", "items/s", "imgs/s", "frames/s"})
        if (unit == u)
            return NamedQuantity{TrainingQuantity::samples_per_second, 1};
    return std::nullopt;
}

std::optional<TrainingStep> dllogger_step(const Json& data, const std::map<std::string, NamedQuantity>& speeds, TrainingLog& log)
{
    auto step = step_from(data, log);
    for (const auto& [name, quantity] : speeds)
        if (const auto v = number_at(data, name); v && !quantity_named(name)) {
            if (!step)
                step.emplace();
            put(*step, quantity, *v);
        }
    return step;
}

Expected<Measured> read_dllogger(std::string_view text, const std::string& file)
{
    TrainingLog log;
    log.framework = text.find("train_step_timing") != std::string_view::npos || text.find("reduced_train_loss") != std::string_view::npos ? "NeMo" : "DLLogger";
    std::vector<Skipped> skipped;
    std::map<std::string, NamedQuantity> speeds;
    std::int64_t records = 0;
    each_record(text, "DLLL", skipped, [&](const Json& r, const std::string&) {
        ++records;
        if (const auto speed = speed_in(text_at(r, "metric"), text_at(member(r, "metadata"), "unit")); speed && speeds.size() < 1000)
            speeds.emplace(text_at(r, "metric"), *speed);
        const auto data = r.find("data");
        if (data == r.end() || !data->is_object())
            return;
        for (const char* key : {"e2e_train_time", "raw_train_time"}) // of the summary; seconds
            if (const auto v = number_at(*data, key); v && *v > 0 && std::isfinite(*v))
                log.run_time = Seconds{*v};
        if (const auto step = dllogger_step(*data, speeds, log)) {
            log.steps.push_back(*step);
            if (!has_step(*data)) {
                const auto list = r.find("step"); // a number, or [epoch, iteration, ...]
                const auto n = list != r.end() && list->is_array() && !list->empty() && list->back().is_number_integer() ? std::optional(list->back().get<std::int64_t>()) : integer_at(r, "step");
                log.steps.back().step = n && *n >= 0 ? *n : static_cast<std::int64_t>(log.steps.size()) - 1;
            }
        }
    });
    const Json own = {{"n_records", records}};
    return finished("DLLogger log", file, std::move(log), std::move(skipped), {}, own);
}

bool is_mlperf(std::string_view text) { return text.find(":::MLLOG") != std::string_view::npos; }
bool is_dllogger(std::string_view text) { return text.find("DLLL {") != std::string_view::npos; }

} // namespace

std::vector<TextFormat> record_formats()
{
    std::vector<TextFormat> all{{"MLPerf log", is_mlperf, read_mlperf}, {"DLLogger log", is_dllogger, read_dllogger}};
    for (const TextFormat& f : document_formats())
        all.push_back(f);
    all.push_back(json_lines_format());
    return all;
}

} // namespace ridgepoint
