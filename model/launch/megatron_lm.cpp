// Training in the words of Megatron-LM's pretrain_gpt.py.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/launch/context.h"

namespace ridgepoint {
namespace {

class Writer {
public:
    explicit Writer(const LaunchContext& c)
        : m_plan(c.plan)
        , m_model(c.job.model)
        , m_layout(c.job.layout)
        , m_training(std::get<Training>(c.job.workload))
        , m_context(c)
        , m_sharding(sharding_of(c.job))
    {
    }

    Arguments run()
    {
        m_out = megatron_model_arguments(m_model, m_layout.tp);
        m_fsdp = wants_fsdp();
        sizes();
        degrees();
        pipeline();
        sharding();
        overlaps();
        recomputation();
        precision();
        kernels();
        data();
        return std::move(m_out);
    }

private:
    // Megatron FSDP has no pipeline schedule of its own: with stages, only the distributed optimizer shards.
    bool wants_fsdp()
    {
        if (m_sharding < DataSharding::zero2)
            return false;
        if (m_layout.pp == 1)
            return true;
        m_out.lacks("/layout/sharding", "gradients or weights sharded (ZeRO-2, ZeRO-3, HSDP) together with a pipeline",
            "the distributed optimizer (ZeRO-1): gradients and weights are whole on every rank, which needs more memory than planned");
        return false;
    }

    void sizes()
    {
        m_out.value("--seq-length", m_training.sequence_length);
        m_out.value("--max-position-embeddings", std::max(m_training.sequence_length, m_model.learned_positions));
        m_out.value("--micro-batch-size", m_layout.micro_batch);
        m_out.value("--global-batch-size", m_training.global_batch);
        if (const long long steps = m_context.steps(); steps > 0)
            m_out.value("--train-iters", steps);
        else
            m_out.variable("--train-iters", "TRAIN_STEPS");
        const double dropout = m_training.dropout ? 0.1 : 0.0; // 0.1: GPT-3 era models, and Megatron-LM's default
        m_out.value("--attention-dropout", dropout);
        m_out.value("--hidden-dropout", dropout);
        if (!m_training.causal)
            m_out.lacks("/workload/causal", "attention to all tokens", "causal attention of a GPT");
    }

    void degrees()
    {
        m_out.value("--tensor-model-parallel-size", m_layout.tp);
        m_out.value("--pipeline-model-parallel-size", m_layout.pp);
        m_out.value("--context-parallel-size", m_layout.cp);
        if (m_layout.cp > 1)
            m_out.values("--cp-comm-type",
                {m_layout.context_kind == ContextParallelKind::ring ? "p2p" : m_layout.context_kind == ContextParallelKind::ulysses ? "a2a" : "allgather"});
        m_out.flag("--sequence-parallel", m_layout.tp > 1 && m_layout.sequence_parallel);
        if (!m_model.is_moe())
            return;
        m_out.value("--expert-model-parallel-size", m_layout.ep);
        m_out.value("--expert-tensor-parallel-size", m_layout.etp); // tp where absent
        m_out.value("--moe-token-dispatcher-type", m_layout.expert_dispatch_rdma ? "flex" : "alltoall");
        m_out.flag("--moe-enable-deepep", m_layout.expert_dispatch_rdma);
        if (m_layout.tp > 1 && !m_layout.sequence_parallel)
            m_out.lacks("/layout/sequence_parallel", "experts with tensor but without sequence parallelism", "as planned; Megatron-LM refuses it in training: set sequence_parallel");
    }

    void pipeline()
    {
        const bool even = m_model.layer_count() % (m_layout.pp * m_layout.vpp) == 0 && m_model.mtp_depth == 0;
        if (even && m_layout.vpp > 1)
            m_out.value("--num-layers-per-virtual-pipeline-stage", m_model.layer_count() / (m_layout.pp * m_layout.vpp));
        else if (!even && m_layout.pp > 1)
            m_out.value("--pipeline-model-parallel-layout", stage_layout());
        const char* instead = m_layout.vpp > 1 ? "interleaved 1F1B" : "1F1B";
        switch (m_layout.schedule) {
        case PipelineSchedule::one_f_one_b:
            break;
        case PipelineSchedule::interleaved:
            m_out.flag("--no-overlap-p2p-communication", m_layout.vpp > 1 && !m_layout.overlap_p2p);
            break;
        case PipelineSchedule::gpipe:
            m_out.lacks("/layout/schedule", "GPipe", instead);
            break;
        case PipelineSchedule::zero_bubble:
            m_out.lacks("/layout/schedule", "the zero-bubble schedule", instead);
            break;
        case PipelineSchedule::dualpipe:
            m_out.lacks("/layout/schedule", "DualPipe", fmt::format("{}, with a larger bubble than planned", instead));
            break;
        }
    }

