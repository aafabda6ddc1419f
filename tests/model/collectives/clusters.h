#pragma once
// Nodes as their sellers state them, and the constants of specs/efficiency, for tests of this floor alone.

#include <string>

#include <gtest/gtest.h>

#include "model/collectives/collectives.h"
#include "model/collectives/read.h"
#include "model/specs/store.h"
#include "tests/model/kernels/gpus.h"

namespace ridgepoint::test {

// 8 GPUs and `nics` NICs of `gigabits` each; NVLink within the node.
inline Cluster cluster(const std::string& gpu_id, int nics = 8, double gigabits = 400)
{
    Cluster c;
    c.accelerator = gpu(gpu_id);
    c.node.accelerators = 8;
    c.node.nvlink_domain = 8;
    c.node.nvlink_sharp = gpu_id != "a100";
    c.node.nics = nics;
    c.node.nic_rate = gigabits_per_second(gigabits);
    c.nodes = 64;
    c.gpus = 512;
    return c;
}

inline Cluster rack(const std::string& gpu_id) // NVL72: 18 trays of 4 GPUs, one 400 Gbit/s NIC each
{
    Cluster c = cluster(gpu_id);
    c.node.accelerators = 4;
    c.node.nics = 4;
    c.node.nvlink_domain = 72;
    return c;
}

inline CollectiveConstants collective_constants(const std::string& gpu_id, const std::string& fabric_id)
{
    SpecStore store;
    add_efficiency(store, gpu_id);
    add_efficiency(store, fabric_id);
    Expected<CollectiveConstants> c = read_collective_constants(store, gpu_id, fabric_id);
    EXPECT_TRUE(c) << (c ? "" : c.error().text());
    return c ? *c : CollectiveConstants{};
}

inline GroupPlacement placement(int ranks, int domains, int groups_per_domain = 1)
{
    return {ranks, domains, ranks / domains, groups_per_domain};
}

} // namespace ridgepoint::test
