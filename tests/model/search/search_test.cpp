#include "model/search/search.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/estimate/quick.h"
#include "model/project/resolve.h"
#include "model/search/axes.h"
#include "model/search/neighbours.h"
#include "model/search/shard_file.h"
#include "tests/model/project/catalogue.h"

using namespace ridgepoint;

namespace {

Plan dense()
{
    Plan p;
    p.name = "dense";
    p.model = "llama-3.1-8b";
    p.instance = "p5.48xlarge";
    p.nodes = 2;
    Training t;
    t.sequence_length = 4096;
    t.global_batch = 64;
    t.tokens = Tokens{1e11};
    p.workload = t;
    return p;
}

Plan mixture()
{
    Plan p = dense();
    p.model = "qwen3-30b-a3b";
    return p;
}

SearchProblem problem(const Plan& plan, const std::vector<std::pair<std::string, std::vector<std::string>>>& axes = {})
{
    const Expected<Job> job = resolve(plan, catalogue());
    EXPECT_TRUE(job) << job.error().text();
    SearchSpace space = default_space(plan, *job);
    for (const auto& [axis, values] : axes) {
        const Status s = set_axis(space, plan, axis, values);
        EXPECT_TRUE(s) << s.error().text();
    }
    Expected<SearchProblem> p = SearchProblem::make(plan, space, catalogue());
    EXPECT_TRUE(p) << p.error().text();
    return *p;
}

// Small enough to look at every point with estimate().
std::vector<std::pair<std::string, std::vector<std::string>>> small()
{
    return {{"tp", {"1", "2", "8"}}, {"pp", {"1", "2", "4"}}, {"vpp", {"1", "2", "3"}}, {"micro_batch", {"1", "2"}}, {"recompute", {"none", "full"}},
        {"cp", {"1"}}, {"sharding", {"zero1", "zero3"}}};
}

void expect_same(const SearchResult& a, const SearchResult& b)
{
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.alike, b.alike);
    EXPECT_EQ(a.estimated, b.estimated);
    EXPECT_EQ(a.feasible, b.feasible);
    const auto numbers = [](const std::vector<FoundPlan>& plans) {
        std::vector<std::pair<std::uint64_t, double>> out;
        for (const FoundPlan& f : plans)
            out.emplace_back(f.point.index, f.time.value());
        return out;
    };
    EXPECT_EQ(numbers(a.best), numbers(b.best));
    EXPECT_EQ(numbers(a.pareto), numbers(b.pareto));
    for (std::size_t i = 0; i < layout_rule_count; ++i) {
        EXPECT_EQ(a.broken_rules[i].points, b.broken_rules[i].points);
        EXPECT_EQ(a.broken_rules[i].example.has_value(), b.broken_rules[i].example.has_value());
        if (a.broken_rules[i].example && b.broken_rules[i].example) {
            EXPECT_EQ(a.broken_rules[i].example->index, b.broken_rules[i].example->index);
        }
    }
    for (std::size_t i = 0; i < rejection_count; ++i) {
        EXPECT_EQ(a.rejected[i].points, b.rejected[i].points);
        EXPECT_EQ(a.rejected[i].shortfall, b.rejected[i].shortfall);
    }
}

} // namespace

// The promise that everything rests on: a search computes what the plan editor shows, to the last bit.
TEST(QuickEstimate, IsTheEstimateToTheLastBit)
{
    for (const Plan& plan : {dense(), mixture()}) {
        const SearchProblem p = problem(plan);
        QuickEstimator quick;
        int compared = 0;
        for (std::uint64_t i = 0; i < p.space().points(); i += 997) {
            const SearchPoint point = p.point(i);
            if (point.layout.dp == 0)
                continue;
            const Job job = p.job(point);
            const QuickEstimate q = quick(job);
            const Expected<Estimate> e = estimate(job);
            ASSERT_EQ(q.possible(), static_cast<bool>(e)) << i;
            if (!e)
                continue;
            ++compared;
            ASSERT_EQ(q.time.total().value(), e->time.total().value()) << i;
            for (std::size_t r = 0; r < resource_count; ++r)
                ASSERT_EQ(q.time.part(static_cast<Resource>(r)).value(), e->time.part(static_cast<Resource>(r)).value()) << i;
            ASSERT_EQ(q.training->mfu, e->training->mfu) << i;
            ASSERT_EQ(q.memory.value(), e->memory.worst().total().value()) << i;
        }
        EXPECT_GT(compared, 50);
    }
}

