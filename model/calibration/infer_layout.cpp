#include "model/calibration/infer_layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "model/trace/queries.h"
#include "model/transformer/read.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::string lower(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

// Names that frameworks give their process groups: Megatron's TENSOR_MODEL_PARALLEL_GROUP, torchtitan's mesh_tp, vLLM's tp:0.
struct GroupName {
    std::string_view part;
    std::string_view field;
    std::string_view what;
};
constexpr std::array group_names{
    GroupName{"tensor_model_parallel", "/layout/tp", "tensor-parallel"},
    GroupName{"mesh_tp", "/layout/tp", "tensor-parallel"},
    GroupName{"tp:", "/layout/tp", "tensor-parallel"},
    GroupName{"pipeline_model_parallel", "/layout/pp", "pipeline"},
    GroupName{"mesh_pp", "/layout/pp", "pipeline"},
    GroupName{"pp:", "/layout/pp", "pipeline"},
    GroupName{"context_parallel", "/layout/cp", "context-parallel"},
    GroupName{"mesh_cp", "/layout/cp", "context-parallel"},
    GroupName{"expert_model_parallel", "/layout/ep", "expert-parallel"},
    GroupName{"mesh_ep", "/layout/ep", "expert-parallel"},
    GroupName{"ep:", "/layout/ep", "expert-parallel"},
};

const GroupName* group_named(std::string_view process_group)
{
    const std::string name = lower(process_group);
    if (name.find("data") != std::string::npos && name.find("context") != std::string::npos)
        return nullptr; // data and context parallel together: neither's size
    for (const GroupName& g : group_names)
        if (name.starts_with(g.part) || (g.part.back() != ':' && name.find(g.part) != std::string::npos))
            return &g;
    return nullptr;
}

// NVIDIA's kernels and the OCP's block formats are both "fp4" by their arithmetic; the latter say so in their names.
bool names_mxfp4(const Timeline& t)
{
    for (std::size_t i = 0; i < t.names.size(); ++i)
        if (t.name_precision[i] == KernelPrecision::fp4 && lower(t.names[i]).find("mxfp4") != std::string::npos)
            return true;
    return false;
}

// The weights of the output layer, on one rank: by their width they are hardly any other network's.
std::pair<int, int> head_of(const Transformer& m, int tp) { return {std::min(m.hidden, m.vocab / tp), std::max(m.hidden, m.vocab / tp)}; }

// Pairs of dimensions of the weights of linear layers, smaller first, on one rank of `tp`.
std::set<std::pair<int, int>> weights_of(const Transformer& m, int tp)
{
    std::set<std::pair<int, int>> out;
    const auto add = [&](int a, int b) {
        constexpr int least = 64; // narrower ones fit by chance
        if (a >= least && b >= least)
            out.insert({std::min(a, b), std::max(a, b)});
    };
    for (const LayerKind& kind : m.kinds) {
        const Attention& a = kind.attention;
        if (a.kind == AttentionKind::grouped && !kind.attention_free && a.heads % tp == 0) {
            const int kv = std::max(a.kv_heads, tp); // fewer heads than ranks are kept on several
            add(m.hidden, (a.heads + 2 * kv) / tp * a.head_dim);
            add(m.hidden, a.heads / tp * a.head_dim);
            add(m.hidden, kv / tp * a.head_dim);
        }
        if (kind.ffn_width > 0 && kind.ffn_width % tp == 0) {
            add(m.hidden, kind.ffn_width / tp);
            if (m.gated_mlp)
                add(m.hidden, 2 * kind.ffn_width / tp);
        }
    }
    if (m.vocab % tp == 0)
        add(m.hidden, m.vocab / tp);
    return out;
}

} // namespace

std::vector<InferredField> layout_of(const Timeline& t)
{
    std::vector<InferredField> out;
    for (const Timeline::Collective& c : t.collectives) {
        const std::string& name = c.group_description.empty() || c.group_description == "undefined" ? c.process_group : c.group_description;
        const GroupName* g = c.group_size > 1 ? group_named(name) : nullptr;
        if (g != nullptr && std::none_of(out.begin(), out.end(), [&](const InferredField& f) { return f.path == g->field; }))
            out.push_back({std::string(g->field), std::to_string(c.group_size), fmt::format("its {} group \"{}\" has {} ranks", g->what, name, c.group_size)});
    }
    return out;
}

