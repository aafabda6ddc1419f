// Contracts, traffic, support and carbon of the catalogue's market, and what is wrong with others.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/economics/market.h"

namespace ridgepoint {
namespace {

const SpecStore& builtin()
{
    static const Expected<SpecStore> store = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    static const SpecStore none;
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().text());
    return store ? *store : none;
}

const Market& aws()
{
    static const Market market = [] {
        const Expected<Market> m = read_market(builtin(), "aws");
        EXPECT_TRUE(m) << (m ? "" : m.error().text());
        return m ? *m : Market{};
    }();
    return market;
}

// 200 TB: 10 at 90, 40 at 85, 100 at 70, 50 at 50 dollars a TB.
TEST(MarketBands, EgressByHand)
{
    EXPECT_NEAR(aws().egress_cost(Bytes{200e12}).value(), 900.0 + 3400.0 + 7000.0 + 2500.0, 1e-6);
    EXPECT_NEAR(aws().egress_cost(Bytes{5e12}).value(), 450.0, 1e-9);
    EXPECT_EQ(aws().egress_cost(Bytes{}).value(), 0.0);
}

// Two million a month: 10 % of 150,000, 7 % of 350,000, 5 % of 500,000, 3 % of the rest: 15,000 + 24,500 + 25,000 + 30,000.
TEST(MarketBands, SupportByHand)
{
    const SupportPlan* plan = aws().find_support("enterprise");
    ASSERT_NE(plan, nullptr);
    EXPECT_NEAR(plan->monthly(Dollars{2e6}).value(), 94'500.0, 1e-6);
    EXPECT_NEAR(plan->monthly(Dollars{1e3}).value(), 15'000.0, 1e-9) << "the minimum";
    EXPECT_EQ(aws().find_support("platinum"), nullptr);
}

Commitment block(double used_days, int instances, bool ultraserver = false)
{
    return commit(aws(), "capacity_block", dollars_per_hour(50.0), instances, days(used_days), ultraserver);
}

TEST(Commitments, CapacityBlocksComeInDaysAndWeeks)
{
    // Instances stop half an hour early: a full day of use needs two days.
    EXPECT_NEAR(in_days(block(0.5, 1).paid), 1.0, 1e-9);
    EXPECT_NEAR(in_days(block(1.0, 1).paid), 2.0, 1e-9);
    EXPECT_NEAR(in_days(block(13.9, 1).paid), 14.0, 1e-9);
    EXPECT_NEAR(in_days(block(14.1, 1).paid), 21.0, 1e-9);
    EXPECT_NEAR(in_days(block(6.97, 1, false).paid), 7.0, 1e-9);
    EXPECT_NEAR(in_days(block(6.97, 1, true).paid), 8.0, 1e-9) << "an UltraServer stops an hour early";
    const Commitment c = block(10.0, 100);
    EXPECT_EQ(c.blocks, 2) << "64 instances a block";
    EXPECT_NEAR(c.cost.value(), 11.0 * 24.0 * 50.0 * 100.0, 1e-3);
    EXPECT_EQ(c.upfront, c.cost);
    EXPECT_TRUE(c.problems.empty());
    EXPECT_EQ(block(10.0, 257).problems.size(), 1U);
    EXPECT_EQ(block(183.0, 257).problems.size(), 2U);
}

TEST(Commitments, SavingsPlansBindForTheirTerm)
{
    const Commitment short_run = commit(aws(), "savings_plan_1y", dollars_per_hour(10.0), 2, days(73), false);
    EXPECT_NEAR(short_run.cost.value(), 73 * 24 * 20.0, 1e-6);
    EXPECT_NEAR(short_run.obligation.value(), 8760 * 20.0, 1e-6);
    const Commitment on_demand = commit(aws(), "on_demand", dollars_per_hour(10.0), 2, days(73), false);
    EXPECT_EQ(on_demand.obligation, on_demand.cost);
    EXPECT_EQ(on_demand.upfront, Dollars{});
    EXPECT_NEAR(break_even_share(dollars_per_hour(2.972), dollars_per_hour(6.88)), 0.432, 0.001);
}

TEST(PriceAges, AreJudgedOnTheDayThatIsGiven)
{
    const Expected<Price> price = find_price(builtin(), "p5en.48xlarge", "us-east-1", "on_demand"); // of 2026-07-20
    ASSERT_TRUE(price);
    const PriceAge fresh = age_of(*price, aws(), *parse_date("2026-08-01"));
    EXPECT_EQ(fresh.days.value_or(-1), 12);
    EXPECT_FALSE(fresh.stale);
    EXPECT_FALSE(age_of(*price, aws(), *parse_date("2026-10-20")).stale) << "92 days";
    EXPECT_TRUE(age_of(*price, aws(), *parse_date("2026-10-21")).stale);
    EXPECT_FALSE(age_of(*price, aws(), *parse_date("2026-07-19")).days) << "before the price was read";
    EXPECT_FALSE(age_of(custom_price("p5.48xlarge", 3.0), aws(), *parse_date("2026-07-19")).days);
}

TEST(Carbon, HasAFactorPerRegionWithItsSource)
{
    const auto virginia = carbon_of(builtin(), "aws", "us-east-1");
    ASSERT_TRUE(virginia);
    EXPECT_NEAR(virginia->factor.value() * 3.6e6, 365.1, 1e-9);
    EXPECT_FALSE(virginia->source.empty() || virginia->date.empty() || virginia->confidence.empty());
    EXPECT_FALSE(carbon_of(builtin(), "aws", "mars-north-1"));
    EXPECT_LT(carbon_of(builtin(), "aws", "eu-north-1")->factor, virginia->factor);
}

TEST(Market, SaysWhatIsWrongWithAFile)
{
    const auto broken = [](const std::string& from, const std::string& to) {
        SpecStore store = builtin();
        nlohmann::json copy = **builtin().document(SpecKind::market, "aws");
        std::string text = copy.dump();
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        if (const Status s = store.add(SpecKind::market, text, "broken.json", "user"); !s)
            return s.error();
        const Expected<Market> m = read_market(store, "aws");
        EXPECT_FALSE(m) << to;
        return m ? Error{} : m.error();
    };
    EXPECT_EQ(broken("\"unit\":\"USD/GB\"", "\"unit\":\"USD\"").kind, ErrorKind::bad_input);
    EXPECT_NE(broken("\"unit\":\"TB\",\"value\":10", "\"unit\":\"TB\",\"value\":0").message.find("ascend"), std::string::npos);
    EXPECT_EQ(broken("\"capacity_blocks\"", "\"capacity_clocks\"").kind, ErrorKind::bad_input);
    EXPECT_FALSE(read_market(builtin(), "azure"));
}

} // namespace
} // namespace ridgepoint