TEST(Search, FindsWhatBruteForceFinds)
{
    const SearchProblem p = problem(dense(), small());
    SearchOptions o;
    o.keep = 5;
    const SearchResult r = search(p, o);

    std::vector<std::pair<double, std::uint64_t>> all; // of every legal point that fits, pruned or not
    std::uint64_t broken = 0;
    for (std::uint64_t i = 0; i < p.space().points(); ++i) {
        const SearchPoint point = p.point(i);
        const Expected<Estimate> e = point.layout.dp > 0 ? estimate(p.job(point)) : Expected<Estimate>(infeasible("", ""));
        if (!e)
            ++broken;
        else if (e->memory.fits())
            all.emplace_back(e->training->step.value(), i);
    }
    ASSERT_FALSE(all.empty());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(r.points, p.space().points());
    EXPECT_EQ(r.best.front().time.value(), all.front().first);
    // Pruned points are copies: every step time of the true front is among those kept, in the same order.
    std::vector<double> times;
    for (const auto& [time, index] : all)
        if (times.empty() || time != times.back())
            times.push_back(time);
    std::vector<double> kept;
    for (const FoundPlan& f : r.best)
        if (kept.empty() || f.time.value() != kept.back())
            kept.push_back(f.time.value());
    for (std::size_t i = 0; i < kept.size(); ++i)
        EXPECT_EQ(kept[i], times[i]);
    std::uint64_t counted = r.alike + r.feasible;
    for (const RejectionCount& c : r.broken_rules)
        counted += c.points;
    for (const RejectionCount& c : r.rejected)
        counted += c.points;
    EXPECT_EQ(counted, r.points) << "every point has one fate";
    EXPECT_LE(r.feasible, all.size());
    (void)broken;
}

// A pruned point has a twin that is estimated and is no worse.
TEST(Search, OnlyCopiesArePruned)
{
    for (const Plan& plan : {dense(), mixture()}) {
        const SearchProblem p = problem(plan, {{"pp", {"1", "2"}}, {"vpp", {"1", "2"}}, {"micro_batch", {"1"}}, {"cp", {"1"}}, {"recompute", {"none"}}});
        std::vector<double> estimated;
        QuickEstimator quick;
        std::vector<std::pair<std::uint64_t, double>> pruned;
        for (std::uint64_t i = 0; i < p.space().points(); ++i) {
            const SearchPoint point = p.point(i);
            if (point.layout.dp == 0)
                continue;
            const QuickEstimate e = quick(p.job(point));
            if (!e.possible())
                continue;
            if (is_canonical(point.layout, p.space(), true))
                estimated.push_back(e.time.total().value());
            else
                pruned.emplace_back(i, e.time.total().value());
        }
        std::sort(estimated.begin(), estimated.end());
        ASSERT_FALSE(pruned.empty());
        for (const auto& [index, time] : pruned)
            EXPECT_TRUE(std::binary_search(estimated.begin(), estimated.end(), time)) << index;
    }
}

TEST(Search, ThreadsDoNotChangeTheResult)
{
    const SearchProblem p = problem(mixture(), {{"micro_batch", {"1", "2"}}, {"cp", {"1"}}, {"recompute", {"none", "full"}}});
    SearchOptions one;
    one.threads = 1;
    SearchOptions four;
    four.threads = 4;
    expect_same(search(p, one), search(p, four));
}

TEST(Search, MergedShardsAreTheWhole)
{
    const SearchProblem p = problem(mixture(), {{"micro_batch", {"1", "2"}}, {"cp", {"1"}}, {"recompute", {"none", "full"}}});
    SearchOptions o;
    const SearchResult whole = search(p, o);
    std::vector<SearchResult> parts;
    for (std::uint64_t i = 0; i < 3; ++i) {
        o.shard = i;
        o.shards = 3;
        const SearchResult part = search(p, o);
        const Expected<Shard> read = read_shard(shard_text(part, p, o), "shard.json", p, o); // through the file and back
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(read->number, i);
        parts.push_back(read->result);
    }
    expect_same(whole, merge(parts, o));
}

