// Expected levels against the estimate, and the text of rules and dashboard. promtool and a real Prometheus read the same
// text in tests/packaging/watch_test.py.

#include <set>

#include <gmock/gmock.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/launch/watch.h"
#include "tests/model/launch/support.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

const Level* find(const std::vector<Level>& levels, Meter m)
{
    const auto it = std::ranges::find(levels, m, &Level::meter);
    return it == levels.end() ? nullptr : &*it;
}

TEST(Levels, LieBetweenTheirBoundsAndBelowTheCeiling)
{
    for (const Plan& p : examples()) {
        const auto v = evaluate_only(p, catalogue());
        ASSERT_TRUE(v) << v.error().text();
        const std::vector<Level> levels = expected_levels(*v);
        EXPECT_GE(levels.size(), 4U);
        for (const Level& l : levels) {
            EXPECT_GT(l.expected, 0.0);
            EXPECT_LE(l.low, l.expected) << p.name << " " << l.title;
            EXPECT_GE(l.high, std::min(l.expected, l.ceiling > 0 ? l.ceiling : l.expected)) << p.name << " " << l.title;
            if (l.ceiling > 0.0)
                EXPECT_LE(l.expected, l.ceiling * 1.0001) << p.name << " " << l.title;
            EXPECT_FALSE(l.definition.empty());
        }
    }
}

// One arithmetic everywhere, no recomputation: the tensor cores are as active as the hardware MFU says, which is what all
// FLOPs over the peak are; the vector operators are what is missing.
TEST(Levels, TensorActivityIsTheHardwareUtilization)
{
    Plan p = example_plan();
    p.assumptions.convention = FlopConvention::hardware;
    const auto v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v);
    const Level tensor = *find(expected_levels(*v), Meter::tensor);
    EXPECT_LE(tensor.expected, v->estimate.training->mfu * 1.0001);
    EXPECT_GE(tensor.expected, v->estimate.training->mfu * 0.95);
}

TEST(Levels, DecodeMovesWhatTheBandwidthUtilizationSays)
{
    for (const Plan& p : examples()) {
        const auto* s = std::get_if<Serving>(&p.workload);
        if (!s || s->phase == ServingPhase::serving)
            continue;
        const auto v = evaluate_only(p, catalogue());
        ASSERT_TRUE(v);
        EXPECT_NEAR(find(expected_levels(*v), Meter::dram)->expected, v->estimate.serving->mbu, 0.02 * v->estimate.serving->mbu) << p.name;
    }
}

// A link of half the speed halves nothing but the ceiling: bytes are those of the plan, the time is longer.
TEST(Levels, NetworkBytesTimesTimeAreThePlansBytes)
{
    const auto v = evaluate_only(example_plan(), catalogue());
    ASSERT_TRUE(v);
    double bytes = 0;
    for (const Operator& op : v->estimate.operators)
        bytes += op.network.value() * op.count;
    const Level efa = *find(expected_levels(*v), Meter::efa);
    EXPECT_NEAR(efa.expected * v->estimate.training->step.value(), 8.0 * bytes, 1e-6 * bytes);
    EXPECT_NEAR(efa.ceiling, 16 * 200e9 / 8, 1.0); // p5en.48xlarge: 16 NICs of 200 Gbit/s
}

TEST(Levels, OneGpuHasNoLinks)
{
    for (const Plan& p : examples())
        if (p.instance == "p5.4xlarge") {
            const auto levels = expected_levels(*evaluate_only(p, catalogue()));
            EXPECT_EQ(find(levels, Meter::efa), nullptr);
            EXPECT_EQ(find(levels, Meter::nvlink), nullptr);
        }
}

TEST(Dashboard, KeepsToTheSchema)
{
    for (Plan p : examples()) {
        p.name = "it's \"$(x)\" | `y`\nz";
        const auto v = evaluate_only(p, catalogue());
        ASSERT_TRUE(v);
        const auto text = grafana_dashboard(p, *v, {{{"cluster", "a\"b"}}, ""});
        ASSERT_TRUE(text);
        const auto d = nlohmann::json::parse(*text);
        EXPECT_TRUE(d.at("id").is_null());
        EXPECT_LE(d.at("uid").get<std::string>().size(), 40U);
        std::set<int> ids;
        std::set<std::pair<int, int>> cells;
        for (const auto& panel : d.at("panels")) {
            EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second);
            const auto& g = panel.at("gridPos");
            EXPECT_LE(g.at("x").get<int>() + g.at("w").get<int>(), 24);
            for (int x = 0; x < g.at("w").get<int>(); ++x)
                for (int y = 0; y < g.at("h").get<int>(); ++y)
                    EXPECT_TRUE(cells.emplace(g.at("x").get<int>() + x, g.at("y").get<int>() + y).second) << "panels overlap";
            std::set<std::string> refs;
            for (const auto& t : panel.value("targets", nlohmann::json::array()))
                EXPECT_TRUE(refs.insert(t.at("refId").get<std::string>()).second);
        }
    }
}

TEST(Watch, RefusesNamesThatAreNone)
{
    const auto v = evaluate_only(example_plan(), catalogue());
    for (const char* name : {"", "a-b", "1a", "a{}", "a\nb"})
        EXPECT_FALSE(prometheus_rules(example_plan(), *v, {{{name, "x"}}, ""})) << name;
    EXPECT_FALSE(prometheus_rules(example_plan(), *v, {{}, "bad metric"}));
    EXPECT_TRUE(prometheus_rules(example_plan(), *v, {{{"job", "x\"} or up{y=\""}}, "a:b"}));
}

TEST(Watch, AlertsHaveTheBoundsOfTheLevels)
{
    const Plan p = example_plan();
    const auto v = evaluate_only(p, catalogue());
    const auto rules = prometheus_rules(p, *v, {});
    ASSERT_TRUE(rules);
    for (const Level& l : expected_levels(*v))
        EXPECT_THAT(*rules, HasSubstr("< " + fmt::format("{:.9g}", l.low))) << l.title;
    EXPECT_THAT(*rules, HasSubstr("< 16384 or absent"));
}

} // namespace
} // namespace ridgepoint
