#include "model/project/snapshots.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/hardware/read.h"
#include "model/project/fields.h"

namespace ridgepoint {
namespace {

constexpr SpecKind kinds[] = {SpecKind::accelerator, SpecKind::instance, SpecKind::fabric, SpecKind::storage, SpecKind::model, SpecKind::price, SpecKind::efficiency, SpecKind::market};

bool same_in_catalogue(const SpecSnapshot& s, const SpecStore& specs)
{
    if (!specs.contains(s.kind, s.id))
        return false;
    const nlohmann::json now = nlohmann::json::parse(s.text, nullptr, false);
    return **specs.document(s.kind, s.id) == now;
}

std::optional<std::string> price_book(const SpecStore& specs, const std::string& instance)
{
    for (const std::string& id : specs.ids(SpecKind::price)) {
        const nlohmann::json& book = **specs.document(SpecKind::price, id);
        if (const auto it = book.find("instance"); it != book.end() && *it == instance)
            return id;
    }
    return std::nullopt;
}

} // namespace

std::optional<SpecKind> kind_of_folder(std::string_view folder)
{
    for (const SpecKind k : kinds)
        if (folder_of(k) == folder)
            return k;
    return std::nullopt;
}

Expected<std::vector<SpecSnapshot>> take_snapshots(const Plan& plan, const SpecStore& catalogue)
{
    Expected<SpecStore> specs = with_snapshots(plan, catalogue);
    if (!specs)
        return specs.error();
    Expected<Cluster> cluster = build_cluster(*specs, plan.instance, plan.nodes, plan.gpus);
    if (!cluster)
        return cluster.error();
    std::vector<SpecSnapshot> out;
    Status status = Done{};
    const auto take = [&](SpecKind kind, const std::string& id) {
        if (id.empty() || !status)
            return;
        for (const SpecSnapshot& s : out)
            if (s.kind == kind && s.id == id)
                return;
        Expected<const nlohmann::json*> document = specs->document(kind, id);
        if (document)
            out.push_back({kind, id, (*document)->dump()});
        else
            status = document.error();
    };
    take(SpecKind::model, plan.model);
    take(SpecKind::instance, plan.instance);
    take(SpecKind::accelerator, cluster->node.accelerator_id);
    take(SpecKind::fabric, cluster->node.fabric_id);
    take(SpecKind::efficiency, cluster->accelerator.efficiency_id);
    if (!cluster->node.fabric_id.empty())
        take(SpecKind::efficiency, cluster->fabric.efficiency_id);
    if (const auto book = price_book(*specs, plan.instance))
        take(SpecKind::price, *book);
    if (in_use("Run", plan) || in_use("Costs", plan)) {
        take(SpecKind::storage, plan.run.data_tier);
        take(SpecKind::storage, plan.run.checkpoint_tier);
        take(SpecKind::storage, "s3-standard");
        take(SpecKind::market, "aws");
    }
    if (!status)
        return status.error();
    return out;
}

Expected<SpecStore> with_snapshots(const Plan& plan, const SpecStore& specs)
{
    SpecStore out = specs;
    for (const SpecSnapshot& s : plan.snapshots) {
        if (same_in_catalogue(s, out))
            continue;
        const std::string origin = fmt::format("snapshot of {} {}", name_of(s.kind), s.id);
        if (Status added = out.add(s.kind, s.text, origin, "project"); !added)
            return added.error();
    }
    return out;
}

std::vector<std::string> outdated_snapshots(const Plan& plan, const SpecStore& specs)
{
    std::vector<std::string> out;
    for (const SpecSnapshot& s : plan.snapshots)
        if (!same_in_catalogue(s, specs))
            out.push_back(fmt::format("{} {}", name_of(s.kind), s.id));
    return out;
}

} // namespace ridgepoint
