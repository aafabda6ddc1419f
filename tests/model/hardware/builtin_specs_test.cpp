// The catalogue that ships: it loads, every document reads as its type, and the figures are those of the data sheets.

#include <gtest/gtest.h>

#include "model/hardware/read.h"

namespace ridgepoint {
namespace {

const SpecStore& builtin()
{
    static const Expected<SpecStore> store = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    static const SpecStore none;
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().text());
    return store ? *store : none;
}

TEST(BuiltinSpecs, EveryHardwareDocumentReads)
{
    const Status s = check_hardware(builtin());
    EXPECT_TRUE(s.has_value()) << s.error().text();
}

TEST(BuiltinSpecs, P5enIsEightH200OnEfaV3)
{
    const Expected<Cluster> c = build_cluster(builtin(), "p5en.48xlarge", 128);
    ASSERT_TRUE(c.has_value()) << c.error().text();
    EXPECT_EQ(c->gpus, 1024);
    EXPECT_EQ(c->accelerator.id, "h200-sxm");
    EXPECT_EQ(c->fabric.kind, FabricKind::efa);
    // 16 cards x 200 Gbit/s = 3200 Gbit/s = 400 GB/s per node, 50 GB/s per GPU, one way.
    EXPECT_DOUBLE_EQ(in_gigabytes_per_second(c->node.network_per_node()), 400.0);
    EXPECT_DOUBLE_EQ(in_gigabytes_per_second(c->node.network_per_accelerator()), 50.0);
    EXPECT_DOUBLE_EQ(in_gigabytes_per_second(c->accelerator.nvlink_per_direction), 450.0);
    EXPECT_DOUBLE_EQ(c->accelerator.hbm_visible.value(), 143771.0 * 1048576.0);
    EXPECT_DOUBLE_EQ(in_teraflops_per_second(c->accelerator.dense_peak(Arithmetic::bf16)), 989.5);
}

} // namespace
} // namespace ridgepoint
