#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/load/load.h"
#include "tests/support/sample.h"

namespace ridgepoint {
namespace {

Serving chat()
{
    Serving s;
    s.input_length = 1024;
    s.output_length = 256;
    s.concurrency = 32;
    return s;
}

Job job(int gpus = 1, int tp = 1, Serving work = chat())
{
    Layout l;
    l.tp = tp;
    return sample::serving(sample::llama_8b(), gpus, l, work);
}

Load quick(double rate)
{
    Load l;
    l.rate = rate;
    l.requests = 1500;
    return l;
}

TEST(Random, IsTheSameEverywhere)
{
    // The engine's own check value: the 10,000th output of a default mt19937_64 [C++ standard, rand.predef].
    std::mt19937_64 standard;
    standard.discard(9999);
    EXPECT_EQ(standard(), 9981545732273789042U);
    RandomStream a(1, 0), b(1, 0), c(1, 1), d(2, 0);
    const double first = a.uniform();
    EXPECT_EQ(first, b.uniform());
    EXPECT_NE(first, c.uniform());
    EXPECT_NE(first, d.uniform());
}

TEST(Random, Moments)
{
    RandomStream random(3, 3);
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < 100'000; ++i) {
        const double x = random.exponential();
        mean += x / 1e5;
        square += x * x / 1e5;
        EXPECT_GE(x, 0.0);
    }
    EXPECT_NEAR(mean, 1.0, 0.02);
    EXPECT_NEAR(square, 2.0, 0.1);
    // Tables of the standard normal distribution.
    EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-9);
    EXPECT_NEAR(normal_quantile(0.9), 1.2815515655, 1e-8);
    EXPECT_NEAR(normal_quantile(0.99), 2.3263478740, 1e-8);
    EXPECT_NEAR(normal_quantile(0.001), -3.0902323062, 1e-8);
}

TEST(Lengths, KeepTheirMeanAndSpread)
{
    Load l;
    l.input_spread = 0.5;
    l.output_spread = 1.3;
    const std::vector<RequestLengths> drawn = draw_lengths(chat(), l, {}, 4000);
    double in = 0.0, out = 0.0, square = 0.0;
    std::vector<double> outputs;
    for (const RequestLengths& r : drawn) {
        in += r.input / 4000.0;
        out += r.output / 4000.0;
        square += static_cast<double>(r.output) * r.output / 4000.0;
        outputs.push_back(r.output);
    }
    EXPECT_NEAR(in, 1024.0, 5.0);
    EXPECT_NEAR(out, 256.0, 4.0);
    EXPECT_NEAR(std::sqrt(square / out / out - 1.0), 1.3, 0.15);
    std::sort(outputs.begin(), outputs.end());
    EXPECT_NEAR(quantile_of(outputs, 0.5), 256.0 / std::sqrt(1.0 + 1.3 * 1.3), 2.0); // mean over median = (1 + spread^2)^1/2
    l.lengths = LengthSpread::constant;
    EXPECT_EQ(draw_lengths(chat(), l, {}, 3).back(), (RequestLengths{1024, 256}));
}

TEST(Lengths, AreReadFromPublishedFormats)
{
    const auto azure = parse_request_lengths("TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,0\r\n", "t.csv");
    ASSERT_TRUE(azure) << azure.error().text();
    EXPECT_EQ(*azure, (std::vector<RequestLengths>{{4808, 10}})); // the request without output failed
    const auto lines = parse_request_lengths("{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46]}\n\n{\"prompt_tokens\": 5, \"completion_tokens\": 7}\n", "t.jsonl");
    ASSERT_TRUE(lines) << lines.error().text();
    EXPECT_EQ(*lines, (std::vector<RequestLengths>{{6955, 52}, {5, 7}}));
}

