// Factors of one's own machine: every time of a kind of work is multiplied by its factor exactly, and no other machine's.

#include <gtest/gtest.h>

#include "model/collectives/collectives.h"
#include "model/collectives/read.h"
#include "model/hardware/read.h"
#include "model/kernels/kernels.h"
#include "model/kernels/read.h"
#include "model/sustained/measured_factors.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

struct Machine {
    Cluster cluster;
    KernelConstants kernels;
    CollectiveConstants collectives;
};

Machine machine()
{
    const auto cluster = build_cluster(catalogue(), "p5en.48xlarge", 4, 0);
    EXPECT_TRUE(cluster) << cluster.error().text();
    const std::string& gpu = cluster->accelerator.efficiency_id;
    const auto kernels = read_kernel_constants(catalogue(), gpu, {});
    const auto collectives = read_collective_constants(catalogue(), gpu, cluster->fabric.efficiency_id);
    EXPECT_TRUE(kernels) << kernels.error().text();
    EXPECT_TRUE(collectives) << collectives.error().text();
    return {*cluster, *kernels, *collectives};
}

Seconds product(const Machine& m)
{
    GemmShape s;
    s.m = 4096;
    s.n = 8192;
    s.k = 8192;
    return gemm_time(s, m.cluster.accelerator, m.kernels).total();
}

Seconds all_reduce(const Machine& m, int domains)
{
    GroupPlacement g;
    g.ranks = 8 * domains;
    g.domains = domains;
    g.ranks_per_domain = 8;
    g.groups_per_domain = 1;
    return collective_cost({Collective::all_reduce, mebibytes(64), g}, m.cluster, m.collectives).time.total();
}

MeasuredFactors factors_of(const Machine& m, MeasuredPart part, double factor)
{
    MeasuredFactors f;
    f.gpu = m.kernels.gpu;
    f.fabric = m.collectives.fabric.fabric;
    f.of(part) = factor;
    return f;
}

} // namespace

TEST(MeasuredFactors, MultiplyTheTimesOfTheirWorkAndNoOther)
{
    const Machine before = machine();
    for (const double factor : {0.7, 1.0, 1.6}) {
        Machine after = before;
        apply(after.kernels, after.collectives, factors_of(before, MeasuredPart::products, factor));
        EXPECT_NEAR(product(after) / product(before), factor, 1e-9);
        EXPECT_DOUBLE_EQ(all_reduce(after, 1).value(), all_reduce(before, 1).value());

        Machine linked = before;
        apply(linked.kernels, linked.collectives, factors_of(before, MeasuredPart::domain, factor));
        EXPECT_NEAR(all_reduce(linked, 1) / all_reduce(before, 1), factor, 1e-9);
        EXPECT_DOUBLE_EQ(product(linked).value(), product(before).value());
    }
}

TEST(MeasuredFactors, OfAnotherGpuChangeNothing)
{
    const Machine before = machine();
    Machine after = before;
    MeasuredFactors f = factors_of(before, MeasuredPart::products, 2.0);
    f.gpu = "b200";
    apply(after.kernels, after.collectives, f);
    EXPECT_DOUBLE_EQ(product(after).value(), product(before).value());
}

// The network's factor asks for the fabric that was measured; the NVLink side of the same GPU keeps its own.
TEST(MeasuredFactors, OfAnotherFabricLeaveTheNetwork)
{
    const Machine before = machine();
    Machine same = before, other = before;
    MeasuredFactors f = factors_of(before, MeasuredPart::network, 1.5);
    apply(same.kernels, same.collectives, f);
    f.fabric = "infiniband-ndr";
    apply(other.kernels, other.collectives, f);
    EXPECT_GT(all_reduce(same, 4), all_reduce(before, 4));
    EXPECT_DOUBLE_EQ(all_reduce(other, 4).value(), all_reduce(before, 4).value());
}

TEST(MeasuredFactors, OnesAreNothing)
{
    MeasuredFactors f;
    EXPECT_FALSE(f.any());
    f.gpu = "h100";
    f.source = "a file";
    EXPECT_FALSE(f.any());
    f.of(MeasuredPart::attention) = 1.1;
    EXPECT_TRUE(f.any());
}

} // namespace ridgepoint