TEST(Search, AShardOfAnotherSearchIsRefused)
{
    const SearchProblem p = problem(dense(), small());
    SearchOptions o;
    const std::string text = shard_text(search(p, o), p, o);
    Plan other = dense();
    std::get<Training>(other.workload).global_batch = 128;
    EXPECT_FALSE(read_shard(text, "a", problem(other, small()), o));
    o.keep = 7;
    EXPECT_FALSE(read_shard(text, "a", p, o));
    EXPECT_FALSE(read_shard("[]", "a", p, {}));
    EXPECT_FALSE(read_shard("{\"ridgepoint_search_shard\": \"x\"}", "a", p, {}));
}

TEST(Search, LimitsAreKept)
{
    const SearchProblem p = problem(dense(), small());
    SearchOptions o;
    o.keep = 1000;
    const SearchResult free = search(p, o);
    ASSERT_GT(free.best.size(), 3U);
    o.limits.headroom = gibibytes(20);
    o.limits.deadline = hours(24 * 365);
    for (const FoundPlan& f : search(p, o).best)
        EXPECT_GE(f.headroom, gibibytes(20));
    o.limits.deadline = Seconds{1.0};
    const SearchResult none = search(p, o);
    EXPECT_TRUE(none.best.empty());
    EXPECT_GT(none.rejected[static_cast<std::size_t>(Rejection::deadline)].points, 0U);
}

TEST(Search, NearestMissIsTheOneThatLacksLeast)
{
    Plan big = dense();
    big.model = "llama-3.1-70b";
    big.nodes = 1;
    const SearchProblem p = problem(big, small());
    const SearchResult r = search(p, {});
    const RejectionCount& c = r.rejected[static_cast<std::size_t>(Rejection::memory)];
    ASSERT_GT(c.points, 0U);
    ASSERT_TRUE(c.example);
    const Expected<Estimate> e = estimate(p.job(*c.example));
    ASSERT_TRUE(e);
    EXPECT_DOUBLE_EQ((-e->memory.headroom()).value(), c.shortfall.value());
}

TEST(Search, ServingKeepsItsLimits)
{
    Plan plan;
    plan.model = "llama-3.1-8b";
    plan.instance = "p5.48xlarge";
    plan.nodes = 1;
    plan.workload = Serving{};
    plan.assumptions.framework = Framework::vllm;
    plan.layout.tp = 1;
    const SearchProblem p = problem(plan);
    SearchOptions o;
    o.objective = Objective::throughput_per_gpu;
    o.limits.tpot = milliseconds(20);
    const SearchResult r = search(p, o);
    ASSERT_FALSE(r.best.empty());
    for (const FoundPlan& f : r.best)
        EXPECT_LE(f.time, milliseconds(20));
    EXPECT_GT(r.rejected[static_cast<std::size_t>(Rejection::tpot)].points, 0U);
}

namespace {

Plan pools()
{
    Plan p = dense();
    p.model = "llama-3.1-70b";
    p.nodes = 1;
    Serving w;
    w.input_length = 4096;
    w.output_length = 256;
    w.concurrency = 32;
    w.pool.apart = true;
    w.pool.tp = 1;
    p.workload = w;
    p.layout.tp = 2;
    p.precision.recipe = "fp8";
    p.assumptions.framework = Framework::vllm;
    return p;
}

} // namespace

