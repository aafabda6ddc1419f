// Predicted iterations of reinforcement learning beside published ones, part by part, and the error over all. Asserts nothing; the
// bounds are held by published_rl_test.
// usage: published_iterations

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "tests/support/published_rl.h"

using namespace ridgepoint;

int main()
{
    const Expected<SpecStore> specs = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    if (!specs) {
        fmt::print(stderr, "{}\n", specs.error().text());
        return 2;
    }
    std::vector<double> errors;
    double bias = 0.0;
    fmt::print("{:28} {:>5} {:>10} {:>10} {:>6}  parts predicted\n", "", "GPUs", "measured", "predicted", "ratio");
    for (const PublishedIteration& row : nemo_rl) {
        const Expected<PostTrainingAnswer> a = evaluate_post_training(plan_of(row), *specs);
        if (!a) {
            fmt::print("{:28} not expressed: {}\n", row.name, a.error().text());
            continue;
        }
        const Iteration& it = a->prediction.best;
        const double ratio = it.time.value() / row.seconds;
        errors.push_back(std::fabs(ratio - 1.0));
        bias += ratio - 1.0;
        fmt::print("{:28} {:5} {:8.1f} s {:8.1f} s {:6.2f} ", row.name, row.gpus, row.seconds, it.time.value(), ratio);
        for (std::size_t i = 0; i < iteration_part_count; ++i)
            if (it.parts[i] > Seconds{})
                fmt::print(" {} {:.1f} s;", name_of(static_cast<IterationPart>(i)), it.parts[i].value());
        fmt::print("\n");
    }
    if (errors.empty())
        return 1;
    std::sort(errors.begin(), errors.end());
    fmt::print("{} of {} rows: median error {:.0f} %, largest {:.0f} %, bias {:+.0f} %\n", errors.size(), std::size(nemo_rl), 100.0 * errors[errors.size() / 2],
        100.0 * errors.back(), 100.0 * bias / static_cast<double>(errors.size()));
}
