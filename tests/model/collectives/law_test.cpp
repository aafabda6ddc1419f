// What must hold of every collective whatever the constants, and the algorithms' byte counts by hand.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/model/collectives/clusters.h"

namespace ridgepoint {
namespace {

using test::cluster;
using test::collective_constants;
using test::placement;

constexpr std::array all_operations = {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
    Collective::all_to_all, Collective::send_recv};

struct Setting {
    const char* gpu;
    const char* fabric;
};

class EveryFabric : public testing::TestWithParam<Setting> {
protected:
    Cluster machine = cluster(GetParam().gpu);
    CollectiveConstants constants = collective_constants(GetParam().gpu, GetParam().fabric);

    static std::vector<GroupPlacement> groups()
    {
        return {placement(2, 1), placement(4, 1), placement(8, 1), placement(2, 2, 8), placement(16, 2),
            placement(8, 4, 4), placement(128, 16), placement(64, 64, 8)};
    }
};
INSTANTIATE_TEST_SUITE_P(Specs, EveryFabric,
    testing::Values(Setting{"a100", "efa-v1"}, Setting{"a100", "infiniband-hdr"}, Setting{"h100", "efa-v2"},
        Setting{"h100", "infiniband-ndr"}, Setting{"h200", "efa-v3"}, Setting{"b200", "efa-v4"},
        Setting{"b300", "infiniband-xdr"}, Setting{"h100", "roce"}, Setting{"a100", "omni-path"}),
    [](const auto& setting) {
        std::string name = std::string(setting.param.gpu) + "_" + setting.param.fabric;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

void scale_latencies(CollectiveConstants& c, double k)
{
    for (DomainLaw* l : {&c.domain.all_reduce, &c.domain.all_reduce_switch, &c.domain.gather, &c.domain.all_to_all,
             &c.domain.send_recv}) {
        l->base *= k;
        l->per_rank *= k;
        l->ramp *= k;
    }
    c.domain.exchange.latency *= k;
    TreeLaw& t = c.fabric.tree;
    for (Seconds* s : {&t.base, &t.per_hop, &t.ramp, &t.ramp_per_hop, &c.fabric.ring.base, &c.fabric.ring.per_step,
             &c.fabric.ring.per_step_rails, &c.fabric.all_to_all.base, &c.fabric.all_to_all.per_peer,
             &c.fabric.send_recv.base, &c.fabric.send_recv.per_peer, &c.fabric.exchange.latency, &c.fabric.exchange.per_domain})
        *s *= k;
}

TEST_P(EveryFabric, SharesAreElasticitiesAndTwiceTheSpeedIsHalfTheTime)
{
    constexpr double step = 1e-6;
    for (Collective op : all_operations)
        for (const GroupPlacement& group : groups())
            for (double bytes : {1e3, 1e6, 3e7, 1e9}) {
                const CollectiveCall call{op, Bytes{bytes}, group};
                const auto time = [&](Resource r, double k) {
                    Cluster m = machine;
                    CollectiveConstants c = constants;
                    if (r == Resource::nvlink)
                        m.accelerator.nvlink_per_direction *= k;
                    if (r == Resource::network)
                        m.node.nic_rate *= k;
                    if (r == Resource::latency)
                        scale_latencies(c, 1.0 / k);
                    return collective_cost(call, m, c).time.total().value();
                };
                const AttributedTime t = collective_cost(call, machine, constants).time;
                double sum = 0;
                for (Resource r : {Resource::nvlink, Resource::network, Resource::latency}) {
                    const double elasticity = -(std::log(time(r, 1 + step)) - std::log(time(r, 1 - step))) / (2 * step);
                    EXPECT_NEAR(t.share(r), elasticity, 1e-4)
                        << name_of(op) << " of " << bytes << " B, " << group.ranks << " ranks, " << name_of(r);
                    sum += t.share(r);
                }
                EXPECT_NEAR(sum, 1.0, 1e-12);

                Cluster fast = machine;
                fast.accelerator.nvlink_per_direction *= 2;
                fast.node.nic_rate *= 2;
                CollectiveConstants quick = constants;
                scale_latencies(quick, 0.5);
                EXPECT_NEAR(collective_cost(call, fast, quick).time.total() / t.total(), 0.5, 1e-9);
            }
}

TEST_P(EveryFabric, TimeGrowsWithTheBufferWithoutCliffs)
{
    for (Collective op : all_operations)
        for (const GroupPlacement& group : groups()) {
            double before = 0;
            for (double bytes = 8; bytes < 2e10; bytes *= 1.02) {
                const double t = collective_cost({op, Bytes{bytes}, group}, machine, constants).time.total().value();
                EXPECT_GE(t, before) << name_of(op) << " of " << bytes << " B, " << group.ranks << " ranks";
                if (before > 0) {
                    EXPECT_LT(t, 1.021 * before) << name_of(op) << " of " << bytes << " B, " << group.ranks << " ranks";
                }
                before = t;
            }
        }
}

TEST_P(EveryFabric, NoBufferAndNoPeersCostNothing)
{
    for (Collective op : all_operations) {
        EXPECT_EQ(collective_cost({op, Bytes{1e9}, placement(1, 1)}, machine, constants).time.total().value(), 0);
        EXPECT_EQ(collective_cost({op, Bytes{}, placement(8, 1)}, machine, constants).time.total().value(), 0);
        EXPECT_EQ(collective_cost({op, Bytes{1e9}, placement(1, 1)}, machine, constants).algorithm,
            CollectiveAlgorithm::none);
    }
}

TEST_P(EveryFabric, NoAlgorithmBeatsTheWires)
{
    for (Collective op : all_operations)
        for (const GroupPlacement& group : groups()) {
            const CollectiveCost cost = collective_cost({op, Bytes{1e10}, group}, machine, constants);
            const double nvlink = cost.nvlink.value() / machine.accelerator.nvlink_per_direction.value();
            const double network = cost.network.value() / machine.node.network_per_accelerator().value();
            // NVLS counts 2 (n - 1) / n of the buffer per link rate while each GPU sends it once.
            EXPECT_GT(cost.time.total().value() * 1.0001, std::max(nvlink, network))
                << name_of(op) << ", " << group.ranks << " ranks in " << group.domains;
        }
}

TEST(BusFactor, IsThatOfNcclTests)
{
    EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
    EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 8), 0.875);
    EXPECT_DOUBLE_EQ(bus_factor(Collective::reduce_scatter, 4), 0.75);
    EXPECT_DOUBLE_EQ(bus_factor(Collective::all_to_all, 2), 0.5);
    EXPECT_DOUBLE_EQ(bus_factor(Collective::send_recv, 2), 1.0);
    EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 1), 0.0);
}