// The rate of a unit of p prompt workers and d decoding ones is min(p X_p, d X_d): no split that the search passes over gets more
// out of the eight GPUs.
TEST(Search, FindsTheSplitBetweenPromptsAndDecoding)
{
    const Plan plan = pools();
    const SearchProblem p = problem(plan, {{"tp", {"2"}}, {"pp", {"1"}}, {"concurrency", {"32"}}, {"prompt_tp", {"1"}},
        {"prompt_workers", {"1", "2", "3", "4", "6"}}, {"decode_workers", {"1", "2", "3"}}});
    SearchOptions o;
    o.keep = 100;
    const SearchResult r = search(p, o, {});
    EXPECT_EQ(r.points, 15u);
    EXPECT_EQ(r.alike, 5u); // 2:2, 3:3, 4:2, 6:2 and 6:3
    double best = 0;
    for (std::uint64_t i = 0; i < p.space().points(); ++i)
        if (const Expected<Estimate> e = estimate(p.job(p.point(i))))
            best = std::max(best, e->serving->replicas * e->serving->output_per_second.value());
    ASSERT_FALSE(r.best.empty());
    EXPECT_DOUBLE_EQ(r.best.front().tokens_per_second.value(), best);
    const Expected<Job> chosen = resolve(p.plan_of(r.best.front().point), catalogue());
    ASSERT_TRUE(chosen) << chosen.error().text();
    const Expected<Estimate> own = estimate(*chosen);
    ASSERT_TRUE(own) << own.error().text();
    ASSERT_TRUE(own->disaggregated);
    EXPECT_EQ(own->disaggregated->prompt_workers, r.best.front().point.prompt_workers);
    EXPECT_EQ(own->disaggregated->decode_workers, r.best.front().point.decode_workers);
}

TEST(Axes, OfPoolsAreForPlansWithPools)
{
    EXPECT_TRUE(axis_applies(pools(), "prompt_workers"));
    Plan one = pools();
    std::get<Serving>(one.workload).pool.apart = false;
    EXPECT_FALSE(axis_applies(one, "prompt_workers"));
    EXPECT_FALSE(axis_applies(dense(), "decode_workers"));
    EXPECT_EQ(problem(one).space().prompt_workers.size(), 1u);
}

TEST(Search, InstancesAreCompared)
{
    const SearchProblem p = problem(dense(), {{"tp", {"1", "8"}}, {"pp", {"1"}}, {"vpp", {"1"}}, {"cp", {"1"}}, {"micro_batch", {"1"}}, {"recompute", {"none"}},
        {"instance", {"p5.48xlarge", "p5en.48xlarge"}}, {"nodes", {"1", "2"}}, {"recipe", {"bf16", "mxfp8"}}});
    SearchOptions o;
    o.objective = Objective::cost_per_token;
    const SearchResult r = search(p, o);
    ASSERT_FALSE(r.best.empty());
    EXPECT_TRUE(r.best.front().cost_per_token);
    // Hopper has no block-scaled units: that half of the space is refused, not mispredicted.
    EXPECT_GT(r.broken_rules[static_cast<std::size_t>(LayoutRule::arithmetic)].points, 0U);
    for (std::size_t i = 1; i < r.best.size(); ++i)
        EXPECT_LE(r.best[i - 1].cost_per_token->value(), r.best[i].cost_per_token->value());
    // Opened as a plan it is the same plan.
    const Expected<Evaluation> v = evaluate_only(p.plan_of(r.best.front().point), catalogue());
    ASSERT_TRUE(v) << v.error().text();
    EXPECT_EQ(v->estimate.training->step.value(), r.best.front().time.value());
    EXPECT_DOUBLE_EQ(v->cost.per_token->value(), r.best.front().cost_per_token->value());
}

TEST(Search, StopsAtOnce)
{
    const SearchProblem p = problem(mixture());
    std::stop_source stop;
    stop.request_stop();
    Progress progress;
    progress.stop = stop.get_token();
    const SearchResult r = search(p, {}, progress);
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(r.points, 0U);
}

TEST(Axes, RefuseWhatAPlanRefuses)
{
    const Plan plan = dense();
    const Expected<Job> job = resolve(plan, catalogue());
    SearchSpace space = default_space(plan, *job);
    EXPECT_FALSE(set_axis(space, plan, "tp", {"0"}));
    EXPECT_FALSE(set_axis(space, plan, "recompute", {"sometimes"}));
    EXPECT_FALSE(set_axis(space, plan, "colour", {"red"}));
    EXPECT_FALSE(set_axis(space, plan, "tp", {}));
    EXPECT_TRUE(set_axis(space, plan, "recompute", {"none", "full", "full"}));
    EXPECT_EQ(axis_values(space, plan, "recompute"), (std::vector<std::string>{"none", "full"}));
}