    // E embedding, t layer, m multi-token prediction, L loss; stages between bars, chunk after chunk.
    std::string stage_layout()
    {
        std::string out = "E";
        const std::vector<int> chunks = layers_of_chunks(m_model, m_layout);
        for (std::size_t i = 0; i < chunks.size(); ++i) {
            if (i > 0)
                out += "|";
            if (chunks[i] > 0)
                out += chunks[i] == 1 ? std::string("t") : fmt::format("t*{}", chunks[i]);
        }
        return out + std::string(static_cast<std::size_t>(m_model.mtp_depth), 'm') + "L";
    }

    void sharding()
    {
        if (m_sharding == DataSharding::none)
            return;
        m_out.flag("--use-distributed-optimizer");
        if (!m_fsdp)
            return;
        m_out.flag("--use-megatron-fsdp");
        m_out.value("--data-parallel-sharding-strategy", m_sharding == DataSharding::zero2 ? "optim_grads" : "optim_grads_params");
        m_out.flag("--no-gradient-accumulation-fusion"); // Megatron FSDP keeps no gradient buffer to accumulate into
        m_out.flag("--init-model-with-meta-device", m_sharding != DataSharding::zero2);
        if (m_sharding != DataSharding::hsdp)
            return;
        const int ranks = m_layout.dp * m_layout.cp;
        const int group = shard_group_of(m_context.job);
        if (ranks % group == 0)
            m_out.value("--num-distributed-optimizer-instances", ranks / group);
        else
            m_out.lacks("/layout/shard_group", "a shard group that does not divide the ranks", "one group of all ranks");
    }

    void overlaps()
    {
        const bool sharded = m_sharding != DataSharding::none;
        m_out.flag("--overlap-grad-reduce", m_layout.overlap_grad_reduce);
        m_out.flag("--overlap-param-gather", sharded && m_layout.overlap_param_gather && m_layout.overlap_grad_reduce);
        if (sharded && m_layout.overlap_param_gather && !m_layout.overlap_grad_reduce)
            m_out.lacks("/layout/overlap_param_gather", "gathered weights hidden while gradients are not", "neither is hidden");
        if (m_layout.overlap_tp && m_layout.tp > 1) {
            if (m_layout.sequence_parallel)
                m_out.flag("--tp-comm-overlap");
            else
                m_out.lacks("/layout/overlap_tp", "hidden tensor-parallel communication without sequence parallelism", "not hidden");
        }
        if (!m_layout.overlap_moe || !m_model.is_moe())
            return;
        if (m_layout.ep > 1 && (m_layout.pp == 1 || m_layout.vpp > 1) && m_layout.recompute != Recompute::full)
            m_out.flag("--overlap-moe-expert-parallel-comm");
        else
            m_out.lacks("/layout/overlap_moe", "a hidden expert exchange without ep, with a pipeline that is not interleaved, or with full recomputation", "not hidden");
    }

    void recomputation()
    {
        const Recompute kind = m_layout.recompute;
        const double share = m_layout.recompute_share;
        if (kind == Recompute::none || share <= 0.0)
            return;
        if (kind == Recompute::full) {
            full(share);
            return;
        }
        m_out.value("--recompute-granularity", "selective");
        std::vector<std::string> modules;
        if (kind == Recompute::selective || kind == Recompute::attention)
            modules = {"core_attn"};
        else if (kind == Recompute::mlp)
            modules = m_model.is_moe() ? std::vector<std::string>{"mlp", "moe"} : std::vector<std::string>{"mlp"};
        else if (kind == Recompute::norm_activation)
            modules = m_model.is_moe() ? std::vector<std::string>{"layernorm", "moe_act"} : std::vector<std::string>{"layernorm"};
        else
            modules = {"mla_up_proj"};
        m_out.values("--recompute-modules", std::move(modules));
        if (kind == Recompute::attention)
            m_out.lacks("/layout/recompute", "recomputation of the whole attention block", "of the core attention alone");
        if (kind == Recompute::norm_activation && !m_model.is_moe())
            m_out.lacks("/layout/recompute", "recomputation of the activation of a dense MLP", "of the norms alone");
        if (share < 1.0)
            m_out.lacks("/layout/recompute_share", "selective recomputation in some layers", "in all layers");
    }

