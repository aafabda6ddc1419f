// sensitivity PLAN: what the answer hangs on; compare A B: where two plans differ and what that does.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/units/format.h"
#include "model/whatif/comparison.h"
#include "model/whatif/sensitivity.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SensitivityArguments {
    PlanArguments plan;
    double relative = 0.1;
    bool json = false;
};

std::string signed_percent(double v) { return fmt::format("{}{}", v > 0 ? "+" : "", format_percent(v)); }

int print_sensitivity(const SensitivityArguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.json);
    const Expected<WhatIf> base = WhatIf::make(loaded->plan, loaded->specs);
    if (!base)
        return fail(located(base.error(), a.plan), a.json);
    if (const Expected<Estimate> e = estimate(base->job()); !e)
        return fail(located(e.error(), a.plan), a.json);
    const std::vector<Swing> swings = tornado(*base, a.relative);
    const std::vector<Upgrade> better = upgrades(*base);
    const std::vector<RequiredBandwidth> bandwidths = required_bandwidths(base->job());
    if (a.json) {
        Json out = {{"kind", "sensitivity"}, {"version", 1}, {"tornado", Json::array()}, {"upgrades", Json::array()}, {"required_bandwidth", Json::array()}};
        for (const Swing& s : swings)
            out["tornado"].push_back({{"knob", s.knob.id}, {"low", s.low}, {"high", s.high}, {"time_at_low", s.down}, {"time_at_high", s.up}, {"cost_at_low", s.cost_down},
                {"cost_at_high", s.cost_up}});
        for (const Upgrade& u : better)
            out["upgrades"].push_back({{"knob", u.knob.id}, {"faster", u.faster}, {"fits", u.fits}});
        for (const RequiredBandwidth& r : bandwidths)
            out["required_bandwidth"].push_back({{"part", r.part}, {"link", r.link}, {"exposed_s", r.exposed.value()}, {"today_bytes_per_s", r.today.value()},
                {"factor", r.factor ? Json(*r.factor) : Json(nullptr)}});
        fmt::print("{}\n", json_text(out));
        return done;
    }
    TextTable t({"What if", ">from", ">to", ">time", ">time", ">cost", ">cost"});
    for (const Swing& s : swings)
        t.add({s.knob.label, fmt::format("{:.4g} {}", s.low, s.knob.unit), fmt::format("{:.4g} {}", s.high, s.knob.unit), signed_percent(s.down), signed_percent(s.up),
            signed_percent(s.cost_down), signed_percent(s.cost_up)});
    fmt::print("{}\n\n{}\n", loaded->plan.name, t.text());
    TextTable u({"Twice the", ">faster by", ""});
    for (const Upgrade& x : better)
        u.add({x.knob.label, format_percent(x.faster), x.fits ? "" : "does not fit"});
    fmt::print("{}\n", u.text());
    TextTable b({"To hide", ">exposed", "link", ">today", ">needed"});
    for (const RequiredBandwidth& r : bandwidths)
        b.add({r.part, format(r.exposed), r.link, format(r.today), r.factor ? format(*r.factor * r.today) : "no bandwidth does"});
    if (!bandwidths.empty())
        fmt::print("{}", b.text());
    return done;
}

struct CompareArguments {
    std::string a, b;
    SpecArguments specs;
    bool json = false;
};

Json comparison_json(const PlanComparison& c, const std::optional<BreakEven>& even)
{
    Json out = {{"kind", "compare"}, {"version", 1}, {"sentence", c.sentence}, {"a_time_s", c.a.estimate.time.total().value()}, {"b_time_s", c.b.estimate.time.total().value()}, {"gain_s", c.gain.value()}};
    out["parts"] = Json::array();
    out["fields"] = Json::array();
    for (const Difference& d : c.parts)
        out["parts"].push_back({{"part", name_of(d.part)}, {"a_s", d.a.value()}, {"b_s", d.b.value()}, {"gain_s", d.gain().value()}});
    for (const FieldDifference& f : c.fields)
        out["fields"].push_back({{"path", f.path}, {"a", f.a}, {"b", f.b}});
    if (even)
        out["break_even"] = {{"price_factor", even->price_factor}, {"utilization", even->utilization ? Json(*even->utilization) : Json(nullptr)},
            {"nodes", even->nodes ? Json(*even->nodes) : Json(nullptr)}};
    return out;
}

