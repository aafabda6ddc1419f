#include "model/calibration/infer_layout.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "model/trace/queries.h"
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

} // namespace

std::vector<InferredField> layout_of(const Timeline& t)
{
    std::vector<InferredField> out;
    for (const Timeline::Collective& c : t.collectives) {
        const GroupName* g = c.group_size > 1 ? group_named(c.process_group) : nullptr;
        if (g != nullptr && std::none_of(out.begin(), out.end(), [&](const InferredField& f) { return f.path == g->field; }))
            out.push_back({std::string(g->field), std::to_string(c.group_size), fmt::format("its {} group \"{}\" has {} ranks", g->what, c.process_group, c.group_size)});
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
        recipe = "nvfp4";
        break;
    default:
        return std::nullopt;
    }
    return InferredField{"/precision/recipe", recipe, fmt::format("{} of the time of named matrix products is {}", format_percent(most->second / all), name_of(most->first))};
}

std::vector<InferredField> shapes_of(const Timeline&, const SpecStore&) { return {}; }

} // namespace ridgepoint
