// Published training runs: each row becomes a plan, is resolved and estimated like any other.

#include "model/calibration/training_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/calibration/memory_measure.h"
#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/hardware/read.h"
#include "model/project/resolve.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

std::string precision_recipe(std::string_view text)
{
    if (contains_word(text, "nvfp4"))
        return "nvfp4";
    if (contains_word(text, "mxfp8"))
        return "mxfp8";
    if (contains_word(text, "fp8") || contains_word(text, "float8"))
        return "fp8";
    return "bf16";
}

// The sources' words. Where a source does not say, `stated` is false and the row is predicted as a band.
struct RecomputeChoice {
    Recompute policy = Recompute::none;
    double share = 1.0;
    bool stated = true;
};

Recompute recomputed_module(std::string_view list)
{
    if (contains_word(list, "mla_up_proj"))
        return Recompute::latent_up;
    if (contains_word(list, "layernorm") || contains_word(list, "moe_act"))
        return Recompute::norm_activation;
    return contains_word(list, "mlp") || contains_word(list, "moe") ? Recompute::mlp : Recompute::selective;
}

RecomputeChoice recompute_choice(std::string_view t)
{
    if (t.empty() || contains_word(t, "not stated"))
        return {Recompute::none, 1.0, contains_word(t, "recipes: none")};
    if (t.starts_with("full"))
        return {Recompute::full, 1.0, true};
    if (t.starts_with("selective:")) // Megatron's list of modules; of several the one that saves most
        return {recomputed_module(t), 1.0, true};
    if (contains_word(t, "SAVE_DOT_ONLY") || contains_word(t, "save_qkv"))
        return {Recompute::norm_activation, 1.0, true};
    if (t.starts_with("selective AC")) // torchtitan runs every second matrix product again
        return {Recompute::full, 0.5, true};
    if (t.starts_with("selective"))
        return {Recompute::selective, 1.0, true};
    return {};
}

void choose_sharding(std::string_view text, Layout& l)
{
    if (contains_word(text, "none")) {
        l.sharding = DataSharding::none;
        return;
    }
    if (!contains_word(text, "FSDP") && !contains_word(text, "ZeRO-3") && !contains_word(text, "HSDP")) {
        l.sharding = DataSharding::zero1;
        return;
    }
    l.sharding = DataSharding::zero3;
    const auto digit = text.find_first_of("0123456789", text.find("shard"));
    const int group = digit == std::string_view::npos || text.find("shard") == std::string_view::npos
        ? 0
        : std::atoi(std::string(text.substr(digit)).c_str());
    if (contains_word(text, "HSDP") || contains_word(text, "FSDP+DP") || (group > 0 && group < l.dp)) {
        l.sharding = DataSharding::hsdp;
        l.shard_group = group > 3 ? group : 0;
    }
}

int whole_or(const CsvRow& row, std::string_view column, int fallback)
{
    const double v = row.number(column);
    return std::isnan(v) ? fallback : static_cast<int>(std::lround(v));
}

// NVIDIA's own recipes for NeMo and Megatron-Bridge.
bool vendor_recipe(const CsvRow& row)
{
    const std::string_view source = row.text("source_family");
    const std::string_view framework = row.text("framework");
    const bool vendor = source == "megatron-bridge" || source == "nemo-docs" || source == "dgxc-benchmarking" || contains_word(framework, "via dgxc-benchmarking");
    return vendor && contains_word(framework, "nemo") + contains_word(framework, "megatron") > 0;
}

// NVIDIA's own dense recipes overlap tensor-parallel traffic (Transformer Engine user buffers, bf16 and FP8) where their
// tables do not say otherwise [NeMo and Megatron-Bridge performance recipes: tp_comm_overlap].
bool overlaps_tensor_traffic(const CsvRow& row)
{
    return vendor_recipe(row) && !row.has("n_experts")
        && !contains_word(row.text("precision"), "nvfp4") && !contains_word(row.text("overlap_notes"), "tp_comm_overlap=False");
}

