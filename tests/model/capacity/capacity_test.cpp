// Questions of capacity: what finishes in time, what binds the rest, what machines can train, what serves a load.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/capacity/capacity.h"
#include "model/project/fields.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

void set(Plan& p, const std::string& path, const std::string& value)
{
    const Status s = set_field(p, path, value);
    EXPECT_TRUE(s) << (s ? "" : s.error().text());
}

Date day(const char* text) { return *parse_date(text); }

// A small model, so that the searches are short.
Plan training_plan()
{
    Plan p = *load_plan(example_file("llama-3.1-70b-sft-p5"));
    set(p, "/model", "llama-3.1-8b");
    set(p, "/workload/kind", "pretraining");
    set(p, "/workload/global_batch", "256");
    set(p, "/workload/tokens", "200e9");
    set(p, "/run/samples", "200");
    return p;
}

CapacityOptions options_of(std::vector<std::string> instances, std::vector<int> nodes = {})
{
    CapacityOptions o;
    o.instances = std::move(instances);
    o.nodes = std::move(nodes);
    o.search_limit = Seconds{60.0}; // to the end: the same on every machine
    o.threads = 1;
    return o;
}

FinishAnswer finish(const Plan& p, const FinishQuestion& q, const CapacityOptions& o)
{
    Expected<FinishAnswer> a = answer_finish(p, q, catalogue(), o);
    EXPECT_TRUE(a) << (a ? "" : a.error().text());
    return a ? std::move(*a) : FinishAnswer{};
}

TEST(Finish, TheCheapestThatDoesComesFirstAndStartsInTime)
{
    const FinishQuestion q{day("2026-12-01"), day("2027-01-15"), std::nullopt};
    const FinishAnswer a = finish(training_plan(), q, options_of({"p5.48xlarge", "p4de.24xlarge"}, {1, 8, 32}));
    ASSERT_EQ(a.alternatives.size(), 6U);
    ASSERT_TRUE(a.alternatives.front().does()) << a.alternatives.front().why;
    bool past = false;
    Dollars before;
    for (const TrainingAlternative& x : a.alternatives) {
        EXPECT_EQ(x.does(), x.why.empty() || x.binding == Binding::none);
        past = past || !x.does();
        EXPECT_EQ(past, !x.does()) << "those that do come first";
        ASSERT_TRUE(x.answer);
        const Seconds p90 = x.answer->run.time_to_train.at(0.9);
        EXPECT_EQ(*q.deadline - *x.latest_start, static_cast<int>(std::ceil(in_days(p90) - 1e-9)));
        EXPECT_LE(x.answer->run.time_to_train.at(0.5), p90);
        if (!x.does())
            continue;
        EXPECT_GE(*x.latest_start, q.today);
        EXPECT_GE(*x.cost_p90(), before) << "by cost";
        before = *x.cost_p90();
    }
    // One node of A100 needs years.
    const auto slow = std::ranges::find_if(a.alternatives, [](const TrainingAlternative& x) { return x.instance == "p4de.24xlarge" && x.nodes == 1; });
    ASSERT_NE(slow, a.alternatives.end());
    EXPECT_EQ(slow->binding, Binding::deadline);
    EXPECT_LT(*slow->latest_start, q.today);
    // At the even rate an alternative's bill is that of the first.
    const TrainingAlternative& second = a.alternatives[1];
    if (second.even_rate && second.does()) {
        Plan p = *second.layout.plan;
        set(p, "/price/term", "custom");
        set(p, "/price/custom_usd_per_gpu_hour", fmt::format("{}", second.even_rate->value()));
        const Expected<RunAnswer> even = evaluate_run(p, catalogue(), std::nullopt);
        ASSERT_TRUE(even);
        EXPECT_NEAR(even->cost->p90.total / *a.alternatives.front().cost_p90(), 1.0, 1e-6);
    }
}

TEST(Finish, WhatBindsIsNamed)
{
    const FinishQuestion poor{day("2026-12-01"), std::nullopt, Dollars{1000.0}};
    const FinishAnswer a = finish(training_plan(), poor, options_of({"p5.48xlarge"}, {8}));
    ASSERT_EQ(a.alternatives.size(), 1U);
    EXPECT_EQ(a.alternatives.front().binding, Binding::budget);
    EXPECT_FALSE(a.alternatives.front().latest_start);

    Plan large = training_plan();
    set(large, "/model", "llama-3.1-405b");
    const FinishAnswer memory = finish(large, poor, options_of({"p5.48xlarge"}, {2}));
    EXPECT_EQ(memory.alternatives.front().binding, Binding::memory) << memory.alternatives.front().why;
    EXPECT_FALSE(memory.alternatives.front().answer);

    Plan blocks = training_plan();
    set(blocks, "/price/term", "capacity_block");
    const FinishQuestion open{day("2026-12-01"), std::nullopt, std::nullopt};
    EXPECT_EQ(finish(blocks, open, options_of({"p5.48xlarge"}, {16})).alternatives.front().binding, Binding::none);
    set(blocks, "/workload/tokens", "2e12");
    EXPECT_EQ(finish(blocks, open, options_of({"p5.48xlarge"}, {1})).alternatives.front().binding, Binding::availability) << "longer than 182 days";

    const FinishAnswer unsold = finish(training_plan(), poor, options_of({"p5e.48xlarge"}, {8}));
    EXPECT_EQ(unsold.alternatives.front().binding, Binding::price) << "no on-demand price";
}

