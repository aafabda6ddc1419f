// The arguments of pretrain_gpt.py -> plan.

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "model/launch/context.h"
#include "model/launch/given.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

constexpr int most_layers = 1000;

// "([0]*3+[1]*58)", "1", "[1,0]*2": small expressions of Python, never evaluated as such. Grammar: term (+ term)*,
// term: ( expr ) | [ digits, ... ], each with an optional *N.
class Pattern {
public:
    Pattern(std::string_view text, int layers)
        : m_text(text)
        , m_layers(layers)
    {
    }

    std::optional<std::vector<bool>> run()
    {
        if (!m_text.empty() && std::isdigit(static_cast<unsigned char>(m_text.front())) != 0) {
            const int every = number();
            std::vector<bool> out;
            for (int i = 0; m_good && every > 0 && i < m_layers; ++i)
                out.push_back(i % every == 0);
            return m_good && every > 0 && m_at == m_text.size() ? std::optional(out) : std::nullopt;
        }
        std::vector<bool> out = sum(0);
        if (!m_good || m_at != m_text.size() || static_cast<int>(out.size()) != m_layers)
            return std::nullopt;
        return out;
    }

private:
    [[nodiscard]] char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    int number()
    {
        int n = 0;
        const std::size_t begin = m_at;
        while (std::isdigit(static_cast<unsigned char>(peek())) != 0 && n < 100'000)
            n = n * 10 + (m_text[m_at++] - '0');
        m_good = m_good && m_at > begin;
        return n;
    }
    std::vector<bool> sum(int depth)
    {
        std::vector<bool> out = term(depth);
        while (m_good && peek() == '+') {
            ++m_at;
            const std::vector<bool> more = term(depth);
            out.insert(out.end(), more.begin(), more.end());
            m_good = m_good && out.size() <= most_layers;
        }
        return out;
    }
    std::vector<bool> term(int depth)
    {
        std::vector<bool> out;
        const char open = peek();
        m_good = m_good && depth < 20 && (open == '(' || open == '[');
        if (!m_good)
            return out;
        ++m_at;
        if (open == '(') {
            out = sum(depth + 1);
        } else {
            for (;;) {
                out.push_back(number() != 0);
                if (!m_good || peek() != ',' || out.size() > most_layers)
                    break;
                ++m_at;
            }
        }
        m_good = m_good && peek() == (open == '(' ? ')' : ']');
        ++m_at;
        if (m_good && peek() == '*') {
            ++m_at;
            const int times = number();
            m_good = m_good && times >= 1 && out.size() * static_cast<std::size_t>(times) <= most_layers;
            const std::vector<bool> once = out;
            for (int i = 1; m_good && i < times; ++i)
                out.insert(out.end(), once.begin(), once.end());
        }
        return out;
    }

    std::string_view m_text;
    int m_layers;
    std::size_t m_at = 0;
    bool m_good = true;
};

// Stages of "Et*3|(tt|)*29,m|L".
std::optional<int> stages_of(std::string_view text)
{
    std::function<std::optional<long long>(std::size_t&, int)> bars = [&](std::size_t& at, int depth) -> std::optional<long long> {
        long long count = 0;
        while (at < text.size() && text[at] != ')') {
            long long one = text[at] == '|' ? 1 : 0;
            if (text[at] == '(') {
                if (depth > 20)
                    return std::nullopt;
                const auto inner = bars(++at, depth + 1);
                if (!inner || at >= text.size())
                    return std::nullopt;
                one = *inner;
            } else if (std::string_view("EtmL|, ").find(text[at]) == std::string_view::npos) {
                return std::nullopt;
            }
            ++at;
            if (at < text.size() && text[at] == '*') {
                long long times = 0;
                for (++at; at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0 && times < 100'000; ++at)
                    times = times * 10 + (text[at] - '0');
                one *= times;
            }
            count += one;
            if (count > 100'000)
                return std::nullopt;
        }
        return count;
    };
    std::size_t at = 0;
    const auto count = bars(at, 0);
    return count && at == text.size() ? std::optional<int>(static_cast<int>(*count) + 1) : std::nullopt;
}

Transformer network(Given& g)
{
    Transformer m;
    m.name = "Network of a Megatron-LM argument list";
    m.family = "custom";
    const int layers = std::min(g.whole("--num-layers", 0), most_layers);
    m.hidden = g.whole("--hidden-size", 0);
    m.vocab = g.whole("--padded-vocab-size", g.whole("--vocab-size", 0));
    LayerKind dense;
    Attention& a = dense.attention;
    a.heads = g.whole("--num-attention-heads", 0);
    for (const auto& [name, value] : {std::pair{"--num-layers", layers}, {"--hidden-size", m.hidden}, {"--vocab-size", m.vocab}, {"--num-attention-heads", a.heads}})
        if (value <= 0)
            g.fail(name, "the option that says the size of the network is missing");
    const int heads = std::max(a.heads, 1);
    if (g.has("--multi-latent-attention")) {
        a.kind = AttentionKind::latent;
        a.kv_heads = a.heads;
        a.q_lora_rank = g.whole("--q-lora-rank", 0);
        a.kv_lora_rank = g.whole("--kv-lora-rank", 32); // defaults of arguments.py
        a.qk_nope_head_dim = g.whole("--qk-head-dim", 128);
        a.qk_rope_head_dim = g.whole("--qk-pos-emb-head-dim", 64);
        a.value_head_dim = g.whole("--v-head-dim", 128);
    } else {
        a.kv_heads = g.has("--group-query-attention") ? g.whole("--num-query-groups", 1) : a.heads;
        a.head_dim = a.value_head_dim = g.whole("--kv-channels", std::max(m.hidden / heads, 1));
        if (a.kv_heads > a.heads)
            g.fail("--num-query-groups", "more key and value heads than heads");
    }
    const bool biases = !g.has("--disable-bias-linear");
    a.qk_norm = g.has("--qk-layernorm");
    a.qkv_bias = biases || g.has("--add-qkv-bias");
    a.output_bias = m.mlp_bias = biases;
    m.gated_mlp = g.has("--swiglu") || g.has("--quick-geglu");
    m.norm = g.text("--normalization", "LayerNorm") == "RMSNorm" ? NormKind::rms : NormKind::layer;
    m.tied_embeddings = !g.has("--untie-embeddings-and-output-weights");
    if (g.text("--position-embedding-type", "learned_absolute") == "learned_absolute")
        m.learned_positions = g.whole("--max-position-embeddings", 0);
    m.mtp_depth = g.whole("--mtp-num-layers", 0, 0);
    dense.ffn_width = g.whole("--ffn-hidden-size", static_cast<int>(std::min(4LL * m.hidden, 100'000'000LL)));
    std::vector<bool> moe(static_cast<std::size_t>(std::max(layers, 0)), false);
    if (const int experts = g.whole("--num-experts", 0, 0); experts > 0) {
        m.moe.experts = experts;
        m.moe.top_k = g.whole("--moe-router-topk", 2);
        m.moe.expert_width = g.whole("--moe-ffn-hidden-size", dense.ffn_width);
        m.moe.shared_width = g.whole("--moe-shared-expert-intermediate-size", 0, 0);
        m.moe.router_bias = g.has("--moe-router-enable-expert-bias");
        m.moe.node_limit = g.whole("--moe-router-group-topk", 0, 0);
        const std::string text = g.text("--moe-layer-freq", "1");
        if (const auto read = Pattern(text, layers).run())
            moe = *read;
        else
            g.fail("--moe-layer-freq", "not a pattern of as many layers as the network has", text.substr(0, 60), fmt::format("N, or ([0]*3+[1]*N) over {} layers", layers));
    }
    LayerKind expert = dense;
    expert.moe = true;
    expert.ffn_width = 0;
    std::vector<LayerKind> all = {dense, expert};
    for (int k = 0; k < 2; ++k)
        if (std::ranges::find(moe, k == 1) != moe.end())
            m.kinds.push_back(all[static_cast<std::size_t>(k)]);
    for (const bool is : moe)
        m.layers.push_back(m.kinds.size() > 1 && is ? 1 : 0);
    return m;
}

// Known models whose arguments are the same; several may be (Llama 3 and 3.1).
std::vector<std::string> same_networks(const Transformer& m, int tp, const SpecStore& specs)
{
    const std::vector<Argument> wanted = megatron_model_arguments(m, tp).items();
    std::vector<std::string> out;
    for (const std::string& id : specs.ids(SpecKind::model))
        if (const Expected<Transformer> known = read_transformer(specs, id); known && known->hidden == m.hidden && megatron_model_arguments(*known, tp).items() == wanted)
            out.push_back(id);
    return out;
}

Status choose_model(ReadState& s, const std::string& model, int tp)
{
    Transformer m = network(s.given);
    if (s.given.error())
        return *s.given.error();
    if (!model.empty()) {
        s.plan.model = model;
        return Done{};
    }
    std::vector<std::string> same = same_networks(m, tp, s.specs);
    if (same.size() > 1) {
        // The tokenizer tells them apart where it is one of a known repository.
        const std::string repository = s.given.text("--tokenizer-model");
        const auto named = [&](const std::string& id) {
            const auto document = s.specs.document(SpecKind::model, id);
            return document && !repository.empty() && (*document)->value("/source/url"_json_pointer, std::string()).ends_with("/" + repository);
        };
        if (const auto it = std::ranges::find_if(same, named); it != same.end())
            same = {*it};
        else
            s.notes.push_back(fmt::format("These dimensions are those of {}; the first is taken, --model names another", fmt::join(same, ", ")));
    }
    if (!same.empty()) {
        s.plan.model = same.front();
        return Done{};
    }
    m.id = fmt::format("megatron-{}x{}", m.layer_count(), m.hidden);
    nlohmann::json spec = to_spec_json(m);
    spec["source"] = {{"title", "a Megatron-LM argument list"}};
    SpecStore trial = s.specs; // the document must pass as one of the catalogue
    if (Status ok = trial.add(SpecKind::model, spec.dump(), s.given.place_of("--num-layers").file, "project"); !ok)
        return ok.error();
    s.plan.model = m.id;
    s.plan.snapshots.push_back({SpecKind::model, m.id, spec.dump(2)});
    s.notes.push_back(fmt::format("No known model has these dimensions; the plan carries {}", m.id));
    return Done{};
}

void degrees(ReadState& s, Training& t)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    l.tp = g.whole("--tensor-model-parallel-size", 1);
    l.pp = g.whole("--pipeline-model-parallel-size", 1);
    l.cp = g.whole("--context-parallel-size", 1);
    const std::vector<std::string> kinds = g.texts("--cp-comm-type");
    if (kinds.size() > 1)
        s.notes.push_back("--cp-comm-type differs by layer; the first counts for all");
    const std::string kind = kinds.empty() ? "p2p" : kinds.front();
    l.context_kind = kind == "a2a" ? ContextParallelKind::ulysses : kind == "allgather" ? ContextParallelKind::all_gather : ContextParallelKind::ring;
    l.sequence_parallel = l.tp == 1 || g.has("--sequence-parallel");
    if (g.has("--num-experts")) {
        l.ep = g.whole("--expert-model-parallel-size", 1);
        l.etp = g.whole("--expert-tensor-parallel-size", l.tp);
        l.expert_dispatch_rdma = g.has("--moe-enable-deepep");
        l.overlap_moe = g.has("--overlap-moe-expert-parallel-comm");
    }
    t.sequence_length = g.whole("--seq-length", t.sequence_length);
    if (!g.has("--seq-length"))
        g.fail("--seq-length", "the option is missing");
    l.micro_batch = g.whole("--micro-batch-size", 1);
    t.global_batch = g.whole("--global-batch-size", l.micro_batch);
    if (const int steps = g.text("--train-iters").empty() ? 0 : g.whole("--train-iters", 0); steps > 0)
        t.tokens = Tokens{static_cast<double>(steps) * t.global_batch * t.sequence_length};
    else if (const double samples = g.text("--train-samples").empty() ? 0.0 : g.number("--train-samples", 0.0); samples > 0)
        t.tokens = Tokens{samples * t.sequence_length};
    t.kind = g.has("--finetune") ? TrainingKind::fine_tuning : TrainingKind::pretraining;
    t.dropout = g.number("--hidden-dropout", 0.1) > 0.0;
}

void pipeline(ReadState& s)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    const int layers = g.whole("--num-layers", 1);
    if (const std::string layout = g.text("--pipeline-model-parallel-layout"); !layout.empty()) {
        const auto stages = stages_of(layout);
        if (!stages || *stages % l.pp != 0)
            return g.fail("--pipeline-model-parallel-layout", "the stages are no multiple of the pipeline's", layout.substr(0, 60));
        l.vpp = *stages / l.pp;
    } else if (g.has("--num-layers-per-virtual-pipeline-stage")) {
        const int per_chunk = g.whole("--num-layers-per-virtual-pipeline-stage", 1);
        if (layers % (l.pp * static_cast<long long>(per_chunk)) != 0)
            return g.fail("--num-layers-per-virtual-pipeline-stage", fmt::format("{} layers are not cut by {} stages of chunks of this size", layers, l.pp), std::to_string(per_chunk));
        l.vpp = layers / l.pp / per_chunk;
    } else {
        l.vpp = g.whole("--num-virtual-stages-per-pipeline-rank", 1);
    }
    l.schedule = l.vpp > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
    l.overlap_p2p = !g.has("--no-overlap-p2p-communication");
}

void sharding(ReadState& s, int gpus)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    l.sharding = g.has("--use-distributed-optimizer") ? DataSharding::zero1 : DataSharding::none;
    const std::string what = g.text("--data-parallel-sharding-strategy", "no_shard");
    if (g.has("--use-megatron-fsdp") && what == "optim_grads")
        l.sharding = DataSharding::zero2;
    if ((g.has("--use-megatron-fsdp") && what == "optim_grads_params") || g.has("--use-torch-fsdp2"))
        l.sharding = g.has("--torch-fsdp2-no-reshard-after-forward") ? DataSharding::zero2 : DataSharding::zero3;
    if (const int copies = g.whole("--num-distributed-optimizer-instances", 1); copies > 1 && l.sharding == DataSharding::zero3) {
        l.sharding = DataSharding::hsdp;
        const int ranks = gpus / std::max(1, l.tp * l.pp);
        if (ranks % copies != 0)
            return g.fail("--num-distributed-optimizer-instances", fmt::format("the {} data-parallel ranks are no multiple of it", ranks), std::to_string(copies));
        l.shard_group = ranks / copies;
    }
    l.overlap_grad_reduce = g.has("--overlap-grad-reduce");
    l.overlap_param_gather = g.has("--overlap-param-gather");
    l.overlap_tp = g.has("--tp-comm-overlap");
}

