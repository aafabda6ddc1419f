// What logs say of the job around the steps: sizes, and timers of parts of a step.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/measured/training/log_lines.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

using Member = std::optional<int> TrainingLog::*;
struct Setting {
    std::string_view name; // lower case, '-' and blanks as '_'
    Member member;
};
constexpr std::array settings{Setting{"global_batch_size", &TrainingLog::global_batch}, Setting{"train_global_batch_size", &TrainingLog::global_batch}, Setting{"train_batch_size", &TrainingLog::global_batch},
    Setting{"micro_batch_size", &TrainingLog::micro_batch}, Setting{"train_micro_batch_size_per_gpu", &TrainingLog::micro_batch}, Setting{"seq_length", &TrainingLog::sequence_length},
    Setting{"max_sequence_length", &TrainingLog::sequence_length}, Setting{"encoder_seq_length", &TrainingLog::sequence_length}, Setting{"seq_len", &TrainingLog::sequence_length}, Setting{"max_seq_len", &TrainingLog::sequence_length},
    Setting{"sequence_length", &TrainingLog::sequence_length}, Setting{"max_target_length", &TrainingLog::sequence_length}, Setting{"world_size", &TrainingLog::gpus}, Setting{"number_of_ranks", &TrainingLog::gpus},
    Setting{"tensor_model_parallel_size", &TrainingLog::tp}, Setting{"pipeline_model_parallel_size", &TrainingLog::pp}, Setting{"context_parallel_size", &TrainingLog::cp}, Setting{"data_parallel_size", &TrainingLog::dp},
    Setting{"expert_model_parallel_size", &TrainingLog::ep}, Setting{"expert_parallel_size", &TrainingLog::ep}};

std::string settings_name(std::string_view name)
{
    name = trimmed(name);
    if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) // "cfg/data/seq_length"
        name.remove_prefix(slash + 1);
    for (const std::string_view word : {"using ", "> "})
        if (name.starts_with(word))
            name.remove_prefix(word.size());
    std::string out;
    for (const char c : name)
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c == '-' || c == ' ' ? '_' : c;
    return out;
}

double median_of(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    const std::size_t n = v.size();
    return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

struct Spans {
    std::vector<double> least, most; // ms
};

// "    forward-backward ....: (123.4, 125.6)" and "    optimizer ....: 12.3"
bool timer_row(std::string_view line, std::map<std::string, Spans>& timers)
{
    const std::size_t dots = line.find(" ..");
    const std::size_t colon = line.find(':', dots == std::string_view::npos ? 0 : dots);
    if (dots == std::string_view::npos || colon == std::string_view::npos)
        return false;
    std::string_view value = trimmed(line.substr(colon + 1));
    const bool pair = value.starts_with('(');
    if (pair)
        value.remove_prefix(1);
    std::string_view rest;
    const auto least = leading_number(value, rest);
    if (!least || !(*least >= 0))
        return false;
    double most = *least;
    if (pair) {
        const auto second = rest.starts_with(',') ? leading_number(trimmed(rest.substr(1)), rest) : std::nullopt;
        if (!second || !(*second >= 0))
            return false;
        most = *second;
    }
    Spans& s = timers[std::string(trimmed(line.substr(0, dots)))];
    s.least.push_back(*least);
    s.most.push_back(most);
    return true;
}

// torchtitan: "Trainer is initialized with local batch size 8, global batch size 64, gradient accumulation steps 1, sequence length 2048, ...".
void titan_batch(std::string_view line, TrainingLog& log)
{
    for (const auto& [words, name] : {std::pair<std::string_view, std::string_view>{"local batch size ", "micro_batch_size"}, {"global batch size ", "global_batch_size"}, {"sequence length ", "seq_length"}}) {
        const std::size_t at = line.find(words);
        std::string_view rest;
        if (at != std::string_view::npos)
            if (const auto v = leading_number(line.substr(at + words.size()), rest))
                put_setting(log, name, *v);
    }
}

// torchtitan: "... device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=1, ep=1", and before late 2025
// "Building 2-D device mesh with ['dp_shard', 'tp'], [2, 4]". Experts lie within the shards: they are no GPUs of their own.
void titan_mesh(std::string_view line, TrainingLog& log)
{
    std::map<std::string, double, std::less<>> sizes;
    std::string_view rest = line.substr(line.find("mesh with") + 9);
    if (rest.find('=') != std::string_view::npos) {
        for (const NamedNumber& f : named_numbers(rest))
            sizes.emplace(std::string(f.name), f.value);
    } else {
        std::vector<std::string_view> names;
        const std::size_t lists = rest.find("], [") != std::string_view::npos ? rest.find("], [") : rest.find("), [");
        std::string_view left = rest.substr(0, lists);
        for (std::size_t open = left.find('\''); open != std::string_view::npos && names.size() < 16; open = left.find('\'')) {
            left.remove_prefix(open + 1);
            const std::size_t close = left.find('\'');
            names.push_back(left.substr(0, close));
            left.remove_prefix(close == std::string_view::npos ? left.size() : close + 1);
        }
        rest = lists == std::string_view::npos ? std::string_view() : rest.substr(lists + 4);
        for (const std::string_view name : names)
            if (const auto v = leading_number(trimmed(rest), rest); v && (rest.starts_with(',') || rest.starts_with(']'))) {
                sizes.emplace(std::string(name), *v);
                rest.remove_prefix(1);
            }
    }
    const auto size = [&](std::string_view name) { const auto at = sizes.find(name); return at == sizes.end() || !(at->second >= 1) ? 1.0 : at->second; };
    const double dp = size("dp") * size("dp_replicate") * size("dp_shard") * size("dp_shard_mod_ep") * size("dp_shard_in_ep");
    if (sizes.empty())
        return;
    put_setting(log, "data_parallel_size", dp);
    put_setting(log, "world_size", dp * size("tp") * size("pp") * size("cp"));
    for (const auto& [axis, name] : {std::pair<std::string_view, std::string_view>{"tp", "tensor_model_parallel_size"}, {"pp", "pipeline_model_parallel_size"}, {"cp", "context_parallel_size"}, {"ep", "expert_parallel_size"}})
        if (sizes.contains(axis))
            put_setting(log, name, size(axis));
}

} // namespace

