#include "views/panels/derivations.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "model/specs/sourced_values.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

    Derivation leaf(std::string name, std::string value, std::string formula = {}, std::string source = {})
    {
        return {std::move(name), std::move(formula), std::move(value), std::move(source), {}};
    }

    std::string per_million(DollarsPerToken v) { return format(Dollars{v.value() * 1e6}); }

    // "/software/vllm/gemm/bf16" -> "gemm/bf16"; empty: the law is of no class of kernels.
    std::string law_of_class(const std::string& pointer, const std::string& software)
    {
        const std::string folder = "/software/" + software + "/";
        return pointer.starts_with(folder) ? pointer.substr(folder.size()) : std::string();
    }

    // Laws of another class stand in where the plan's own class has none.
    bool is_used(const SourcedValues& law, const std::vector<SourcedValues>& all, const std::string& software)
    {
        if (!law.pointer.starts_with("/software/") || !law_of_class(law.pointer, software).empty())
            return true;
        const std::size_t name = law.pointer.find('/', std::string_view("/software/").size());
        const std::string tail = name == std::string::npos ? std::string() : law.pointer.substr(name + 1);
        return std::ranges::none_of(all, [&](const SourcedValues& other) { return law_of_class(other.pointer, software) == tail; });
    }

    void add_laws(Derivation& root, const SpecStore& specs, const std::string& id, const std::string& software)
    {
        const std::vector<SourcedValues> laws = sourced_values(specs, SpecKind::efficiency, id);
        for (const SourcedValues& law : laws) {
            if (law.values.empty() || !is_used(law, laws, software))
                continue;
            std::string name = law.pointer.substr(1);
            if (name.starts_with("software/"))
                name.erase(0, std::string_view("software/").size());
            std::ranges::replace(name, '/', ' ');
            const std::string source = text_of(law.provenance);
            Derivation d = leaf(id + ": " + name, law.provenance.fit ? format_percent(law.provenance.fit->median) + " error" : "not fitted here",
                "specs/efficiency/" + id + ".json " + law.pointer, source);
            for (const auto& [constant, value] : law.values)
                d.inputs.push_back(leaf(constant, value, {}, source));
            root.inputs.push_back(std::move(d));
        }
    }

} // namespace

Derivation derive_constants(const Evaluation& evaluation, const SpecStore& specs)
{
    const Job& job = evaluation.job;
    Derivation root = leaf("Fitted constants", job.kernels.software, "class of kernels; the laws are in model/kernels and model/collectives");
    add_laws(root, specs, job.kernels.gpu, job.kernels.software);
    if (!job.cluster.fabric.efficiency_id.empty())
        add_laws(root, specs, job.cluster.fabric.efficiency_id, job.kernels.software);
    return root;
}

Derivation derive_cost(const Evaluation& evaluation, double utilization)
{
    const Cost& cost = evaluation.cost;
    Derivation root = leaf("Cost", cost.price ? format(cost.per_month) + " a month" : "no price", "cluster rate x 730 h", cost.missing);
    if (cost.price) {
        const Price& price = *cost.price;
        Derivation rate = leaf("Cluster rate", format(Dollars{cost.cluster.value() * 3600.0}) + " per hour", "price per GPU-hour x all GPUs of the nodes");
        rate.inputs.push_back(leaf("Price per GPU-hour", format(Dollars{price.per_gpu.value() * 3600.0}),
            price.instance + ", " + price.region + ", " + price.term + (price.note.empty() ? "" : ". " + price.note),
            price.source + (price.date.empty() ? "" : ", read " + price.date)));
        rate.inputs.push_back(leaf("GPUs paid for", group_thousands(evaluation.job.cluster.nodes * static_cast<double>(evaluation.job.cluster.node.accelerators)),
            "nodes x GPUs per node"));
        root.inputs.push_back(std::move(rate));
        root.inputs.push_back(leaf("Useful share of paid hours", format_percent(utilization), "", "the plan's utilization"));
        if (cost.run)
            root.inputs.push_back(leaf("Run", format(*cost.run), "cluster rate x time to train / useful share"));
        if (cost.per_token)
            root.inputs.push_back(leaf("Per 1 M tokens", per_million(*cost.per_token),
                evaluation.estimate.training ? "cluster rate / (tokens per second x useful share)" : "share of decode in the bill / output tokens"));
        if (cost.per_input_token)
            root.inputs.push_back(leaf("Per 1 M input tokens", per_million(*cost.per_input_token), "share of prefill in the bill / input tokens"));
        if (cost.per_output_token_all)
            root.inputs.push_back(leaf("Per 1 M output tokens, whole bill", per_million(*cost.per_output_token_all), "the whole bill over the output tokens alone"));
    }
    if (cost.gpu_hours > 0)
        root.inputs.push_back(leaf("GPU-hours of the run", group_thousands(cost.gpu_hours), "GPUs paid for x paid hours"));
    if (cost.power > Watts{})
        root.inputs.push_back(leaf("Power", format(cost.power), "nodes at this load, with the data centre's overhead"));
    return root;
}