TEST(Bytes, RingMovesTheBusFactorAndAllToAllTheRest)
{
    const Cluster m = cluster("a100"); // no NVLS
    const CollectiveConstants c = collective_constants("a100", "efa-v1");
    // In a node: all-reduce 2 x 7/8, all-gather 7/8.
    EXPECT_DOUBLE_EQ(collective_cost({Collective::all_reduce, Bytes{8e6}, placement(8, 1)}, m, c).nvlink.value(), 14e6);
    EXPECT_DOUBLE_EQ(collective_cost({Collective::all_gather, Bytes{8e6}, placement(8, 1)}, m, c).nvlink.value(), 7e6);
    // 4 nodes of 8: each of the 8 NICs of a node carries an eighth of (32 - 1) / 32.
    const CollectiveCost gather = collective_cost({Collective::all_gather, Bytes{32e6}, placement(32, 4)}, m, c);
    EXPECT_DOUBLE_EQ(gather.network.value(), 31e6 / 8);
    EXPECT_DOUBLE_EQ(gather.network.value() + gather.nvlink.value(), 31e6);
    // All-to-all: 24 of the 32 peers are on other nodes, 7 on the own one.
    const CollectiveCost exchange = collective_cost({Collective::all_to_all, Bytes{32e6}, placement(32, 4)}, m, c);
    EXPECT_DOUBLE_EQ(exchange.network.value(), 24e6);
    EXPECT_DOUBLE_EQ(exchange.nvlink.value(), 7e6);
}

TEST(Algorithm, SwitchReducesLargeBuffersOfEnoughRanks)
{
    const Cluster m = cluster("h100");
    const CollectiveConstants c = collective_constants("h100", "efa-v2");
    EXPECT_EQ(collective_cost({Collective::all_reduce, gibibytes(1), placement(8, 1)}, m, c).algorithm,
        CollectiveAlgorithm::nvls);
    EXPECT_EQ(collective_cost({Collective::all_reduce, gibibytes(1), placement(4, 1)}, m, c).algorithm,
        CollectiveAlgorithm::ring);
    Cluster without = m;
    without.node.nvlink_sharp = false;
    const CollectiveCost ring = collective_cost({Collective::all_reduce, gibibytes(1), placement(8, 1)}, without, c);
    EXPECT_EQ(ring.algorithm, CollectiveAlgorithm::ring);
    EXPECT_GT(
        ring.time.total(), collective_cost({Collective::all_reduce, gibibytes(1), placement(8, 1)}, m, c).time.total());
}

TEST(Algorithm, TreeForSmallRingForLargeBuffersAcrossManyNodes)
{
    const Cluster m = cluster("h100");
    const CollectiveConstants c = collective_constants("h100", "efa-v2");
    const auto algorithm = [&](double bytes) {
        return collective_cost({Collective::all_reduce, Bytes{bytes}, placement(128, 16)}, m, c).algorithm;
    };
    EXPECT_EQ(algorithm(1e4), CollectiveAlgorithm::nvls_tree);
    EXPECT_EQ(algorithm(3e10), CollectiveAlgorithm::ring);
}