bool put_setting(TrainingLog& log, std::string_view name, double value)
{
    if (!(value >= 1 && value <= 2e9) || value != std::floor(value) || name.size() > 100)
        return false;
    const std::string key = settings_name(name);
    for (const Setting& s : settings)
        if (key == s.name) {
            if (!(log.*s.member))
                log.*s.member = static_cast<int>(value);
            return true;
        }
    return false;
}

void read_settings(std::string_view text, TrainingLog& log)
{
    constexpr std::size_t preamble = std::size_t{4} << 20; // sizes are stated at the start
    LogLines lines(text.substr(0, preamble));
    LogLine line;
    while (lines.next(line)) {
        const std::string_view t = line.text;
        const std::size_t dots = t.find(" ...");
        // Behind what a logger puts in front: "[2023-07-05 10:39:54,260] [INFO] [config.py:964:print]   train_batch_size ............. 32".
        const std::size_t bracket = dots == std::string_view::npos ? dots : t.rfind("] ", dots);
        const std::string_view named = dots == std::string_view::npos ? std::string_view() : t.substr(bracket == std::string_view::npos ? 0 : bracket + 2);
        if (dots != std::string_view::npos && named.find(':') == std::string_view::npos) {
            const std::size_t after = t.find_first_not_of('.', dots + 1);
            std::string_view rest;
            if (after != std::string_view::npos)
                if (const auto v = leading_number(trimmed(t.substr(after)), rest); v && trimmed(rest).empty())
                    put_setting(log, named.substr(0, named.find(" ...")), *v);
        } else if (t.find("Trainer is initialized with") != std::string_view::npos) {
            titan_batch(t, log);
        } else if (t.find("device mesh with") != std::string_view::npos) {
            titan_mesh(t, log);
        } else if (t.find("world size:") != std::string_view::npos || t.find("orld_size") != std::string_view::npos || t.find("parallel size") != std::string_view::npos) {
            for (const NamedNumber& f : named_numbers(t))
                put_setting(log, f.name, f.value);
        }
    }
}

std::vector<TrainingTimer> read_timers(std::string_view text)
{
    std::map<std::string, Spans> timers;
    LogLines lines(text);
    LogLine line;
    bool table = false;
    if (text.find("time (ms)") == std::string_view::npos && text.find("across ranks (ms)") == std::string_view::npos)
        return {};
    while (timers.size() < 1000 && lines.next(line)) {
        if (line.text.find("across ranks (ms)") != std::string::npos) {
            table = true;
        } else if (table && timer_row(line.text, timers)) {
            continue;
        } else if (const std::size_t at = line.text.find("time (ms)"); at != std::string::npos && line.text.find('|', at) != std::string::npos) {
            for (const NamedNumber& f : named_numbers(std::string_view(line.text).substr(line.text.find('|', at))))
                if (f.value >= 0 && f.name.size() < 100) {
                    timers[std::string(f.name)].least.push_back(f.value);
                    timers[std::string(f.name)].most.push_back(f.value);
                }
        } else if (table && !trimmed(line.text).empty()) {
            table = false;
        }
    }
    std::vector<TrainingTimer> out;
    for (auto& [name, spans] : timers)
        out.push_back({name, static_cast<std::int64_t>(spans.least.size()), milliseconds(median_of(spans.least)), milliseconds(median_of(spans.most))});
    return out;
}

} // namespace ridgepoint