Derivation derive_operator(const Evaluation& evaluation, const RooflineModel& roofline, std::size_t index)
{
    const Operator& op = evaluation.estimate.operators[index];
    Derivation root = leaf(std::string(name_of(op.kind)) + ", " + std::string(name_of(op.phase)), format(op.total_time()), "count x time of one execution");
    root.inputs.push_back(leaf("Count per step", format_number(op.count), "layers of the stage x microbatches"));
    Derivation time = leaf("Time of one execution", format(op.time.total()), "smooth max of the resource times + launch", "specs/efficiency; see Fitted constants");
    for (std::size_t i = 0; i < resource_count; ++i) {
        const auto resource = static_cast<Resource>(i);
        if (op.time.part(resource) != Seconds{})
            time.inputs.push_back(leaf("of " + std::string(name_of(resource)), format(op.time.part(resource)), "time x elasticity", format_percent(op.time.share(resource))));
    }
    root.inputs.push_back(std::move(time));
    if (op.hidden > 0)
        root.inputs.push_back(leaf("Hidden behind other work", format_percent(op.hidden)));
    if (op.m > 0)
        root.inputs.push_back(leaf("Shape", format_number(op.m, 6) + " x " + format_number(op.n, 6) + " x " + format_number(op.k, 6), "m x n x k"));
    root.inputs.push_back(leaf("FLOPs", format(op.flops), op.m > 0 ? "2 m n k" : ""));
    if (op.hbm > Bytes{})
        root.inputs.push_back(leaf("HBM bytes", format_decimal(op.hbm)));
    if (op.nvlink > Bytes{})
        root.inputs.push_back(leaf("NVLink bytes sent", format_decimal(op.nvlink)));
    if (op.network > Bytes{})
        root.inputs.push_back(leaf("Network bytes sent", format_decimal(op.network)));
    if (op.flops > Flops{} && op.hbm > Bytes{})
        root.inputs.push_back(leaf("Arithmetic intensity", format(op.intensity()), "FLOPs / HBM bytes"));
    for (const RooflinePoint& point : roofline.points)
        if (point.operator_index == index && point.level == MemoryLevel::hbm) {
            root.inputs.push_back(leaf("Achieved", format(point.achieved), "FLOPs / time"));
            root.inputs.push_back(leaf("Of the roof", format_percent(point.of_roof), "achieved / min(peak, bandwidth x intensity)"));
        }
    return root;
}

std::string number_of(StepPart part)
{
    switch (part) {
    case StepPart::gemm:
        return "Matrix products";
    case StepPart::attention:
        return "Attention";
    case StepPart::elementwise:
        return "Memory-bound kernels";
    case StepPart::recompute:
        return "Recomputation";
    case StepPart::tp_exposed:
        return "Exposed tensor-parallel communication|Tensor-parallel all-reduce";
    case StepPart::cp_exposed:
        return "Exposed context-parallel communication";
    case StepPart::ep_exposed:
        return "Exposed expert-parallel communication|Expert dispatch and combine";
    case StepPart::pp_exposed:
        return "Exposed sends|Sends between stages";
    case StepPart::bubble:
        return "Pipeline bubble";
    case StepPart::dp_exposed:
        return "Exposed data parallelism";
    case StepPart::optimizer:
        return "Optimizer";
    case StepPart::host:
        return "Host";
    case StepPart::prefill_share:
        return "Prefill of others";
    case StepPart::straggler:
        return "Stragglers";
    }
    return {};
}

} // namespace ridgepoint
