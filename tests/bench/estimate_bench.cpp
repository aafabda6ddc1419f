// How long an answer takes, on every example plan: the estimate alone (what a search repeats), the resolution of names,
// and the whole evaluation (what a key press in the desktop costs).

#include <cstdio>

#include <benchmark/benchmark.h>

#include "model/estimate/estimate.h"
#include "model/project/resolve.h"
#include "tests/bench/example_jobs.h"

int main(int argc, char** argv)
{
    using namespace ridgepoint;
    const Expected<SpecStore> specs = bench::source_specs();
    if (!specs) {
        std::fprintf(stderr, "%s\n", specs.error().text().c_str());
        return 2;
    }
    const Expected<std::vector<bench::Example>> examples = bench::examples(*specs);
    if (!examples) {
        std::fprintf(stderr, "%s\n", examples.error().text().c_str());
        return 2;
    }
    for (const bench::Example& example : *examples) {
        benchmark::RegisterBenchmark(("estimate/" + example.name).c_str(), [&example](benchmark::State& state) {
            for (auto _ : state) {
                auto estimated = estimate(example.job);
                if (!estimated) {
                    state.SkipWithError(estimated.error().text().c_str());
                    break;
                }
                benchmark::DoNotOptimize(estimated);
            }
        })->Unit(benchmark::kMicrosecond);
    }
    for (const bench::Example& example : *examples) {
        benchmark::RegisterBenchmark(("resolve/" + example.name).c_str(), [&example, &specs](benchmark::State& state) {
            for (auto _ : state)
                benchmark::DoNotOptimize(resolve(example.plan, *specs));
        })->Unit(benchmark::kMicrosecond);
        benchmark::RegisterBenchmark(("evaluate/" + example.name).c_str(), [&example, &specs](benchmark::State& state) {
            for (auto _ : state)
                benchmark::DoNotOptimize(evaluate(example.plan, *specs));
        })->Unit(benchmark::kMicrosecond);
    }
    benchmark::RegisterBenchmark("load the catalogue", [](benchmark::State& state) {
        for (auto _ : state)
            benchmark::DoNotOptimize(bench::source_specs());
    })->Unit(benchmark::kMillisecond);

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