TEST(Lengths, MistakesNameTheirLine)
{
    struct Case {
        const char* text;
        int line;
    };
    for (const Case& c : {Case{"a,b\n1,2\n", 1}, Case{"input_length,output_length\n1,2\nx,2\n", 3}, Case{"input_length,output_length\n1\n", 2},
             Case{"{\"input_length\": 1}\n", 1}, Case{"{\"input_length\": 1, \"output_length\": 1}\n{\n", 2}, Case{"input_length,output_length\n-1,2\n", 2},
             Case{"input_length,output_length\n1.5,2\n", 2}, Case{"input_length,output_length\n1e300,2\n", 2}}) {
        const auto r = parse_request_lengths(c.text, "t");
        ASSERT_FALSE(r) << c.text;
        EXPECT_EQ(r.error().place.line, c.line) << c.text << r.error().text();
    }
    EXPECT_FALSE(parse_request_lengths("", "t"));
    EXPECT_FALSE(parse_request_lengths("input_length,output_length\n", "t"));
}

TEST(StepTables, AgreeWithTheEngineBetweenTheirPoints)
{
    for (const bool latent : {false, true}) {
        Layout l;
        l.tp = latent ? 1 : 2;
        l.ep = latent ? 8 : 1;
        l.attention_dp = latent;
        Job j = sample::serving(latent ? sample::latent_moe() : sample::llama_70b(), 8, l, chat());
        const auto steps = tabulate_steps(j, 8192, 256);
        ASSERT_TRUE(steps) << steps.error().text();
        for (const int sequences : {9, 37, 119})
            for (const int context : {517, 2222, 6001}) {
                Serving s = chat();
                s.phase = ServingPhase::decode;
                s.concurrency = sequences;
                s.input_length = context;
                s.output_length = 1;
                j.workload = s;
                const auto e = estimate(j);
                ASSERT_TRUE(e) << e.error().text();
                EXPECT_NEAR(steps->decode.at(sequences, context) / e->serving->decode_step.value(), 1.0, 0.04) << sequences << " x " << context;
            }
        for (const int tokens : {77, 1500, 5000})
            for (const int before : {0, 700, 3000}) {
                Serving s = chat();
                s.phase = ServingPhase::prefill;
                s.chunk = 0;
                s.input_length = tokens + before;
                s.prefix_hit = static_cast<double>(before) / s.input_length;
                j.workload = s;
                const auto e = estimate(j);
                ASSERT_TRUE(e) << e.error().text();
                // The engine's time of a latent prompt jumps where it goes over to the absorbed form; the table ramps.
                EXPECT_NEAR(steps->prefill(tokens, before) / e->serving->prefill_step.value(), 1.0, latent ? 0.35 : 0.05) << tokens << " after " << before;
            }
        Serving s = chat();
        s.input_length = 3000;
        s.output_length = 1000;
        j.workload = s;
        EXPECT_NEAR(steps->cache_share.at(4000.0) * estimate(j)->serving->largest_batch, 1.0, 0.06);
    }
}

TEST(LoadPrediction, WithoutLoadIsTheEnginesLatency)
{
    Load l = quick(0.01);
    l.lengths = LengthSpread::constant;
    const Job j = job();
    const auto p = predict_load(j, l);
    ASSERT_TRUE(p) << p.error().text();
    Serving alone = chat();
    alone.concurrency = 1;
    Job one = j;
    one.workload = alone;
    const auto e = estimate(one);
    ASSERT_TRUE(e);
    EXPECT_NEAR(p->unloaded.ttft.p50 / e->serving->ttft, 1.0, 0.02);
    EXPECT_NEAR(p->unloaded.tpot.p50 / e->serving->decode_step, 1.0, 0.01); // nobody's prefill to wait for
    EXPECT_NEAR(p->unloaded.ttft.p99 / p->unloaded.ttft.p50, 1.0, 1e-9);
    EXPECT_NEAR(p->offered->ttft.p50 / p->unloaded.ttft.p50, 1.0, 0.05);
}