void recomputation(ReadState& s)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    const std::string what = g.text("--recompute-granularity", g.has("--recompute-activations") ? "selective" : "");
    if (what == "full") {
        l.recompute = Recompute::full;
        const int layers = g.whole("--recompute-num-layers", 1);
        const double held = static_cast<double>(g.whole("--num-layers", 1)) / (static_cast<double>(l.pp) * l.vpp);
        l.recompute_share = g.text("--recompute-method", "uniform") == "block" ? std::min(1.0, layers / held) : 1.0;
        if (g.text("--recompute-method", "uniform") == "uniform" && layers > 1)
            s.notes.push_back(fmt::format("Units of {} layers are recomputed at once; the plan knows units of one", layers));
    } else if (what == "selective") {
        std::vector<std::string> modules = g.texts("--recompute-modules");
        const auto has = [&](const char* name) { return std::ranges::find(modules, name) != modules.end(); };
        l.recompute = has("mlp") || has("moe") ? Recompute::mlp : has("mla_up_proj") ? Recompute::latent_up
            : has("layernorm") || has("moe_act")                                     ? Recompute::norm_activation
                                                                                     : Recompute::selective;
        if (modules.size() > 2)
            s.notes.push_back("Of --recompute-modules the plan knows one kind at a time; the largest is taken");
    }
}