std::optional<InferredField> recipe_of(const Timeline& t)
{
    std::map<KernelPrecision, double> time;
    double all = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t.kernel_class[i] == KernelClass::gemm && t.name_precision[t.name[i]] != KernelPrecision::unknown) {
            time[t.name_precision[t.name[i]]] += static_cast<double>(t.duration_ns[i]);
            all += static_cast<double>(t.duration_ns[i]);
        }
    if (time.empty() || all <= 0)
        return std::nullopt;
    const auto most = std::max_element(time.begin(), time.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const char* recipe = nullptr;
    switch (most->first) {
    case KernelPrecision::bf16:
        recipe = "bf16";
        break;
    case KernelPrecision::fp16:
        recipe = "fp16";
        break;
    case KernelPrecision::fp8:
        recipe = "fp8";
        break;
    case KernelPrecision::fp4:
        recipe = names_mxfp4(t) ? "mxfp4" : "nvfp4";
        break;
    default:
        return std::nullopt;
    }
    return InferredField{"/precision/recipe", recipe, fmt::format("{} of the time of named matrix products is {}", format_percent(most->second / all), name_of(most->first))};
}

// Weights of a network are the pair of dimensions of its products that no batch changes: forward it is (k, n), in the gradients
// of inputs (n, k), in those of weights (m, n). The third dimension is the tokens of a micro-batch.
std::vector<InferredField> shapes_of(const Timeline& t, const SpecStore& specs)
{
    double all = 0;
    for (const Timeline::MatrixProduct& p : t.products)
        all += p.flops();
    if (all <= 0)
        return {};
    struct Found {
        std::string model;
        int tp = 1;
        double share = 0;
        double tokens = 0;
        std::size_t weights = 0; // distinct ones that were seen
        bool head = false; // the output layer among them
    } best, second;
    for (const std::string& id : specs.ids(SpecKind::model)) {
        const Expected<Transformer> model = read_transformer(specs, id);
        if (!model)
            continue;
        for (const int tp : {1, 2, 4, 8, 16}) {
            const std::set<std::pair<int, int>> weights = weights_of(*model, tp);
            double share = 0;
            std::map<std::int32_t, double> tokens;
            std::set<std::pair<int, int>> seen;
            for (const Timeline::MatrixProduct& p : t.products) {
                for (const auto& [a, b, rest] : {std::tuple{p.k, p.n, p.m}, {p.m, p.n, p.k}})
                    if (const std::pair<int, int> pair{std::min(a, b), std::max(a, b)}; weights.contains(pair)) {
                        seen.insert(pair);
                        share += p.flops() / all;
                        tokens[rest] += p.flops();
                        break;
                    }
            }
            const auto most = std::max_element(tokens.begin(), tokens.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
            const Found f{id, tp, share, most == tokens.end() ? 0.0 : static_cast<double>(most->first), seen.size(), seen.contains(head_of(*model, tp))};
            // Round widths are common to networks of all kinds (1024 by 4096 is vision's as well): several weights of one
            // network together, or its output layer, are not.
            constexpr std::size_t several = 3;
            if (f.weights < several && !f.head)
                continue;
            if (f.share > best.share + 1e-9) {
                if (best.model != id)
                    second = best;
                best = f;
            } else if (f.share > second.share && id != best.model) {
                second = f;
            }
        }
    }
    // Networks of one family share widths (70B of two generations): then the model is not told.
    constexpr double enough = 0.6, apart = 0.02;
    if (best.share < enough)
        return {};
    const std::string evidence = fmt::format("{} of the FLOPs of its matrix products have the weights of {} cut {} way{}", format_percent(best.share), best.model, best.tp, best.tp == 1 ? "" : "s");
    std::vector<InferredField> out;
    if (best.share - second.share >= apart)
        out.push_back({"/model", best.model, evidence});
    else
        out.push_back({"/model", best.model, evidence + fmt::format("; {} would do as well", second.model)});
    out.push_back({"/layout/tp", std::to_string(best.tp), evidence});
    if (best.tokens >= 1)
        out.push_back({"/workload/sequence_length", std::to_string(static_cast<int>(best.tokens)), fmt::format("most of its products are over {} tokens, taken for one sequence", group_thousands(best.tokens))});
    return out;
}

} // namespace ridgepoint