Layout layout_of(const CsvRow& row)
{
    Layout l;
    l.tp = whole_or(row, "tp", 1);
    l.pp = whole_or(row, "pp", 1);
    l.vpp = whole_or(row, "vpp", 1);
    l.cp = whole_or(row, "cp", 1);
    l.ep = whole_or(row, "ep", 1);
    l.etp = whole_or(row, "etp", 1);
    l.dp = whole_or(row, "dp", 0);
    l.micro_batch = whole_or(row, "mbs", 1);
    l.sequence_parallel = row.text("sp") != "0" && l.tp > 1;
    if (l.vpp > 1)
        l.schedule = PipelineSchedule::interleaved;
    choose_sharding(row.text("dp_sharding"), l);
    const RecomputeChoice again = recompute_choice(row.text("recompute"));
    l.recompute = again.policy;
    l.recompute_share = again.share;

    const std::string_view o = row.text("overlap_notes");
    l.overlap_tp = overlaps_tensor_traffic(row) || contains_word(o, "tp_comm_overlap=True") || contains_word(o, "TP_COMM_OVERLAP=1") || contains_word(o, "tp_comm_overlap(") || contains_word(o, "async TP");
    // Megatron-LM overlaps gradients and parameters only where its flags ask for it; NeMo, Bridge and FSDP do by default.
    const std::string_view framework = row.text("framework");
    const bool asks = framework.starts_with("Megatron-LM") || framework.starts_with("Megatron-DeepSpeed");
    l.overlap_grad_reduce = asks ? contains_word(o, "overlap grad reduce") : !contains_word(o, "OVERLAP_GRAD_REDUCE=False");
    l.overlap_param_gather = asks ? contains_word(o, "param gather") : !contains_word(o, "OVERLAP_PARAM_GATHER=False");
    l.overlap_moe = contains_word(o, "moe_a2a_overlap=True") || contains_word(o, "a2a overlap=on");
    l.expert_dispatch_rdma = contains_word(o, "hybridep") || contains_word(o, "deepep") || contains_word(o, "UCCL");
    l.fused_attention = !contains_word(o, "no flash attention");
    // Graphs of single modules leave the host to route and launch the rest.
    l.cuda_graphs = contains_word(o, "cuda_graph_impl=full_iteration") || contains_word(o, "MCORE_CUDA_GRAPH=1") || contains_word(o, "LAYER_CUDA_GRAPH=1")
        || contains_word(o, "cuda_graphs=True");
    l.fused_loss = contains_word(o, "cross-entropy fusion on") || contains_word(framework, "llm-foundry"); // its default loss_fn
    if (contains_word(o, "CP = a2a"))
        l.context_kind = ContextParallelKind::ulysses;
    return l;
}

std::string instance_of(const CsvRow& row)
{
    const std::string_view system = row.text("system");
    for (const char* aws : {"p6-b300.48xlarge", "p6-b200.48xlarge", "p5en.48xlarge", "p5e.48xlarge", "p5.48xlarge", "p4de.24xlarge", "p4d.24xlarge"})
        if (contains_word(system, aws))
            return aws;
    if (contains_word(system, "A100-40GB"))
        return "p4d.24xlarge";
    return generic_instance(row.text("gpu"));
}

Expected<Transformer> model_of(const CsvRow& row, const SpecStore& specs)
{
    const std::string_view family = row.text("model_family");
    if (contains_word(family, "hybrid") || contains_word(family, "qwen3.6"))
        return bad_input("hybrid state-space or linear-attention layers are not modelled");
    const std::string id = find_model_spec(specs, row.text("model"));
    if (!id.empty()) {
        Expected<Transformer> m = read_transformer(specs, id);
        if (!m)
            return m.error();
        const double hidden = row.number("hidden");
        if (std::isnan(hidden) || static_cast<int>(hidden) == m->hidden)
            return truncated_proxy(std::move(*m), whole_or(row, "layers", m->layer_count()), row.number("params_total_b"));
    }
    if (std::optional<Transformer> m = dense_from_row(row))
        return std::move(*m);
    return bad_input("the architecture is neither in the catalogue nor fully in the row");
}

} // namespace

