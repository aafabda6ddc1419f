// The simulated replica against the closed forms of queueing theory in the limits where there are any (Kleinrock, Queueing
// Systems I, 1975): M/M/1, M/D/1, M/G/1, M/M/k, processor sharing, Little's law.

#include <gtest/gtest.h>

#include <cmath>

#include "model/load/load.h"

namespace ridgepoint {
namespace {

// A prompt token takes 1 ms, decoding nothing: service is the prompt's length.
StepTimes prompt_server()
{
    StepTimes s;
    s.prompt_tokens = {{1.0, 2.0}, {1e-3, 2e-3}};
    s.largest_batch = 1;
    return s;
}

// A step takes `alone` with one sequence and `per_more` longer with each further one; prompts cost nothing.
StepTimes decode_server(double alone, double per_more)
{
    StepTimes s;
    s.decode = {{1.0, 2.0}, {1.0}, {alone, alone + per_more}};
    s.largest_batch = 1;
    return s;
}

enum class Spread : unsigned char { constant, exponential };

std::vector<RequestLengths> lengths(int input, int output, Spread spread, int count)
{
    RandomStream random(7, 99);
    std::vector<RequestLengths> out(static_cast<std::size_t>(count), {input, output});
    if (spread == Spread::exponential)
        for (RequestLengths& l : out) {
            const double x = random.exponential();
            l.input = input > 1 ? static_cast<int>(std::max(1.0, std::round(x * input))) : input;
            l.output = output > 1 ? static_cast<int>(std::max(2.0, std::round(x * output))) : output;
        }
    return out;
}

QueueRules rules(double rate, int max_batch, int measured = 100'000)
{
    QueueRules r;
    r.rate = rate;
    r.max_batch = max_batch;
    r.chunk = 0;
    r.warm_up = 2000;
    r.measured = measured;
    return r;
}

double mean_wait(const QueueRun& run)
{
    double sum = 0.0;
    for (const RequestTimes& r : run.requests)
        sum += r.waiting;
    return sum / static_cast<double>(run.requests.size());
}

double mean_stay(const QueueRun& run)
{
    double sum = 0.0;
    for (const RequestTimes& r : run.requests)
        sum += r.end;
    return sum / static_cast<double>(run.requests.size());
}

TEST(Queue, ConstantServiceIsMD1)
{
    // Pollaczek-Khinchine: W = rho / (2 (1 - rho)) x E[S]; 0.7 / 0.6 x 1 s = 1.167 s.
    const QueueRun run = simulate_queue(prompt_server(), lengths(1000, 1, Spread::constant, 10), rules(0.7, 1));
    EXPECT_NEAR(mean_wait(run), 0.7 / 0.6, 0.05);
    EXPECT_NEAR(run.busy, 0.7, 0.01);
    EXPECT_NEAR(run.prefill_share, 1.0, 1e-9);
}

TEST(Queue, ExponentialServiceIsMM1)
{
    const QueueRun run = simulate_queue(prompt_server(), lengths(1000, 1, Spread::exponential, 200'000), rules(0.7, 1, 200'000));
    EXPECT_NEAR(mean_wait(run), 0.7 / 0.3, 0.15); // rho / (1 - rho) x E[S]
    std::vector<double> waits;
    for (const RequestTimes& r : run.requests)
        waits.push_back(r.waiting);
    std::sort(waits.begin(), waits.end());
    EXPECT_NEAR(quantile_of(waits, 0.9), std::log(0.7 / 0.1) / 0.3, 0.4); // P(W > t) = rho e^(-(1 - rho) t / E[S])
    EXPECT_DOUBLE_EQ(quantile_of(waits, 0.2), 0.0); // 1 - rho need not wait
}

TEST(Queue, SpreadServiceIsMG1)
{
    // Lognormal of spread 1: E[S^2] = 2 E[S]^2, so W is that of M/M/1.
    Serving mean;
    mean.input_length = 1000;
    mean.output_length = 1;
    Load load;
    load.output_spread = 0.0;
    std::vector<RequestLengths> drawn = draw_lengths(mean, load, {}, 200'000);
    for (RequestLengths& l : drawn)
        l.output = 1;
    const QueueRun run = simulate_queue(prompt_server(), drawn, rules(0.6, 1, 200'000));
    EXPECT_NEAR(mean_wait(run), 0.6 / 0.4, 0.12);
}

TEST(Queue, ABatchOfKIsMMk)
{
    // Erlang C with k = 4, a = 3.2: C = (a^k / k!) / ((1 - rho) sum_(i<k) a^i / i! + a^k / k!) = 4.369 / (0.2 x 14.78 + 4.369) = 0.5964;
    // W = C / (k mu - lambda) = 0.5964 / 0.8 = 0.7455 s.
    const QueueRun run = simulate_queue(decode_server(1e-3, 0.0), lengths(1, 1000, Spread::exponential, 200'000), rules(3.2, 4, 200'000));
    EXPECT_NEAR(mean_wait(run), 0.7455, 0.06);
    EXPECT_NEAR(run.mean_in_flight, 3.2, 0.06);
}

TEST(Queue, ABatchThatSharesTheMachineIsProcessorSharing)
{
    // t(b) = b x 1 ms: 100 tokens are 0.1 s of work, rho = 0.5, stay = E[S] / (1 - rho) = 0.2 s whatever the law of lengths.
    for (const Spread spread : {Spread::constant, Spread::exponential}) {
        const QueueRun run = simulate_queue(decode_server(1e-3, 1e-3), lengths(1, 100, spread, 200'000), rules(5.0, 100'000, 200'000));
        EXPECT_NEAR(mean_stay(run), 0.2, 0.01);
    }
}

TEST(Queue, LittlesLaw)
{
    // In the system: counted step by step; rate x stay: from the requests' own clocks.
    for (const double rate : {2.0, 6.0, 9.0}) {
        const QueueRun run = simulate_queue(decode_server(10e-3, 0.2e-3), lengths(1, 100, Spread::exponential, 50'000), rules(rate, 12, 50'000));
        EXPECT_NEAR((run.mean_in_flight + run.mean_waiting) / (run.served_per_second * mean_stay(run)), 1.0, 0.02) << rate;
        EXPECT_NEAR(run.served_per_second, rate, 0.05 * rate);
    }
}

TEST(Queue, StridesEqualSteps)
{
    // An arrival cuts a stride short, so a stream of requests that only ever wait must not change those in flight.
    StepTimes s = decode_server(1e-3, 1e-3);
    QueueRules r = rules(1.0, 1, 1000);
    r.even = true;
    r.warm_up = 10;
    const QueueRun run = simulate_queue(s, lengths(1, 501, Spread::constant, 10), r);
    for (const RequestTimes& t : run.requests) {
        EXPECT_NEAR(t.end, 0.5, 1e-6);
        EXPECT_NEAR(t.per_token(), 1e-3, 1e-9);
    }
    for (const WeightedTime& g : run.gaps)
        EXPECT_DOUBLE_EQ(g.seconds, 1e-3);
}

TEST(Queue, PromptsDelayTheTokensOfOthers)
{
    // One user: 100 tokens of 10 ms. With C users in a closed loop TPOT = t_dec + (C - 1) / output x t_pf, as in estimate().
    StepTimes s = decode_server(10e-3, 0.0);
    s.prompt_tokens = {{1.0, 2.0}, {0.1e-3, 0.2e-3}};
    QueueRules r;
    r.feed = Feed::closed;
    r.population = 10;
    r.max_batch = 64;
    r.chunk = 8192;
    r.warm_up = 500;
    r.measured = 5000;
    const QueueRun run = simulate_queue(s, lengths(1000, 200, Spread::exponential, 5000), r);
    double tpot = 0.0, tokens = 0.0;
    for (const RequestTimes& t : run.requests) {
        tpot += t.end - t.first_token;
        tokens += t.output - 1;
    }
    EXPECT_NEAR(tpot / tokens, 10e-3 + 9.0 / 200.0 * 0.1, 0.4e-3);
    EXPECT_NEAR(run.mean_in_flight, 10.0, 1e-6);
}

TEST(Queue, TheCacheLimitsWhoEnters)
{
    StepTimes s = decode_server(1e-3, 0.0);
    s.cache_share = {{1.0, 1000.0}, {1e-3, 1.0}}; // 1,000 tokens in all
    QueueRules r = rules(100.0, 64, 2000);
    r.feed = Feed::closed;
    r.population = 20;
    const QueueRun run = simulate_queue(s, lengths(50, 200, Spread::constant, 10), r); // 250 tokens each
    EXPECT_NEAR(run.mean_in_flight, 4.0, 0.05);
    EXPECT_NEAR(run.cache_used, 1.0, 0.02);
    const QueueRun none = simulate_queue(s, lengths(900, 200, Spread::constant, 10), rules(1.0, 64, 100));
    EXPECT_EQ(none.rejected, 100);
    EXPECT_TRUE(none.requests.empty());
}

TEST(Queue, ADrainEndsWithTheLongest)
{
    StepTimes s = decode_server(1e-3, 0.0);
    QueueRules r;
    r.feed = Feed::drain;
    r.measured = 4;
    const QueueRun run = simulate_queue(s, {{1, 101}, {1, 201}, {1, 51}, {1, 1001}}, r);
    ASSERT_EQ(run.ends.size(), 4U);
    EXPECT_NEAR(run.ends.front(), 0.05, 1e-9);
    EXPECT_NEAR(run.ends.back(), 1.0, 1e-9);
}

TEST(Queue, SamplesOfOnePromptComputeItOnce)
{
    QueueRules r;
    r.feed = Feed::drain;
    r.measured = 8;
    r.samples_per_prompt = 4;
    const QueueRun run = simulate_queue(prompt_server(), {{1000, 1}}, r);
    EXPECT_NEAR(run.ends.back(), 2.0 + 6e-3, 1e-9); // two prompts whole, the last token of six copies
}

TEST(Queue, SpeculationYieldsSeveralTokensAStep)
{
    StepTimes s = decode_server(2e-3, 0.0);
    s.tokens_per_step = 2.0;
    QueueRules r;
    r.feed = Feed::drain;
    r.measured = 1;
    const QueueRun run = simulate_queue(s, {{1, 1001}}, r);
    EXPECT_NEAR(run.requests.front().per_token(), 1e-3, 1e-9);
}

// One sequence decodes 10,000 tokens while its steps grow from 1 to 11 ms; what arrives meanwhile waits for one step at most.
TEST(Queue, AnArrivalWaitsForOneStepOfALongDecode)
{
    StepTimes s;
    s.prompt_tokens = {{1.0, 2.0}, {1e-9, 1e-9}};
    s.decode = {{1.0, 2.0}, {1.0, 10'001.0}, {1e-3, 11e-3, 1e-3, 11e-3}};
    s.largest_batch = 8;
    QueueRules r = rules(1.0 / 20.0, 8, 200);
    r.even = true;
    r.warm_up = 1;
    r.follow_growth = true;
    for (const RequestTimes& t : simulate_queue(s, {{1, 10'000}}, r).requests)
        EXPECT_LE(t.waiting, 11.5e-3);
}

} // namespace
} // namespace ridgepoint
