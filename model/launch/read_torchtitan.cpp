// A TOML of torchtitan -> plan.

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "model/launch/given.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

void parallelism(ReadState& s)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    l.tp = g.whole("parallelism.tensor_parallel_degree", 1);
    l.pp = g.whole("parallelism.pipeline_parallel_degree", 1);
    l.cp = g.whole("parallelism.context_parallel_degree", 1);
    l.ep = g.whole("parallelism.expert_parallel_degree", 1);
    l.context_kind = g.text("parallelism.context_parallel_rotate_method", "allgather") == "allgather" ? ContextParallelKind::all_gather : ContextParallelKind::ring;
    l.overlap_tp = g.truth("parallelism.enable_async_tensor_parallel", false);
    const int copies = g.whole("parallelism.data_parallel_replicate_degree", 1);
    const int shard = g.whole("parallelism.data_parallel_shard_degree", -1, -1);
    const bool keeps = g.text("parallelism.fsdp_reshard_after_forward", "default") == "never";
    // FSDP shards over the shard degree times cp; copies of that are HSDP.
    const long long group = static_cast<long long>(std::max(shard, 1)) * l.cp;
    l.sharding = shard == 1 && l.cp == 1 ? DataSharding::none : keeps ? DataSharding::zero2 : DataSharding::zero3;
    if (copies > 1 && group > 1) {
        l.sharding = DataSharding::hsdp;
        l.shard_group = static_cast<int>(std::min(1'000'000LL, group));
    }
    if (shard > 0 && s.gpus == 0)
        s.gpus = static_cast<int>(std::min(1'000'000LL, static_cast<long long>(l.tp) * l.pp * l.cp * copies * shard));
}

// `layers` of the network, to count chunks.
void pipeline(ReadState& s, int layers)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    const std::string name = g.text("parallelism.pipeline_parallel_schedule", "1F1B");
    l.schedule = name == "GPipe" ? PipelineSchedule::gpipe : name == "Interleaved1F1B" ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
    if (l.pp > 1 && (name == "InterleavedZeroBubble" || name == "ZBVZeroBubble" || name == "LoopedBFS")) {
        l.schedule = PipelineSchedule::interleaved;
        s.notes.push_back(fmt::format("{} is read as interleaved 1F1B", name));
    }
    if (l.pp == 1 || l.schedule != PipelineSchedule::interleaved)
        return;
    const int held = g.whole("parallelism.pipeline_parallel_layers_per_stage", 0, 0);
    l.vpp = held > 0 && layers > 0 ? std::max(1, (layers + held * l.pp - 1) / (held * l.pp)) : 2; // looped schedules have two stages a rank where nothing is said
}

void recomputation(ReadState& s)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    const std::string mode = g.text("activation_checkpoint.mode", "selective");
    const std::string option = g.text("activation_checkpoint.selective_ac_option", "2");
    if (mode == "full") {
        l.recompute = Recompute::full;
    } else if (mode == "selective" && option == "op") {
        l.recompute = Recompute::selective;
    } else if (mode == "selective") {
        int every = 0;
        const auto [end, ec] = std::from_chars(option.data(), option.data() + option.size(), every);
        if (ec != std::errc() || end != option.data() + option.size() || every < 1)
            return g.fail("activation_checkpoint.selective_ac_option", "neither a number nor op", option.substr(0, 40));
        l.recompute = Recompute::full;
        l.recompute_share = 1.0 / every;
    }
}

} // namespace

Status read_torchtitan(ReadState& s, const FlagTable& table, const std::string& model)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    s.plan.assumptions.framework = Framework::fsdp;
    s.plan.assumptions.compiled = g.truth("training.compile", false);
    if (const std::string name = g.text("job.description"); !name.empty())
        s.plan.name = name.substr(0, 200);
    s.plan.model = model;
    const std::string flavor = g.text("model.flavor");
    for (const auto& [id, names] : table.flavors)
        if (s.plan.model.empty() && names.first == g.text("model.name") && names.second == flavor)
            s.plan.model = id;
    if (s.plan.model.empty() && s.specs.contains(SpecKind::model, flavor))
        s.plan.model = flavor;
    if (s.plan.model.empty())
        g.fail("model.flavor", "no known model has this name and flavor", g.text("model.name") + " " + flavor, "name the model with --model");
    parallelism(s);
    const Expected<Transformer> known = read_transformer(s.specs, s.plan.model);
    const int layers = known ? known->layer_count() : 0;
    pipeline(s, layers);
    recomputation(s);
    Training t;
    t.sequence_length = g.whole("training.seq_len", 2048); // defaults of job_config.py
    const int local = g.whole("training.local_batch_size", 8);
    const long long ranks = std::max(1, s.gpus) / std::max(1LL, static_cast<long long>(l.tp) * l.pp * l.cp);
    const int global = g.whole("training.global_batch_size", -1, -1);
    t.global_batch = global > 0 ? global : static_cast<int>(std::min(10'000'000LL, std::max(1LL, ranks) * local));
    l.micro_batch = l.pp > 1 ? g.whole("parallelism.pipeline_parallel_microbatch_size", 1) : local;
    if (g.has("training.steps"))
        t.tokens = Tokens{static_cast<double>(g.whole("training.steps", 1)) * t.global_batch * t.sequence_length};
    t.kind = g.has("checkpoint.initial_load_path") ? TrainingKind::fine_tuning : TrainingKind::pretraining;
    s.plan.workload = t;
    const std::vector<std::string> converters = g.texts("model.converters");
    if (std::ranges::find(converters, "float8") != converters.end()) {
        s.plan.precision.recipe = "fp8";
        if (g.text("float8.recipe_name", "tensorwise") != "tensorwise")
            s.notes.push_back("FP8 with a scale per row is read as FP8 with one scale per tensor");
    }
    if (std::ranges::find(converters, "mx") != converters.end())
        s.plan.precision.recipe = "mxfp8";
    return g.error() ? Status(*g.error()) : Status(Done{});
}

} // namespace ridgepoint