Expected<Job> job_of_training_row(const CsvRow& row, const SpecStore& specs)
{
    Expected<Transformer> model = model_of(row, specs);
    if (!model)
        return model.error();
    Plan plan;
    plan.instance = instance_of(row);
    if (plan.instance.empty())
        return bad_input("the GPU is not in the catalogue");
    const int gpus = whole_or(row, "n_gpus", 0);
    Expected<Cluster> one = build_cluster(specs, plan.instance, 1, 0);
    if (!one)
        return one.error();
    const int per_node = one->node.accelerators;
    plan.gpus = gpus;
    plan.nodes = std::max(1, (gpus + per_node - 1) / per_node);
    plan.layout = layout_of(row);
    if (plan.layout.sharding == DataSharding::zero3 || plan.layout.sharding == DataSharding::hsdp)
        plan.assumptions.framework = Framework::fsdp;
    else if (contains_word(row.text("framework"), "DeepSpeed")) {
        plan.assumptions.framework = Framework::deepspeed;
        plan.assumptions.runtime_reserve = deepspeed_reserve;
    }
    // llm-foundry ran PyTorch eagerly; PaxML and MaxText shard like FSDP, and what XLA fuses is no better.
    plan.assumptions.compiled = !contains_word(row.text("framework"), "llm-foundry") && !contains_word(row.text("framework"), "JAX");
    // Token-drop routing has fixed shapes, so that the host need not wait for the router.
    if (contains_word(row.text("notes"), "token-drop"))
        plan.assumptions.host_per_moe_layer = Seconds{};
    plan.precision.recipe = precision_recipe(row.text("precision"));
    if (vendor_recipe(row)) // grad_reduce_in_fp32=False in NVIDIA's performance recipes
        plan.precision.gradients = NumberFormat::bf16;
    Training t;
    t.sequence_length = whole_or(row, "seq_len", 0);
    t.global_batch = whole_or(row, "gbs", 0);
    const std::string_view task = row.text("task");
    t.kind = task == "lora" ? TrainingKind::lora : task == "sft" ? TrainingKind::fine_tuning : TrainingKind::pretraining;
    t.dropout = plan.assumptions.framework == Framework::deepspeed; // Megatron's default of 2022, which the scripts leave
    plan.workload = t;
    if (t.sequence_length <= 0 || t.global_batch <= 0 || gpus <= 0)
        return bad_input("sequence length, global batch or GPU count is not stated");
    plan.model = specs.ids(SpecKind::model).front(); // replaced below by the row's own architecture
    Expected<Job> job = resolve(plan, specs);
    if (!job)
        return job.error();
    job->model = std::move(*model);
    if (const auto rate = stated_network_per_node(row.text("interconnect"), per_node); rate && job->cluster.node.nics > 0)
        job->cluster.node.nic_rate = *rate / static_cast<double>(job->cluster.node.nics);
    return job;
}

std::optional<Seconds> measured_step(const CsvRow& row, const Job& job)
{
    double seconds = row.number("step_time_s");
    if (std::isnan(seconds)) {
        const auto& t = std::get<Training>(job.workload);
        seconds = static_cast<double>(t.global_batch) * t.sequence_length / (row.number("tokens_per_s_per_gpu") * job.cluster.gpus);
    }
    if (std::isnan(seconds) || seconds <= 0)
        return std::nullopt;
    return Seconds{seconds};
}

namespace {

class TrainingPredictor : public RowPredictor {
public:
    explicit TrainingPredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "training"; }
    std::vector<std::string> quantities() const override { return {"step_time_s", "mem_gib"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        Expected<Job> job = job_of_training_row(row, m_specs);
        if (!job) {
            out.not_expressed = job.error().message;
            return out;
        }
        Expected<Estimate> e = estimate(*job);
        if (!e) {
            const std::string& at = e.error().place.pointer;
            out.not_expressed = fmt::format("the layout is not legal in the model{}", at.empty() ? "" : " (" + at + ")");
            return out;
        }
        const std::map<std::string, std::string> strata = {{"gpu", std::string(row.text("gpu"))}, {"family", std::string(row.text("model_family"))},
            {"precision", precision_recipe(row.text("precision"))}, {"source", std::string(row.text("source_family"))},
            {"architecture", job->model.is_moe() ? "moe" : "dense"}, {"nodes", job->cluster.nodes > 1 ? "many" : "one"},
            {"framework", training_style(row.text("framework"), job->layout)}};
        add_step(row, *job, *e, strata, out);
        const double memory = row.number("mem_gib");
        if (!std::isnan(memory) && memory > 0)
            out.predictions.push_back(predicted_memory(row, *job, *e, memory, strata));
        return out;
    }

private:
    void add_step(const CsvRow& row, const Job& job, const Estimate& e, const std::map<std::string, std::string>& strata, RowOutcome& out) const
    {
        const std::optional<Seconds> measured = measured_step(row, job);
        if (!measured)
            return;
        Prediction p{"step_time_s", measured->value(), e.training->step.value(), 0, 0, strata};
        p.low = p.high = p.predicted;
        if (!recompute_choice(row.text("recompute")).stated) {
            Job full = job;
            full.layout.recompute = Recompute::full;
            if (Expected<Estimate> slower = estimate(full))
                p.high = slower->training->step.value();
        }
        p.group = joined({row.text("model"), row.text("n_gpus")});
        state_interval(p, e);
        out.predictions.push_back(std::move(p));
    }

    const SpecStore& m_specs;
};

} // namespace

std::unique_ptr<RowPredictor> make_training_predictor(const SpecStore& specs) { return std::make_unique<TrainingPredictor>(specs); }

} // namespace ridgepoint