TEST(LoadPrediction, AClosedLoopIsTheEnginesSteadyState)
{
    for (const int users : {4, 32, 128}) {
        Serving s = chat();
        s.concurrency = users;
        Load l = quick(1.0);
        l.arrival = Arrival::closed;
        l.input_spread = l.output_spread = 0.5; // equal lengths would march in step and not meet each other's prompts
        const Job j = job(1, 1, s);
        const auto p = predict_load(j, l);
        ASSERT_TRUE(p) << p.error().text();
        const auto e = estimate(j);
        ASSERT_TRUE(e);
        // The engine charges a sequence one prompt of its own too: C instead of C - 1.
        const Seconds own = e->breakdown[StepPart::prefill_share].total() / users;
        EXPECT_NEAR(p->offered->gap.mean / (e->serving->tpot - own), 1.0, 0.05) << users;
        EXPECT_NEAR(p->offered->output / e->serving->output_per_second, 1.0, 0.08) << users;
    }
}

TEST(LoadPrediction, LatencyRisesWithTheRateAndSaturationIsTold)
{
    const auto p = predict_load(job(), quick(3.0));
    ASSERT_TRUE(p) << p.error().text();
    ASSERT_TRUE(p->offered);
    EXPECT_FALSE(p->saturated);
    for (std::size_t i = 1; i < p->curve.size(); ++i) {
        EXPECT_GE(p->curve[i].rate, p->curve[i - 1].rate);
        EXPECT_GE(p->curve[i].tpot.mean, 0.98 * p->curve[i - 1].tpot.mean);
        EXPECT_LE(p->curve[i].ttft.p50, p->curve[i].ttft.p90);
        EXPECT_LE(p->curve[i].ttft.p90, p->curve[i].ttft.p99);
        EXPECT_LE(p->curve[i].goodput, p->curve[i].rate * 1.000001);
    }
    const auto beyond = predict_load(job(), quick(p->largest_rate * 1.01));
    ASSERT_TRUE(beyond);
    EXPECT_TRUE(beyond->saturated);
    EXPECT_FALSE(beyond->offered);
    EXPECT_DOUBLE_EQ(beyond->largest_rate, p->largest_rate);
    const auto again = predict_load(job(), quick(3.0));
    EXPECT_EQ(again->offered->ttft.p99, p->offered->ttft.p99); // fixed seed
}

TEST(LoadPrediction, TheLargestRateWithinLimitsKeepsThem)
{
    Load l = quick(1.0);
    l.tpot_limit = milliseconds(12.0);
    const auto p = predict_load(job(), l);
    ASSERT_TRUE(p) << p.error().text();
    ASSERT_TRUE(p->at_limits);
    EXPECT_EQ(p->limited_by, "TPOT");
    EXPECT_LE(p->at_limits->tpot.limit, l.tpot_limit);
    EXPECT_NEAR(p->at_limits->tpot.limit / l.tpot_limit, 1.0, 0.03);
    EXPECT_LT(p->at_limits->rate, p->largest_rate);
    l.tpot_limit = milliseconds(1.0);
    const auto never = predict_load(job(), l);
    EXPECT_FALSE(never->at_limits);
    EXPECT_EQ(never->limited_by, "TPOT");
    l.tpot_limit = l.ttft_limit = Seconds{1000.0};
    EXPECT_EQ(predict_load(job(), l)->limited_by, "saturation");
}

TEST(LoadPrediction, ReplicasShareTheRate)
{
    const auto one = predict_load(job(1), quick(3.0));
    const auto eight = predict_load(job(8), quick(24.0));
    ASSERT_TRUE(one && eight);
    EXPECT_EQ(eight->replicas, 8);
    EXPECT_NEAR(eight->largest_rate / one->largest_rate, 8.0, 1e-9);
    EXPECT_NEAR(eight->offered->ttft.p90 / one->offered->ttft.p90, 1.0, 1e-6);
}

TEST(LoadPrediction, WrongPlansAreTold)
{
    Serving s = chat();
    s.phase = ServingPhase::decode;
    EXPECT_FALSE(predict_load(job(1, 1, s), quick(1.0)));
    Load l = quick(1.0);
    l.lengths = LengthSpread::file;
    EXPECT_FALSE(predict_load(job(), l));
    Job big = job();
    big.model = sample::llama_70b();
    big.cluster.accelerator.hbm_visible = gibibytes(80);
    const auto p = predict_load(big, quick(1.0));
    ASSERT_FALSE(p);
    EXPECT_EQ(p.error().kind, ErrorKind::infeasible);
}

} // namespace
} // namespace ridgepoint
