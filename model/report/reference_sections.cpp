// The back pages: money, assumptions, sources, how to get the same numbers again.

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/kernels/kernels.h"
#include "model/project/fields.h"
#include "model/project/snapshots.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/units/format.h"

#ifndef RIDGEPOINT_VERSION
#define RIDGEPOINT_VERSION "development"
#endif

namespace ridgepoint {
namespace {

struct Figure { // a value of the catalogue that the plan's numbers rest on
    std::string name;
    SpecKind kind;
    std::string id;
    std::string pointer;
};

std::string price_book(const SpecStore& specs, const std::string& instance)
{
    for (const std::string& id : specs.ids(SpecKind::price)) {
        const nlohmann::json& book = **specs.document(SpecKind::price, id);
        if (const auto it = book.find("instance"); it != book.end() && *it == instance)
            return id;
    }
    return {};
}

std::vector<Figure> figures_of(const ReportInput& in)
{
    const Job& job = in.evaluation.job;
    const std::string& gpu = job.cluster.accelerator.id;
    const std::string& node = job.cluster.node.id;
    std::vector<Figure> out;
    std::set<Arithmetic> used = {job.precision.gemm, job.precision.attention, job.precision.lm_head};
    for (const Arithmetic a : used)
        out.push_back({fmt::format("Dense {} peak of the GPU", name_of(a)), SpecKind::accelerator, gpu, fmt::format("/peaks/{}/dense", name_of(a))});
    out.push_back({"Memory that software sees", SpecKind::accelerator, gpu, "/hbm/visible"});
    out.push_back({"Memory bandwidth", SpecKind::accelerator, gpu, "/hbm/bandwidth"});
    out.push_back({"Streaming multiprocessors", SpecKind::accelerator, gpu, "/sms"});
    out.push_back({"NVLink, one direction", SpecKind::accelerator, gpu, "/nvlink/per_direction"});
    out.push_back({"GPUs per node", SpecKind::instance, node, "/accelerators"});
    out.push_back({"GPUs in one NVLink domain", SpecKind::instance, node, "/nvlink_domain"});
    out.push_back({"Network cards", SpecKind::instance, node, "/network/nics"});
    out.push_back({"Rate of one card, one direction", SpecKind::instance, node, "/network/nic_rate"});
    if (!job.cluster.node.fabric_id.empty())
        out.push_back({"Network latency", SpecKind::fabric, job.cluster.node.fabric_id, "/latency"});
    out.push_back({"Power of the node", SpecKind::instance, node, "/system_power"});
    return out;
}

void add_figure(const SpecStore& specs, const Figure& f, ReportTable& t)
{
    const auto p = specs.provenance(f.kind, f.id, f.pointer);
    if (!p || p->value.empty())
        return;
    t.rows.push_back({f.name, p->value, p->source, p->date, p->confidence, fmt::format("{}/{}.json {}", folder_of(f.kind), f.id, f.pointer)});
    std::string note;
    if (!p->note.empty())
        note += p->note;
    for (const std::string& c : p->conflicts)
        note += fmt::format("{}not chosen: {}", note.empty() ? "" : "; ", c);
    if (!note.empty())
        t.note += fmt::format("{}{}: {}.", t.note.empty() ? "" : " ", f.name, note);
}

// What the price book says of the price that was used.
std::optional<Provenance> price_provenance(const ReportInput& in)
{
    const std::string book = price_book(in.specs, in.plan.instance);
    if (book.empty() || !in.evaluation.cost.price)
        return std::nullopt;
    const nlohmann::json& prices = (**in.specs.document(SpecKind::price, book))["prices"];
    for (std::size_t i = 0; i < prices.size(); ++i) {
        if (prices[i].value("term", "") != in.evaluation.cost.price->term)
            continue;
        for (const char* field : {"per_gpu", "per_instance"}) {
            const auto p = in.specs.provenance(SpecKind::price, book, fmt::format("/prices/{}/{}", i, field));
            if (prices[i].contains(field) && p && p->date == in.evaluation.cost.price->date)
                return p;
        }
    }
    return std::nullopt;
}

std::vector<SpecSnapshot> used_documents(const ReportInput& in)
{
    if (auto all = take_snapshots(in.plan, in.specs))
        return *all;
    return {};
}

} // namespace

ReportSection assumptions_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Assumptions";
    ReportTable t;
    t.title = "Everything that was asked and assumed";
    t.header = {"Field", "Value", "Default", "Where the default comes from"};
    for (const PlanField& f : plan_fields()) {
        if (!applies(f, in.plan) || !in_use(f.group, in.plan) || f.path == "/name" || f.path == "/notes")
            continue;
        const std::string value = field_value(in.plan, f.path);
        const std::string usual = field_default(in.plan, f.path);
        const std::string unit = f.unit.empty() || value.empty() ? "" : " " + f.unit;
        t.rows.push_back({fmt::format("{}: {}", f.group, f.label), (value.empty() ? "not given" : value) + unit, value == usual ? "yes" : usual.empty() ? "not given" : usual, f.source});
    }
    t.note = fmt::format("Data parallel 0 follows from the GPUs: here {}.", in.evaluation.job.layout.dp);
    s.tables.push_back(std::move(t));
    return s;
}