TEST(Finish, WrongQuestionsAreRefused)
{
    const Plan p = training_plan();
    EXPECT_FALSE(answer_finish(p, {day("2026-12-01"), day("2026-12-01"), {}}, catalogue(), options_of({"p5.48xlarge"})));
    EXPECT_FALSE(answer_finish(p, {day("2026-12-01"), day("2027-12-01"), {}}, catalogue(), options_of({"p7.48xlarge"})));
    Plan endless = p;
    set(endless, "/workload/tokens", "0");
    EXPECT_FALSE(answer_finish(endless, {day("2026-12-01"), {}, Dollars{1e6}}, catalogue(), options_of({"p5.48xlarge"})));
}

TEST(Machines, TrainWhatTheirTimeAllows)
{
    MachinesQuestion q;
    q.instance = "p5.48xlarge";
    q.nodes = 8;
    q.time = days(10);
    const Expected<MachinesAnswer> a = answer_machines(training_plan(), q, catalogue(), options_of({}));
    ASSERT_TRUE(a) << a.error().text();
    ASSERT_EQ(a->models.size(), 1U);
    const TrainableModel& m = a->models.front();
    EXPECT_EQ(m.binding, Binding::none) << m.why;
    EXPECT_NEAR(m.answer->run.time_to_train.at(0.9) / q.time, 1.0, 1e-3) << "nine runs in ten just end in time";
    EXPECT_GT(m.tokens_median, m.tokens) << "half of them have done more";
    EXPECT_EQ(std::fmod(m.tokens.value(), 256.0 * std::get<Training>(m.layout.plan->workload).sequence_length), 0.0) << "whole steps";
    // By hand: tokens = goodput x rate x time, at p50 of the failures alone within the error bar.
    const double rate = m.answer->evaluation.estimate.training->tokens_per_second.value();
    EXPECT_NEAR(m.tokens_median.value() / (rate * m.answer->run.goodput * q.time.value()), 1.0, 0.05);
    ASSERT_EQ(a->optimum.size(), 2U);
    EXPECT_NEAR(6.0 * a->optimum[0].optimum.parameters * a->optimum[0].optimum.tokens / (6.0 * 8.03e9 * m.tokens.value()), 1.0, 0.01);
    q.time = days(20);
    const Expected<MachinesAnswer> twice = answer_machines(training_plan(), q, catalogue(), options_of({}));
    ASSERT_TRUE(twice);
    EXPECT_NEAR(twice->models.front().tokens / m.tokens, 2.0, 0.02);
    q.time = Seconds{};
    EXPECT_FALSE(answer_machines(training_plan(), q, catalogue(), options_of({})));
}

TEST(Serve, FindsInstancesForTheLoadOfTheDay)
{
    Plan p = *load_plan(example_file("llama-3.1-8b-chat-fleet-p5"));
    set(p, "/load/requests", "300");
    const Expected<ServeAnswer> a = answer_serve(p, std::nullopt, catalogue(), options_of({"p5.48xlarge", "p5.4xlarge"}), ".");
    ASSERT_TRUE(a) << a.error().text();
    ASSERT_EQ(a->alternatives.size(), 2U);
    EXPECT_TRUE(a->alternatives.front().does()) << a->alternatives.front().why;
    Dollars before;
    for (const ServingAlternative& s : a->alternatives)
        if (s.does()) {
            EXPECT_EQ(s.answer->fleet.day.size(), 24U);
            EXPECT_GE(*s.answer->fleet.cost, before);
            before = *s.answer->fleet.cost;
        }
    const Expected<ServeAnswer> poor = answer_serve(p, Dollars{1.0}, catalogue(), options_of({"p5.4xlarge"}), ".");
    ASSERT_TRUE(poor);
    EXPECT_EQ(poor->alternatives.front().binding, Binding::budget);
    set(p, "/load/tpot_limit_ms", "0.1");
    const Expected<ServeAnswer> hopeless = answer_serve(p, std::nullopt, catalogue(), options_of({"p5.4xlarge"}), ".");
    ASSERT_TRUE(hopeless);
    EXPECT_EQ(hopeless->alternatives.front().binding, Binding::limits) << hopeless->alternatives.front().why;
    EXPECT_FALSE(answer_serve(training_plan(), std::nullopt, catalogue(), options_of({}), "."));
}

// Stopped at the first report of progress: one more cluster is not begun, and the note says so.
TEST(Stopping, EndsTheSearchAndSaysSo)
{
    std::stop_source stop;
    CapacityOptions o = options_of({"p5.48xlarge", "p4de.24xlarge", "p4d.24xlarge"}, {8, 16});
    o.progress.stop = stop.get_token();
    o.progress.report = [&](double) { stop.request_stop(); };
    const FinishAnswer a = finish(training_plan(), {day("2026-12-01"), day("2027-01-15"), std::nullopt}, o);
    EXPECT_EQ(a.alternatives.size(), 1U);
    EXPECT_EQ(a.notes.back(), stopped_note);
    const Expected<MachinesAnswer> m = answer_machines(training_plan(), {"p5.48xlarge", 4, days(3), {"llama-3.1-8b"}, std::nullopt}, catalogue(), o);
    ASSERT_TRUE(m);
    EXPECT_TRUE(m->models.empty());
    EXPECT_EQ(m->notes.back(), stopped_note);
    // Within a simulation of load too: no instance is answered, and that is no error.
    const Expected<ServeAnswer> s = answer_serve(*load_plan(example_file("llama-3.1-8b-chat-fleet-p5")), std::nullopt, catalogue(), o, ".");
    ASSERT_TRUE(s) << s.error().text();
    EXPECT_TRUE(s->alternatives.empty());
    EXPECT_EQ(s->notes.back(), stopped_note);
}

} // namespace
} // namespace ridgepoint
