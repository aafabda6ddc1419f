#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/post_training/samples.h"
#include "tests/support/sample.h"

namespace ridgepoint {
namespace {

Job learner(int nodes, DataSharding sharding = DataSharding::zero1, int tp = 2)
{
    Layout l;
    l.tp = tp;
    l.sharding = sharding;
    return sample::training(sample::llama_8b(), nodes, l);
}

Job engine(int gpus, int tp = 1)
{
    Layout l;
    l.tp = tp;
    return sample::serving(sample::llama_8b(), gpus, l, {});
}

PostTraining small()
{
    PostTraining p;
    p.prompts = 64;
    p.group = 8;
    p.prompt_length = 512;
    p.output_length = 1024;
    p.output_limit = 8192;
    p.updates = 1;
    return p;
}

const std::optional<Price> ten_dollars = custom_price("sample.48xlarge", 10.0);

PostTrainingPrediction predict(const Job& l, const PostTraining& p, int rollout_tp = 1)
{
    Job rollout = engine(l.cluster.gpus, rollout_tp);
    rollout.cluster = l.cluster;
    Expected<PostTrainingPrediction> out = predict_post_training(l, rollout, p, ten_dollars);
    EXPECT_TRUE(out) << (out ? "" : out.error().text());
    return out ? *out : PostTrainingPrediction{};
}

Seconds sum(const Iteration& it)
{
    Seconds s;
    for (const Seconds& part : it.parts)
        s += part;
    return s;
}

TEST(Samples, AreCutAndPackedToTheSameAttention)
{
    PostTraining p = small();
    p.output_spread = 0.0;
    const Samples even = draw_samples(p);
    EXPECT_EQ(even.lengths.size(), 512U);
    EXPECT_DOUBLE_EQ(even.squares / even.total, 1536.0);
    p.output_spread = 1.5;
    const Samples spread = draw_samples(p);
    EXPECT_LE(spread.longest_output, p.output_limit);
    EXPECT_GT(spread.squares / spread.total, 1.3 * spread.total / 512.0); // E[L^2] / E[L] > E[L]
    p.algorithm = PostTrainingAlgorithm::dpo;
    EXPECT_EQ(draw_samples(p).lengths.size(), 128U); // pairs
}

TEST(Iteration, TurnsAddUpWhenColocated)
{
    Job l = learner(1);
    l.cluster.node.host_link_per_direction = gigabytes_per_second(64);
    const PostTrainingPrediction r = predict(l, small());
    EXPECT_NEAR(sum(r.best) / r.best.time, 1.0, 1e-12);
    EXPECT_EQ(r.best.rollout.replicas, 8);
    EXPECT_NEAR(r.samples_per_second * r.best.time.value(), 512.0, 1e-6);
    EXPECT_NEAR(r.cost->value(), 8 * 10.0 / 3600.0 * r.best.time.value(), 1e-9);
    EXPECT_NEAR(r.best[IterationPart::offload].value(), 2.0 * r.best.offloaded.value() / 64e9, 1e-9);
    // bf16 weights, fp32 gradients over tp 2; 12 bytes of optimizer also over dp 4: 8.03e9 x (6 / 2 + 12 / 8) = 36.1 GB.
    EXPECT_NEAR(r.best.offloaded.value(), 36.1e9, 0.5e9);
}

TEST(Iteration, APassForwardIsAThirdOfAnUpdate)
{
    // Backward takes twice the forward FLOPs; the optimizer and exposed communication make an update a little longer.
    const PostTrainingPrediction r = predict(learner(1), small());
    const double share = r.best[IterationPart::reference] / r.best[IterationPart::update];
    EXPECT_GT(share, 0.27);
    EXPECT_LT(share, 0.36);
    EXPECT_DOUBLE_EQ(r.best[IterationPart::old_log_probs].value(), r.best[IterationPart::reference].value());
}

TEST(Iteration, EveryAlgorithmHasItsParts)
{
    PostTraining p = small();
    p.reference = p.recompute_old = false;
    const PostTrainingPrediction grpo = predict(learner(1), p);
    EXPECT_EQ(grpo.best[IterationPart::critic], Seconds{});
    EXPECT_EQ(grpo.best[IterationPart::reward], Seconds{});
    p.algorithm = PostTrainingAlgorithm::ppo;
    p.reward_model = 0.5;
    p.reward_time = Seconds{3.0};
    const PostTrainingPrediction ppo = predict(learner(1), p);
    EXPECT_GT(ppo.best[IterationPart::critic], ppo.best[IterationPart::update]); // updates and values
    EXPECT_GT(ppo.best[IterationPart::reward], Seconds{3.0});
    p.algorithm = PostTrainingAlgorithm::dpo;
    const PostTrainingPrediction dpo = predict(learner(1), p);
    EXPECT_EQ(dpo.best[IterationPart::rollout], Seconds{});
    EXPECT_EQ(dpo.best[IterationPart::synchronize], Seconds{});
    EXPECT_GT(dpo.best[IterationPart::reference], Seconds{}); // DPO cannot do without
    EXPECT_EQ(dpo.best.bound, "update");
}

TEST(Rollout, TheLongestAnswerSetsTheEnd)
{
    PostTraining p = small();
    p.output_spread = 0.0;
    const PostTrainingPrediction even = predict(learner(1), p);
    p.output_spread = 1.5;
    const PostTrainingPrediction spread = predict(learner(1), p);
    EXPECT_LT(even.best.rollout.tail, 0.05);
    EXPECT_GT(spread.best.rollout.tail, 0.3);
    EXPECT_GE(spread.best.rollout.time, spread.best.rollout.longest);
    EXPECT_LE(spread.best.rollout.work, spread.best.rollout.time);
    EXPECT_GT(spread.best.rollout.time, even.best.rollout.time); // fewer tokens in all (cut), and yet
    // 64 sequences of 1,024 tokens on each of 8 replicas: 1,024 decode steps of a batch of 64, prompts beside.
    Job j = engine(1);
    Serving s;
    s.phase = ServingPhase::decode;
    s.concurrency = 64;
    s.input_length = 512 + 512;
    s.output_length = 1;
    j.workload = s;
    const double decode = estimate(j)->serving->decode_step.value() * 1023;
    EXPECT_GT(even.best.rollout.time.value(), decode);
    EXPECT_LT(even.best.rollout.time.value(), 1.15 * decode);
}

TEST(Synchronization, MovesWhatTheRolloutLacks)
{
    // 8.03e9 parameters in bf16.
    const PostTrainingPrediction same = predict(learner(1, DataSharding::zero1, 1), small());
    EXPECT_EQ(same.best.synchronize_bytes_time, Seconds{}); // the learner's shard is the rollout's
    EXPECT_NEAR(same.best.weights.value(), 16.06e9, 0.01e9);
    const PostTrainingPrediction sharded = predict(learner(1, DataSharding::zero3, 1), small());
    // Seven eighths come over 400 GB/s of NVLink: 35 ms at full rate.
    EXPECT_GT(sharded.best.synchronize_bytes_time.value(), 16.06e9 * 7 / 8 / 400e9);
    EXPECT_LT(sharded.best.synchronize_bytes_time.value(), 3.0 * 16.06e9 * 7 / 8 / 400e9);
    PostTraining apart = small();
    apart.placement = Placement::disaggregated;
    apart.rollout_gpus = 8;
    const PostTrainingPrediction network = predict(learner(2, DataSharding::zero1, 1), apart);
    EXPECT_GT(network.best.synchronize_bytes_time.value(), 16.06e9 / 400e9); // over the fabric: slower than NVLink
}

TEST(Division, TheBestIsNoWorseThanAnyAndRunningAheadHelps)
{
    PostTraining p = small();
    p.placement = Placement::disaggregated;
    double before = 1e30;
    for (const int k : {0, 1, 2, 4}) {
        p.staleness = k;
        const PostTrainingPrediction r = predict(learner(2), p);
        EXPECT_GE(r.divisions.size(), 5U);
        for (const Iteration& it : r.divisions) {
            EXPECT_GE(it.time, r.best.time);
            EXPECT_EQ(it.rollout_gpus + it.training_gpus, 16);
            EXPECT_GE(it.time, std::max(it.rollout.work, it.training_side));
        }
        EXPECT_LE(r.best.time.value(), before * (1.0 + 1e-12)) << k;
        before = r.best.time.value();
    }
    p.staleness = 0;
    const Iteration waiting = predict(learner(2), p).best;
    EXPECT_NEAR((waiting.rollout_side + waiting.training_side + waiting[IterationPart::synchronize]) / waiting.time, 1.0, 1e-12);
}

TEST(Division, AStatedOneIsTaken)
{
    PostTraining p = small();
    p.placement = Placement::disaggregated;
    p.rollout_gpus = 4;
    EXPECT_EQ(predict(learner(2), p).best.rollout_gpus, 4);
    p.rollout_gpus = 5; // leaves 11, not a multiple of tp 2
    const auto wrong = predict_post_training(learner(2), engine(16), p, ten_dollars);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(wrong.error().place.pointer, "/post_training/rollout_gpus");
}

TEST(Iteration, AnAnswerThatNeverFitsIsTold)
{
    PostTraining p = small();
    p.output_limit = p.output_length = 4'000'000;
    p.output_spread = 0.0;
    const auto r = predict_post_training(learner(1), engine(8), p, ten_dollars);
    ASSERT_FALSE(r);
    EXPECT_EQ(r.error().kind, ErrorKind::infeasible);
}

} // namespace
} // namespace ridgepoint
