// Samples of one prompt, LoRA adapters of a served model, outputs that think before they answer.

#include <algorithm>

#include <gtest/gtest.h>

#include "model/estimate/serving.h"
#include "model/memory/adapters.h"
#include "model/memory/serving_memory.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

namespace {

Serving work()
{
    Serving w;
    w.input_length = 4096;
    w.output_length = 512;
    w.concurrency = 64;
    return w;
}

Job served(const Serving& w, int tp = 4, Transformer model = sample::llama_70b())
{
    Layout l;
    l.tp = tp;
    return sample::serving(std::move(model), tp, l, w);
}

Estimate estimated(const Job& job)
{
    const Expected<Estimate> e = estimate(job);
    EXPECT_TRUE(e) << e.error().text();
    return e ? *e : Estimate{};
}

template <typename Value> Value sum_of(const Estimate& e, OperatorKind kind, Value Operator::* of)
{
    Value sum{};
    for (const Operator& op : e.operators)
        if (op.kind == kind)
            sum += op.*of * op.count;
    return sum;
}

} // namespace

// 80 layers x 2 x 8 heads x 128 x 2 B = 327,680 B a token, over 4 GPUs 81,920 B. Eight samples: 512 tokens of their own and an
// eighth of 4,096.
TEST(Samples, KeepThePromptOnce)
{
    Serving w = work();
    w.samples = 8;
    EXPECT_DOUBLE_EQ(estimated(served(w)).memory.worst().kv_cache.value(), 64.0 * (512 + 4096 / 8) * 81'920);
    w.samples = 1;
    EXPECT_DOUBLE_EQ(estimated(served(w)).memory.worst().kv_cache.value(), 64.0 * (512 + 4096) * 81'920);
}

TEST(Samples, MoreSequencesFit)
{
    Serving w = work();
    const int alone = estimated(served(w)).serving->largest_batch;
    w.samples = 8;
    const int together = estimated(served(w)).serving->largest_batch;
    EXPECT_NEAR(static_cast<double>(together) / alone, 4608.0 / 1024.0, 0.2); // logits of a sequence take their room in both
    EXPECT_GT(together, 4 * alone);
}

// A window of 1,024 has pushed out all but 512 tokens of the prompt when the outputs end.
TEST(Samples, AWindowSharesWhatIsLeftOfThePrompt)
{
    Transformer m = sample::llama_70b();
    m.kinds[0].window = 1024;
    StageContent all;
    all.layers[0] = 80;
    const auto tokens = [&](double own, double sharing) { return kv_bytes_per_sequence(m, {}, {}, all, 4096.0 + own, own, sharing).value() / 327'680.0; };
    EXPECT_DOUBLE_EQ(tokens(512, 1), 1024.0);
    EXPECT_DOUBLE_EQ(tokens(512, 4), 512.0 + 512.0 / 4.0);
    EXPECT_DOUBLE_EQ(tokens(2048, 4), 1024.0);
}

TEST(Samples, ThePromptIsComputedOnce)
{
    Serving w = work();
    const Job one = served(w);
    const ServingDetail before = serve(one, w);
    w.samples = 8;
    const Job eight = served(w);
    const ServingDetail after = serve(eight, w);
    EXPECT_NEAR(after.steal.total().value(), before.steal.total().value() / 8.0, 1e-12);
    EXPECT_DOUBLE_EQ(after.decode.time.total().value(), before.decode.time.total().value()); // reads are not shared
    const ServingResult& r = *after.estimate.serving;
    EXPECT_NEAR(r.output_per_second.value(), 8.0 * r.requests_per_second * w.output_length, 1e-6 * r.output_per_second.value());
}

TEST(Samples, SharedReadsMoveLessAndComputeAsMuch)
{
    Serving w = work();
    w.phase = ServingPhase::decode;
    w.samples = 8;
    const Estimate apart = estimated(served(w));
    w.shared_reads = true;
    const Estimate shared = estimated(served(w));
    EXPECT_NEAR(sum_of(shared, OperatorKind::attention, &Operator::flops).value(), sum_of(apart, OperatorKind::attention, &Operator::flops).value(), 1e9);
    // Seven of eight reads of 4,096 tokens by 64 sequences go; 81,920 B a token.
    const double saved = (sum_of(apart, OperatorKind::attention, &Operator::hbm) - sum_of(shared, OperatorKind::attention, &Operator::hbm)).value();
    EXPECT_NEAR(saved / (64.0 * 4096 * 7.0 / 8.0 * 81'920), 1.0, 0.01);
    EXPECT_LT(shared.serving->tpot, apart.serving->tpot);
}

// Llama 3 8B, rank 16 on all linear layers: 41,943,040 parameters, as PEFT counts them, in bf16. Two GPUs keep the A of
// column-parallel and the B of row-parallel matrices whole.
TEST(Adapters, TakeTheirRankOnEveryMatrix)
{
    StageContent all;
    all.layers[0] = 32;
    ServedAdapters a;
    a.resident = 1;
    Layout l;
    EXPECT_DOUBLE_EQ(adapter_bytes(sample::llama_8b(), l, all, a).value(), 2.0 * 41'943'040);
    l.tp = 2;
    EXPECT_DOUBLE_EQ(adapter_bytes(sample::llama_8b(), l, all, a).value(), 2.0 * 16 * 32 * 55'296.0);
    a.mlp = false;
    l.tp = 1;
    EXPECT_DOUBLE_EQ(adapter_bytes(sample::llama_8b(), l, all, a).value(), 2.0 * 16 * 32 * 26'624.0);
}

TEST(Adapters, LeaveTheCacheLessRoom)
{
    Serving w = work();
    const Estimate none = estimated(served(w, 1, sample::llama_8b()));
    w.adapters.resident = 100;
    const Estimate some = estimated(served(w, 1, sample::llama_8b()));
    EXPECT_DOUBLE_EQ((some.memory.worst().weights - none.memory.worst().weights).value(), 100.0 * 2.0 * 41'943'040);
    EXPECT_LT(some.serving->largest_batch, none.serving->largest_batch);
    EXPECT_DOUBLE_EQ(some.serving->adapter.value(), 2.0 * 41'943'040);
}

// What the operators read for one more distinct adapter is what one takes in memory.
TEST(Adapters, EachDistinctOneIsReadOnce)
{
    const auto bytes = [](int active, int concurrency) {
        Serving w = work();
        w.phase = ServingPhase::decode;
        w.concurrency = concurrency;
        w.adapters.resident = 64;
        w.adapters.active = active;
        return sum_of(estimated(served(w, 2, sample::llama_8b())), OperatorKind::lora, &Operator::hbm).value();
    };
    EXPECT_NEAR(bytes(9, 64) - bytes(8, 64), 2.0 * 16 * 32 * 55'296.0, 1.0);
    EXPECT_DOUBLE_EQ(bytes(64, 16), bytes(16, 16)); // no more than requests
    EXPECT_GT(bytes(1, 64), 0.0);
}

TEST(Adapters, SlowDecodingAndNothingWithoutThem)
{
    Serving w = work();
    const Seconds none = estimated(served(w)).serving->tpot;
    w.adapters.active = 7; // means nothing without a resident one
    EXPECT_EQ(estimated(served(w)).serving->tpot.value(), none.value());
    w.adapters.resident = 8;
    const Seconds seven = estimated(served(w)).serving->tpot;
    w.adapters.rank = 64;
    EXPECT_GT(seven, none);
    EXPECT_GT(estimated(served(w)).serving->tpot, seven);
    w.adapters.active = 9;
    const Expected<Estimate> e = estimate(served(w));
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error().place.pointer, "/workload/adapters/active");
}

TEST(Thinking, TheAnswerWaitsForIt)
{
    Serving w = work();
    w.output_length = 8192;
    const Estimate plain = estimated(served(w));
    EXPECT_FALSE(plain.serving->thinking);
    w.thinking_length = 6000;
    const Estimate e = estimated(served(w));
    ASSERT_TRUE(e.serving->thinking);
    const ThinkingResult& t = *e.serving->thinking;
    EXPECT_EQ(e.serving->tpot.value(), plain.serving->tpot.value()); // a part of the output, not more of it
    EXPECT_EQ(t.answer_tokens, 2192);
    EXPECT_DOUBLE_EQ(t.time.value(), 6000 * e.serving->tpot.value());
    EXPECT_DOUBLE_EQ(t.first_answer.value(), e.serving->ttft.value() + t.time.value());
    EXPECT_DOUBLE_EQ(t.first_cache.value(), 4096 * 327'680.0);
    EXPECT_DOUBLE_EQ(t.last_cache.value(), 12'288 * 327'680.0);
    EXPECT_GT(t.last_step, t.first_step);
}

TEST(Thinking, InABurstAllThinkAtTheShorterContexts)
{
    Serving w = work();
    w.output_length = 8192;
    w.thinking_length = 6000;
    w.burst = true;
    const Estimate e = estimated(served(w));
    const ThinkingResult& t = *e.serving->thinking;
    EXPECT_LT(t.time.value(), 6000 * e.serving->tpot.value());
    EXPECT_GT(t.time.value(), 6000 * t.first_step.value());
}

TEST(Thinking, IsLessThanTheOutput)
{
    Serving w = work();
    w.thinking_length = 512;
    const Expected<Estimate> e = estimate(served(w));
    ASSERT_FALSE(e);
    EXPECT_EQ(e.error().place.pointer, "/workload/thinking_length");
}

TEST(Variants, AreExplained)
{
    Serving w = work();
    w.samples = 4;
    w.thinking_length = 256;
    w.adapters.resident = 4;
    const Expected<Derivation> d = explain(served(w));
    ASSERT_TRUE(d) << d.error().text();
    for (const char* name : {"Prompts in flight", "LoRA adapters in memory", "Time to first answer token"})
        EXPECT_TRUE(std::ranges::any_of(d->inputs, [&](const Derivation& i) { return i.name == name; })) << name;
}