void print_comparison(const Plan& a, const Plan& b, const PlanComparison& c, const std::optional<BreakEven>& even)
{
    fmt::print("A  {}\nB  {}\n\n  {}\n\n", a.name, b.name, c.sentence);
    TextTable parts({"Where the time goes", ">A", ">B", ">B - A"});
    for (const Difference& d : c.parts)
        parts.add({std::string(name_of(d.part)), format(d.a), format(d.b), fmt::format("{}{}", d.gain() < Seconds{} ? "+" : "-", format(Seconds{std::abs(d.gain().value())}))});
    parts.add({"Time", format(c.a.estimate.time.total()), format(c.b.estimate.time.total()),
        fmt::format("{}{}", c.gain < Seconds{} ? "+" : "-", format(Seconds{std::abs(c.gain.value())}))});
    fmt::print("{}\n", parts.text());
    TextTable sums({"", ">A", ">B"});
    const auto money = [](const Cost& x) { return x.per_token ? format(Dollars{x.per_token->value() * 1e6}) : std::string("-"); };
    sums.add({"Memory to spare", format(c.a.estimate.memory.headroom()), format(c.b.estimate.memory.headroom())});
    sums.add({"$ per million tokens", money(c.a.cost), money(c.b.cost)});
    sums.add({"Cluster per hour", format(Dollars{c.a.cost.cluster.value() * 3600}), format(Dollars{c.b.cost.cluster.value() * 3600})});
    sums.add({"Tokens/s per GPU", format_number(throughput_per_gpu(c.a.estimate)), format_number(throughput_per_gpu(c.b.estimate))});
    fmt::print("{}\n", sums.text());
    TextTable fields({"Field", "A", "B"});
    for (const FieldDifference& f : c.fields)
        fields.add({f.label, f.a, f.b});
    fmt::print("{}\n", fields.text());
    if (!even)
        return;
    fmt::print("  B costs the same per token as A at {:.2f} times its price{}", even->price_factor,
        even->utilization ? fmt::format(", or when {} of its paid hours do useful work", format_percent(*even->utilization)) : "");
    fmt::print("{}\n", even->nodes ? fmt::format("; it is the cheaper one from {} node{}", *even->nodes, *even->nodes == 1 ? "" : "s") : "; it is not the cheaper one at any number of nodes up to 4,096");
}

int print_compare(const CompareArguments& x)
{
    Expected<SpecStore> specs = load_specs(x.specs);
    if (!specs)
        return fail(specs.error(), x.json);
    const Expected<Plan> a = load_plan(x.a);
    if (!a)
        return fail(a.error(), x.json);
    const Expected<Plan> b = load_plan(x.b);
    if (!b)
        return fail(b.error(), x.json);
    const Expected<PlanComparison> c = compare_plans(*a, *b, *specs);
    if (!c)
        return fail(c.error(), x.json);
    const std::optional<BreakEven> even = break_even(*c, *b, *specs);
    if (x.json)
        fmt::print("{}\n", json_text(comparison_json(*c, even)));
    else
        print_comparison(*a, *b, *c, even);
    return done;
}

} // namespace

void add_sensitivity_command(CLI::App& app, int& status)
{
    CLI::App* c = app.add_subcommand("sensitivity", "What the answer hangs on: tornado, upgrades, bandwidth that hides communication");
    auto a = std::make_shared<SensitivityArguments>();
    add_plan_arguments(*c, a->plan);
    c->add_option("--by", a->relative, "Relative change of each figure of the hardware and of the price")->check(CLI::Range(0.001, 0.9))->capture_default_str();
    c->add_flag("--json", a->json, "Print JSON");
    c->callback([a, &status] { status = print_sensitivity(*a); });
}

void add_compare_command(CLI::App& app, int& status)
{
    CLI::App* c = app.add_subcommand("compare", "Two plans side by side, with what makes the difference");
    auto a = std::make_shared<CompareArguments>();
    c->add_option("A", a->a, "Plan file")->required();
    c->add_option("B", a->b, "Plan file")->required();
    add_spec_arguments(*c, a->specs);
    c->add_flag("--json", a->json, "Print JSON");
    c->callback([a, &status] { status = print_compare(*a); });
}

} // namespace ridgepoint::cli