ReportSection sources_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Sources";
    ReportTable t;
    t.title = "Hardware figures behind the numbers";
    t.header = {"Figure", "Value", "Source", "Date", "Confidence", "Spec"};
    for (const Figure& f : figures_of(in))
        add_figure(in.specs, f, t);
    if (const auto p = price_provenance(in))
        t.rows.push_back({"Price", p->value, p->source, p->date, p->confidence, fmt::format("{}/{}.json {}", folder_of(SpecKind::price), price_book(in.specs, in.plan.instance), p->place.pointer)});
    s.tables.push_back(std::move(t));

    const KernelConstants& k = in.evaluation.job.kernels;
    const CollectiveConstants& c = in.evaluation.job.collectives;
    ReportTable laws;
    laws.title = "Fitted constants and their residuals";
    laws.header = {"Law", "Median error", "90th percentile", "Measurements", "Spec"};
    const auto add = [&](const std::string& name, const Residual& r) {
        laws.rows.push_back({name, r.rows > 0 ? format_percent(r.median) : "-", r.rows > 0 ? format_percent(r.p90) : "-", r.rows > 0 ? group_thousands(r.rows) : "derived", "efficiency/" + k.gpu + ".json"});
    };
    const PrecisionRecipe& p = in.evaluation.job.precision;
    std::set<GemmKind> used = {GemmKind::bf16}; // LM head
    for (const NumberFormat weights : {p.weights, p.expert_weights}) {
        GemmShape shape;
        shape.arithmetic = p.gemm;
        shape.b = weights;
        used.insert(kind_of(shape));
    }
    for (const GemmKind kind : used)
        add(fmt::format("Matrix products, {}", name_of(kind)), k.gemm[static_cast<std::size_t>(kind)].residual);
    add("Attention, prefill and training", k.prefill_bf16.residual);
    if (in.evaluation.estimate.serving)
        add("Attention, decode", k.decode_bf16.residual);
    add("Memory-bound kernels", k.memory.residual);
    laws.rows.push_back({"Collectives in the NVLink domain", format_percent(c.domain.residual_median), format_percent(c.domain.residual_p90), "", "efficiency/" + c.domain.gpu + ".json"});
    if (!c.fabric.fabric.empty())
        laws.rows.push_back({"Collectives across nodes", format_percent(c.fabric.residual_median), format_percent(c.fabric.residual_p90), "", "efficiency/" + c.fabric.fabric + ".json"});
    laws.note = fmt::format("Errors on measurements that the fit did not see. Kernels of the software class \"{}\".", k.software);
    s.tables.push_back(std::move(laws));
    return s;
}

std::string catalogue_date(const ReportInput& in)
{
    std::string newest;
    for (const Figure& f : figures_of(in))
        if (const auto p = in.specs.provenance(f.kind, f.id, f.pointer))
            newest = std::max(newest, p->date);
    if (in.evaluation.cost.price)
        newest = std::max(newest, in.evaluation.cost.price->date);
    return newest;
}

ReportSection reproduce_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Reproduce";
    s.paragraphs.push_back("The same plan, specs and program version give this report byte for byte. Save the plan below as plan.ridgepoint and run: ridgepoint-cli report plan.ridgepoint -o report.html");
    ReportTable t;
    t.title = "Versions";
    t.header = {"Document", "Id", "Layer", "Content hash"};
    t.rows.push_back({"Program", "Ridgepoint " RIDGEPOINT_VERSION, "", ""});
    for (const SpecSnapshot& d : used_documents(in))
        t.rows.push_back({std::string(name_of(d.kind)), d.id, in.specs.layer_of(d.kind, d.id), in.specs.content_hash(d.kind, d.id)});
    t.note = "A saved plan carries these documents, so that it gives the same numbers when the catalogue has moved on.";
    s.tables.push_back(std::move(t));
    Plan bare = in.plan;
    bare.snapshots.clear();
    s.code = to_text(bare);
    return s;
}

} // namespace ridgepoint