TEST(Sharing, EightGroupsOfOneRankGetTheirOwnNicEach)
{
    // Data parallelism across nodes under TP 8: 8 groups with one rank per node leave at once. Each has an eighth of
    // the node's NICs, so that a group needs 8 times as long as the one group of a node's 8 ranks.
    Cluster m = cluster("h100");
    const CollectiveConstants c = collective_constants("h100", "infiniband-ndr");
    const CollectiveCost one = collective_cost({Collective::all_gather, Bytes{1e11}, placement(8, 8, 8)}, m, c);
    m.accelerator.nvlink_per_direction *= 100; // so that only the NICs count in the group of 64
    const CollectiveCost all = collective_cost({Collective::all_gather, Bytes{1e11}, placement(64, 8)}, m, c);
    const double factor = 7.0 / 8 * 64.0 / 63 * 8; // bus factors and NICs
    EXPECT_NEAR(one.time.part(Resource::network) / all.time.part(Resource::network), factor, 0.01 * factor);
}

TEST(Sharing, FewerNicsThanGpusAreSharedByThoseThatLeave)
{
    // p4d: 4 NICs of 100 Gbit/s for 8 GPUs. One rank per node alone has a whole NIC, with 8 groups half of one.
    const Cluster m = cluster("a100", 4, 100);
    const CollectiveConstants c = collective_constants("a100", "efa-v1");
    const CollectiveCall alone{Collective::all_to_all, Bytes{1e10}, placement(4, 4, 1)};
    const CollectiveCall crowded{Collective::all_to_all, Bytes{1e10}, placement(4, 4, 8)};
    const double ratio = collective_cost(crowded, m, c).time.part(Resource::network)
        / collective_cost(alone, m, c).time.part(Resource::network);
    EXPECT_NEAR(ratio, 2.0, 1e-6);
}

TEST(Sharing, WithoutGpuDirectTheNicIsHalfAsFast)
{
    Cluster m = cluster("h100");
    const CollectiveConstants c = collective_constants("h100", "efa-v2");
    const CollectiveCall call{Collective::send_recv, Bytes{1e10}, placement(2, 2)};
    const Seconds direct = collective_cost(call, m, c).time.part(Resource::network);
    m.node.gpudirect_rdma = false;
    EXPECT_NEAR(
        collective_cost(call, m, c).time.part(Resource::network) / direct, 1.0 / c.fabric.staged_fraction, 1e-9);
}

TEST(Exchange, SlowerSideDecides)
{
    const Cluster m = cluster("h100");
    const CollectiveConstants c = collective_constants("h100", "infiniband-ndr");
    const CollectiveCost inside = expert_exchange_cost(Bytes{1e8}, Bytes{5e7}, placement(8, 1), m, c);
    EXPECT_EQ(inside.network.value(), 0); // one domain: nothing crosses the fabric
    EXPECT_EQ(inside.time.part(Resource::network).value(), 0);
    const CollectiveCost across = expert_exchange_cost(Bytes{1e8}, Bytes{5e7}, placement(32, 4), m, c);
    EXPECT_EQ(across.time.bound(), Resource::network); // 50 GB/s against 450
    EXPECT_EQ(expert_exchange_cost(Bytes{1e8}, Bytes{}, placement(1, 1), m, c).time.total().value(), 0);
}

TEST(SendRecv, APairOpensItsChannelsWithTheMessage)
{
    const Cluster m = cluster("b200"); // 900 GB/s
    CollectiveConstants c = collective_constants("b200", "infiniband-ndr");
    DomainLaw& law = c.domain.send_recv;
    law = {};
    law.fraction = 0.75;
    law.part = Bytes{64e6};
    law.part_fraction = 0.1;
    const auto microseconds_of = [&](double bytes) {
        return in_microseconds(collective_cost({Collective::send_recv, Bytes{bytes}, placement(2, 1)}, m, c).time.total());
    };
    EXPECT_NEAR(microseconds_of(9e6), 100, 1e-6); // one part at 90 GB/s
    EXPECT_NEAR(microseconds_of(128e6), 64e6 / 90e9 * 1e6, 1e-6); // twice the channels, the same time
    EXPECT_NEAR(microseconds_of(6.75e9), 1e4, 1e-6); // all of them at 675 GB/s
    law.part = {};
    EXPECT_NEAR(microseconds_of(9e6), 9e6 / 675e9 * 1e6, 1e-9);
}

TEST(Exchange, EachDomainBeyondTwoAddsItsLatency)
{
    const Cluster m = cluster("h100");
    CollectiveConstants c = collective_constants("h100", "efa-v2");
    c.fabric.exchange.latency = microseconds(100);
    c.fabric.exchange.per_domain = microseconds(30);
    const auto latency = [&](int domains) {
        return in_microseconds(expert_exchange_cost(Bytes{1e6}, Bytes{5e5}, placement(8 * domains, domains), m, c).time.part(Resource::latency));
    };
    EXPECT_NEAR(latency(2), 100, 1e-9);
    EXPECT_NEAR(latency(4), 160, 1e-9);
    EXPECT_NEAR(latency(16), 520, 1e-9);
}

} // namespace
} // namespace ridgepoint