    // "block" counts the layers of a stage, or of a chunk where stages hold several.
    void full(double share)
    {
        m_out.value("--recompute-granularity", "full");
        if (share >= 1.0) {
            m_out.value("--recompute-method", "uniform");
            m_out.value("--recompute-num-layers", 1);
            return;
        }
        const double held = static_cast<double>(m_model.layer_count()) / (m_layout.pp * m_layout.vpp);
        const int layers = std::max(1, static_cast<int>(std::lround(share * held)));
        m_out.value("--recompute-method", "block");
        m_out.value("--recompute-num-layers", layers);
        if (std::abs(layers - share * held) > 1e-6)
            m_out.lacks("/layout/recompute_share", fmt::format("{:.4g} layers of a stage or chunk", share * held), fmt::format("{}", layers));
    }

    void precision()
    {
        const std::string& recipe = m_plan.precision.recipe;
        m_out.flag(recipe == "fp16" ? "--fp16" : "--bf16");
        if (recipe == "fp8" || recipe == "fp8_block" || recipe == "mxfp8") {
            m_out.value("--fp8-format", recipe == "fp8" ? "hybrid" : "e4m3");
            m_out.value("--fp8-recipe", recipe == "fp8" ? "tensorwise" : recipe == "fp8_block" ? "blockwise" : "mxfp8");
        } else if (recipe == "nvfp4") {
            m_out.value("--fp4-format", "e2m1");
            m_out.value("--fp4-recipe", "nvfp4");
        } else if (recipe == "w4a16") {
            m_out.lacks("/precision/recipe", "frozen weights in 4 bits", "BF16");
        }
        m_out.flag(m_plan.precision.gradients == NumberFormat::bf16 ? "--grad-reduce-in-bf16" : "--accumulate-allreduce-grads-in-fp32");
    }

    void kernels()
    {
        if (!m_layout.fused_attention)
            m_out.value("--attention-backend", "unfused");
        m_out.flag("--cross-entropy-loss-fusion", m_layout.fused_loss);
        if (!m_layout.cuda_graphs)
            return;
        if (m_layout.recompute == Recompute::full) {
            m_out.lacks("/layout/cuda_graphs", "CUDA graphs together with full recomputation", "no graphs");
            return;
        }
        m_out.value("--cuda-graph-impl", "transformer_engine");
        m_out.value("--cuda-graph-scope", m_model.is_moe() ? "attn" : "full"); // routing waits for the host
        m_out.flag("--te-rng-tracker");
    }

    void data()
    {
        if (m_context.checkpoint.empty())
            m_out.variable("--tokenizer-model", "TOKENIZER");
        else
            m_out.value("--tokenizer-model", m_context.checkpoint);
        m_out.value("--tokenizer-type", "HuggingFaceTokenizer");
        m_out.variable("--data-path", "DATA_PATH");
        m_out.variable("--lr", "LEARNING_RATE");
        if (m_training.kind != TrainingKind::pretraining) {
            m_out.flag("--finetune");
            m_out.variable("--load", "CHECKPOINT");
        }
        if (m_training.kind == TrainingKind::lora)
            m_out.lacks("/workload/kind", "LoRA", "all weights are trained: far more memory than planned; Megatron-Bridge has adapters");
        m_out.flag("--log-throughput");
        m_out.value("--log-interval", 1);
    }

    const Plan& m_plan;
    const Transformer& m_model;
    const Layout& m_layout;
    const Training& m_training;
    const LaunchContext& m_context;
    DataSharding m_sharding;
    bool m_fsdp = false;
    Arguments m_out;
};

} // namespace

Arguments megatron_arguments(const LaunchContext& c) { return Writer(c).run(); }

} // namespace ridgepoint