// Stages that the GPUs ask for and the layers do not divide by, and whatever the plan itself has.
TEST(Space, HoldsThePlanAndTheDivisorsOfItsGpus)
{
    Plan plan = dense();
    plan.nodes = 3;
    plan.layout.micro_batch = 3;
    const Expected<Job> job = resolve(plan, catalogue());
    ASSERT_TRUE(job) << job.error().text();
    const SearchSpace space = default_space(plan, *job);
    const auto holds = [](const std::vector<int>& axis, int v) { return std::find(axis.begin(), axis.end(), v) != axis.end(); };
    EXPECT_TRUE(holds(space.pp, 3));
    EXPECT_TRUE(holds(space.pp, 24)) << "24 GPUs";
    EXPECT_TRUE(holds(space.micro_batch, 3));
}

// Every number of the space decodes to a different choice.
TEST(Space, NumbersAreChoices)
{
    const SearchProblem p = problem(dense(), small());
    std::vector<std::string> seen;
    for (std::uint64_t i = 0; i < p.space().points(); ++i) {
        const SearchPoint q = p.point(i);
        const Layout& l = q.layout;
        seen.push_back(std::to_string(l.tp) + "," + std::to_string(l.pp) + "," + std::to_string(l.vpp) + "," + std::to_string(l.micro_batch) + ","
            + std::to_string(static_cast<int>(l.recompute)) + "," + std::to_string(static_cast<int>(l.schedule)) + "," + std::to_string(static_cast<int>(l.sharding))
            + "," + std::to_string(l.sequence_parallel) + "," + std::to_string(l.overlap_tp));
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

// The plan is judged on its own machine, whatever else is tried and in whatever order.
TEST(Neighbours, AreOnThePlansOwnCluster)
{
    Plan plan = dense();
    plan.layout.tp = 8;
    plan.layout.dp = 0;
    // The first recipe is none of the first machine's.
    const SearchProblem p = problem(plan, {{"instance", {"p4de.24xlarge", "p5.48xlarge"}}, {"recipe", {"fp8", "bf16"}}});
    ASSERT_TRUE(p.own());
    EXPECT_EQ(p.space().clusters[p.own()->cluster].instance, "p5.48xlarge");
    const std::vector<Neighbour> near = nearest_feasible(p, {});
    ASSERT_EQ(near.size(), 1U);
    EXPECT_TRUE(near.front().changes.empty());
    EXPECT_EQ(p.plan_of(near.front().plan.point).instance, plan.instance);
    const Expected<Evaluation> alone = evaluate_only(plan, catalogue());
    ASSERT_TRUE(alone) << alone.error().text();
    EXPECT_EQ(near.front().plan.time, alone->estimate.time.total());

    const SearchProblem elsewhere = problem(plan, {{"instance", {"p4de.24xlarge"}}});
    EXPECT_FALSE(elsewhere.own());
    EXPECT_TRUE(nearest_feasible(elsewhere, {}).empty());
}

// One change mends a plan that lacks one thing: optimizer states of 70B shard over eight nodes.
TEST(Neighbours, NameTheSmallestChange)
{
    Plan plan = dense();
    plan.layout.tp = 8;
    plan.layout.dp = 0;
    const std::vector<Neighbour> fine = nearest_feasible(problem(plan), {});
    ASSERT_EQ(fine.size(), 1U);
    EXPECT_TRUE(fine.front().changes.empty());

    plan.model = "llama-3.1-70b"; // 18 B a parameter over tp 8 is 157 GB a GPU
    plan.nodes = 8;
    plan.layout.sharding = DataSharding::none;
    const std::vector<Neighbour> near = nearest_feasible(problem(plan), {});
    ASSERT_FALSE(near.empty());
    for (const Neighbour& n : near) {
        EXPECT_LE(n.changes.size(), 2U);
        EXPECT_GE(n.plan.headroom, Bytes{});
    }
    for (std::size_t i = 1; i < near.size(); ++i)
        EXPECT_GE(near[i].plan.time, near[i - 1].plan.time);
}
