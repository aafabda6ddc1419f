// sweep PLAN: one knob over its values, or two over a grid of regimes.

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/units/format.h"
#include "model/whatif/sweep.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    PlanArguments plan;
    std::string x, y, csv;
    int count = 21;
    bool json = false, exact = false, list = false;
};

struct Axis {
    Knob knob;
    std::vector<double> values;
};

// KNOB, KNOB=LOW:HIGH or KNOB=V,V,...
Expected<Axis> axis_of(const std::string& text, const WhatIf& base, int count)
{
    const auto equals = text.find('=');
    Expected<Knob> knob = find_knob(base.plan(), text.substr(0, equals));
    if (!knob)
        return knob.error();
    const auto wrong = [&] { return bad_input("These values cannot be swept", {}, "\"" + text + "\"", "KNOB, KNOB=LOW:HIGH or KNOB=VALUE,VALUE,..."); };
    Axis axis{*knob, {}};
    if (equals == std::string::npos) { // around the plan's value
        const double value = base.value(*knob);
        if (knob->whole) { // by doubling: what divides the plan's value keeps dividing
            for (double v = std::max(1.0, value); v >= knob->low && v >= value / 16.0 && v >= 1.0; v = std::floor(v) == v && std::fmod(v, 2.0) == 0.0 ? v / 2.0 : 0.0)
                axis.values.insert(axis.values.begin(), v);
            for (double v = 2.0 * std::max(1.0, value); v <= knob->high && v <= 16.0 * value; v *= 2.0)
                axis.values.push_back(v);
            return axis;
        }
        const double low = knob->factor ? knob->low : std::max(knob->low, value / 4.0);
        const double high = knob->factor ? knob->high : std::min(knob->high, std::max(value, knob->whole ? 1.0 : 1e-9) * 4.0);
        axis.values = sweep_values(*knob, low, high, count);
        return axis;
    }
    std::vector<double> numbers;
    const std::string rest = text.substr(equals + 1);
    const char separator = rest.find(':') != std::string::npos ? ':' : ',';
    for (std::size_t at = 0; at <= rest.size();) {
        const std::size_t end = std::min(rest.find(separator, at), rest.size());
        char* stop = nullptr;
        const std::string one = rest.substr(at, end - at);
        numbers.push_back(std::strtod(one.c_str(), &stop));
        if (one.empty() || *stop != '\0' || !std::isfinite(numbers.back()))
            return wrong();
        at = end + 1;
    }
    if (separator == ':' && numbers.size() != 2)
        return wrong();
    for (const double v : numbers)
        if (v < knob->low || v > knob->high)
            return bad_input("A value is out of the range of what is swept", {}, fmt::format("{}", v), fmt::format("{} to {} {}", knob->low, knob->high, knob->unit));
    axis.values = separator == ':' ? sweep_values(*knob, numbers[0], numbers[1], count) : numbers;
    return axis;
}

Json outcome_json(const Outcome& o)
{
    if (!o.possible())
        return {{"impossible", o.impossible}};
    Json j = {{"time_s", o.time.value()}, {"tokens_per_second", o.tokens_per_second.value()}, {"tokens_per_second_per_gpu", o.tokens_per_second_per_gpu.value()},
        {"mfu", o.mfu}, {"headroom_bytes", o.headroom.value()}, {"regime", name_of(regime_of(o))}};
    j["usd_per_million_tokens"] = o.cost_per_token ? Json(o.cost_per_token->value() * 1e6) : Json(nullptr);
    j["ttft_s"] = o.ttft ? Json(o.ttft->value()) : Json(nullptr);
    return j;
}

std::string unit_of(const Knob& k) { return k.factor ? "" : k.unit; }

int curve(const Arguments& a, const WhatIf& base, const Axis& x)
{
    const std::vector<SweepPoint> points = sweep(base, x.knob, x.values);
    if (a.json) {
        Json out = {{"kind", "sweep"}, {"version", 1}, {"knob", x.knob.id}, {"label", x.knob.label}, {"unit", x.knob.unit}, {"points", Json::array()}};
        for (const SweepPoint& p : points) {
            Json row = outcome_json(p.outcome);
            row["value"] = p.value;
            out["points"].push_back(std::move(row));
        }
        fmt::print("{}\n", json_text(out));
    }
    std::string csv = "value,regime,time_s,tokens_per_s,tokens_per_s_per_gpu,mfu,headroom_bytes,usd_per_million_tokens,ttft_s\n";
    TextTable t({x.knob.label, ">time", ">tokens/s", ">per GPU", ">MFU", ">to spare", ">$ per M tokens", "bound"});
    for (const SweepPoint& p : points) {
        const Outcome& o = p.outcome;
        const std::string at = fmt::format("{:.6g} {}", p.value, unit_of(x.knob));
        if (!o.possible()) {
            t.add({at, "-", "-", "-", "-", "-", "-", o.impossible});
            csv += fmt::format("{},{},,,,,,,\n", p.value, name_of(Regime::impossible));
            continue;
        }
        const std::string dollars = o.cost_per_token ? format(Dollars{o.cost_per_token->value() * 1e6}) : "-";
        t.add({at, format(o.time), format_number(o.tokens_per_second.value()), format_number(o.tokens_per_second_per_gpu.value()), format_percent(o.mfu), format(o.headroom),
            dollars, std::string(name_of(regime_of(o)))});
        csv += fmt::format("{},{},{},{},{},{},{},{},{}\n", p.value, name_of(regime_of(o)), o.time.value(), o.tokens_per_second.value(), o.tokens_per_second_per_gpu.value(),
            o.mfu, o.headroom.value(), o.cost_per_token ? fmt::format("{}", o.cost_per_token->value() * 1e6) : "", o.ttft ? fmt::format("{}", o.ttft->value()) : "");
    }
    if (!a.csv.empty())
        if (Status s = write_output(a.csv, csv); !s)
            return fail(s.error(), a.json);
    if (!a.json && a.csv != "-")
        fmt::print("{}: {} swept\n\n{}", base.plan().name, x.knob.label, t.text());
    return done;
}