void precision(ReadState& s)
{
    Given& g = s.given;
    std::string& recipe = s.plan.precision.recipe;
    recipe = g.has("--fp16") ? "fp16" : "bf16";
    if (!g.has("--fp16") && !g.has("--bf16"))
        s.notes.push_back("Neither --bf16 nor --fp16: Megatron-LM would train in FP32, the plan takes BF16");
    if (g.has("--fp8-format")) {
        const std::string scaling = g.text("--fp8-recipe", "delayed");
        if (scaling == "custom")
            return g.fail("--fp8-recipe", "a custom recipe says nothing about its arithmetic", scaling);
        recipe = scaling == "blockwise" ? "fp8_block" : scaling == "mxfp8" ? "mxfp8" : "fp8";
    }
    if (g.has("--fp4-format"))
        recipe = "nvfp4";
    if (g.has("--grad-reduce-in-bf16"))
        s.plan.precision.gradients = NumberFormat::bf16;
}

} // namespace

Status read_megatron(ReadState& s, const std::string& model)
{
    Given& g = s.given;
    Training t;
    s.plan.assumptions.framework = Framework::megatron;
    degrees(s, t);
    if (g.error())
        return *g.error();
    if (Status ok = choose_model(s, model, s.plan.layout.tp); !ok)
        return ok;
    pipeline(s);
    sharding(s, s.gpus);
    recomputation(s);
    precision(s);
    Layout& l = s.plan.layout;
    l.fused_attention = g.text("--attention-backend", "auto") != "unfused";
    l.fused_loss = g.has("--cross-entropy-loss-fusion");
    l.cuda_graphs = g.text("--cuda-graph-impl", "none") != "none";
    s.plan.workload = t;
    return g.error() ? Status(*g.error()) : Status(Done{});
}

} // namespace ridgepoint
