#include "model/whatif/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/project/fields.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double worth_naming = 0.02; // of the larger time

std::string sentence_of(const PlanComparison& c)
{
    const Seconds larger = std::max(c.a.estimate.time.total(), c.b.estimate.time.total());
    const Seconds by{std::abs(c.gain.value())};
    if (by.value() < 1e-9 * larger.value())
        return "Both take the same time";
    std::string out = fmt::format("B is {} {}", format(by), c.gain > Seconds{} ? "faster" : "slower");
    std::string parts;
    for (const Difference& d : c.parts)
        if (std::abs(d.gain().value()) >= worth_naming * larger.value())
            parts += fmt::format("{}{} {}{}", parts.empty() ? ": " : ", ", name_of(d.part), d.gain() > Seconds{} ? "-" : "+", format(Seconds{std::abs(d.gain().value())}));
    return out + parts;
}

bool both_have(const PlanField& f, const Plan& a, const Plan& b)
{
    const auto has = [&](const Plan& p) { return std::holds_alternative<Training>(p.workload) ? f.training : f.serving; };
    return has(a) || has(b);
}

std::optional<double> cost_of_token(const Evaluation& v)
{
    if (v.cost.per_token)
        return v.cost.per_token->value();
    return v.cost.per_input_token ? std::optional(v.cost.per_input_token->value()) : std::nullopt;
}

} // namespace

Expected<PlanComparison> compare_plans(const Plan& a, const Plan& b, const SpecStore& specs)
{
    PlanComparison c;
    for (const auto& [plan, to] : {std::pair{&a, &c.a}, std::pair{&b, &c.b}}) {
        Expected<Evaluation> v = evaluate_only(*plan, specs);
        if (!v)
            return v.error();
        *to = std::move(*v);
    }
    if (c.a.estimate.training.has_value() != c.b.estimate.training.has_value())
        return bad_input("A training plan and a serving plan have no time in common", {}, {}, "two plans of one kind");
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const Difference d{static_cast<StepPart>(i), c.a.estimate.breakdown.parts[i].total(), c.b.estimate.breakdown.parts[i].total()};
        if (d.a != d.b)
            c.parts.push_back(d);
    }
    std::ranges::stable_sort(c.parts, [](const Difference& x, const Difference& y) { return std::abs(x.gain().value()) > std::abs(y.gain().value()); });
    c.gain = c.a.estimate.time.total() - c.b.estimate.time.total();
    for (const PlanField& f : plan_fields()) {
        if (!both_have(f, a, b))
            continue;
        std::string x = field_value(a, f.path), y = field_value(b, f.path);
        if (x != y)
            c.fields.push_back({f.label, f.path, std::move(x), std::move(y)});
    }
    c.sentence = sentence_of(c);
    return c;
}

std::optional<BreakEven> break_even(const PlanComparison& c, const Plan& b, const SpecStore& specs)
{
    const std::optional<double> x = cost_of_token(c.a), y = cost_of_token(c.b);
    if (!x || !y || *y <= 0.0)
        return std::nullopt;
    BreakEven out;
    out.price_factor = *x / *y;
    if (const double u = b.price.utilization / out.price_factor; u > 0.0 && u <= 1.0)
        out.utilization = u;
    Plan other = b;
    other.layout.dp = 0;
    other.gpus = 0;
    for (int nodes = 1; nodes <= 4096; nodes *= 2) {
        other.nodes = nodes;
        const Expected<Evaluation> v = evaluate_only(other, specs);
        const std::optional<double> cost = v && v->estimate.memory.fits() ? cost_of_token(*v) : std::nullopt;
        if (cost && *cost < *x) {
            out.nodes = nodes;
            break;
        }
    }
    return out;
}

} // namespace ridgepoint