int map(const Arguments& a, const WhatIf& base, const Axis& x, const Axis& y)
{
    const RegimeMap m = regime_map(base, x.knob, x.values, y.knob, y.values, a.exact);
    if (a.json) {
        Json out = {{"kind", "sweep"}, {"version", 1}, {"x", {{"knob", x.knob.id}, {"unit", x.knob.unit}, {"values", m.xs}}}, {"y", {{"knob", y.knob.id}, {"unit", y.knob.unit}, {"values", m.ys}}},
            {"estimated", m.estimated}, {"cells", Json::array()}};
        for (std::size_t j = 0; j < m.ys.size(); ++j) {
            Json row = Json::array();
            for (std::size_t i = 0; i < m.xs.size(); ++i) {
                const RegimeCell& c = m.at(i, j);
                row.push_back({{"regime", name_of(c.regime)}, {"time_s", c.time}, {"usd_per_million_tokens", c.dollars_per_million}});
            }
            out["cells"].push_back(std::move(row));
        }
        fmt::print("{}\n", json_text(out));
    }
    if (!a.csv.empty()) {
        std::string csv = "x,y,regime,time_s,usd_per_million_tokens\n";
        for (std::size_t j = 0; j < m.ys.size(); ++j)
            for (std::size_t i = 0; i < m.xs.size(); ++i)
                csv += fmt::format("{},{},{},{},{}\n", m.xs[i], m.ys[j], name_of(m.at(i, j).regime), m.at(i, j).time, m.at(i, j).dollars_per_million);
        if (Status s = write_output(a.csv, csv); !s)
            return fail(s.error(), a.json);
    }
    if (a.json || a.csv == "-")
        return done;
    constexpr std::string_view letters = "CHVNLSx."; // by Regime
    fmt::print("{}\n\n  C compute, H HBM, V NVLink, N network, L latency, x does not fit, . cannot run\n  {} upward, {} to the right\n\n", base.plan().name, y.knob.label, x.knob.label);
    for (std::size_t j = m.ys.size(); j-- > 0;) {
        fmt::print("  {:>12.5g} ", m.ys[j]);
        for (std::size_t i = 0; i < m.xs.size(); ++i)
            fmt::print("{}", letters[static_cast<std::size_t>(m.at(i, j).regime)]);
        fmt::print("\n");
    }
    fmt::print("  {:>12} {:<.5g} to {:.5g} {}\n", "", m.xs.front(), m.xs.back(), unit_of(x.knob));
    return done;
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.json);
    if (a.list) {
        TextTable t({"Knob", "", ">from", ">to", "unit"});
        for (const Knob& k : knobs_of(loaded->plan))
            t.add({k.id, k.label, fmt::format("{:g}", k.low), fmt::format("{:g}", k.high), k.unit});
        fmt::print("{}", t.text());
        return done;
    }
    const Expected<WhatIf> base = WhatIf::make(loaded->plan, loaded->specs);
    if (!base)
        return fail(located(base.error(), a.plan), a.json);
    if (a.x.empty())
        return fail(bad_input("Nothing to sweep", {}, "no --x", "--x KNOB (--list names them)"), a.json);
    const Expected<Axis> x = axis_of(a.x, *base, a.count);
    if (!x)
        return fail(x.error(), a.json);
    if (a.y.empty())
        return curve(a, *base, *x);
    const Expected<Axis> y = axis_of(a.y, *base, a.count);
    if (!y)
        return fail(y.error(), a.json);
    return map(a, *base, *x, *y);
}

} // namespace

void add_sweep_command(CLI::App& app, int& status)
{
    CLI::App* c = app.add_subcommand("sweep", "Turn one knob of a plan, or two for a map of regimes");
    auto a = std::make_shared<Arguments>();
    add_plan_arguments(*c, a->plan);
    c->add_option("--x", a->x, "What to turn: a field (/workload/global_batch) or a factor (hardware/hbm), with =LOW:HIGH or =V,V,...")->type_name("KNOB");
    c->add_option("--y", a->y, "The second knob: a map of what bounds the time")->type_name("KNOB");
    c->add_option("--count", a->count, "Values of each knob")->check(CLI::Range(2, 1000))->capture_default_str();
    c->add_flag("--exact", a->exact, "Estimate every cell of a map instead of refining where regimes change");
    c->add_flag("--list", a->list, "Print what can be turned, and end");
    c->add_option("--csv", a->csv, "Write CSV (- for standard output)")->type_name("FILE");
    c->add_flag("--json", a->json, "Print JSON");
    c->callback([a, &status] { status = run(*a); });
}

} // namespace ridgepoint::cli
