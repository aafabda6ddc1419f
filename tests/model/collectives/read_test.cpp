#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/model/collectives/clusters.h"

namespace ridgepoint {
namespace {

nlohmann::json shipped(const std::string& id)
{
    std::ifstream in(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/efficiency/" + id + ".json");
    return nlohmann::json::parse(in);
}

Expected<CollectiveConstants> read(const nlohmann::json& gpu, const nlohmann::json& fabric)
{
    SpecStore store;
    for (const nlohmann::json* d : {&gpu, &fabric})
        if (const Status s
            = store.add(SpecKind::efficiency, d->dump(1), (*d)["id"].get<std::string>() + ".json", "user");
            !s)
            return s.error();
    return read_collective_constants(store, gpu["id"].get<std::string>(), fabric["id"].get<std::string>());
}

TEST(ReadCollectiveConstants, EveryPairReadsAndIsPlausible)
{
    for (const char* gpu : {"a100", "h100", "h200", "b200", "b300", "gb200", "gb300"})
        for (const char* fabric : {"efa-v1", "efa-v2", "efa-v3", "efa-v4", "infiniband-hdr", "infiniband-ndr",
                 "infiniband-xdr", "roce", "omni-path"}) {
            const CollectiveConstants c = test::collective_constants(gpu, fabric);
            EXPECT_EQ(c.domain.gpu, gpu);
            EXPECT_EQ(c.fabric.fabric, fabric);
            for (const DomainLaw* l :
                {&c.domain.all_reduce, &c.domain.gather, &c.domain.all_to_all, &c.domain.send_recv}) {
                EXPECT_GT(l->fraction, 0.4);
                EXPECT_LT(l->fraction, 1.2);
                EXPECT_LT(l->base.value(), 40e-6);
            }
            EXPECT_GT(c.fabric.ring.fraction, 0.5);
            EXPECT_LE(c.fabric.ring.fraction, 1.0);
            EXPECT_GT(c.domain.residual_median, 0.0);
        }
}

TEST(ReadCollectiveConstants, NodeThatStandsAloneNeedsNoFabric)
{
    SpecStore store;
    test::add_efficiency(store, "h100");
    EXPECT_TRUE(read_collective_constants(store, "h100", ""));
    EXPECT_FALSE(read_collective_constants(store, "h100", "efa-v2"));
}

TEST(ReadCollectiveConstants, WrongFilesSayWhere)
{
    const nlohmann::json gpu = shipped("h100");
    const nlohmann::json fabric = shipped("efa-v2");
    ASSERT_TRUE(read(gpu, fabric));
    EXPECT_FALSE(read(fabric, fabric));
    EXPECT_FALSE(read(gpu, gpu));

    nlohmann::json d = gpu;
    d["domain"]["gather"]["loss"]["value"] = 1.0;
    Expected<CollectiveConstants> c = read(d, fabric);
    ASSERT_FALSE(c);
    EXPECT_EQ(c.error().place.pointer, "/domain/gather/loss/value");
    d = fabric;
    d["tree"].erase("ramp_bytes");
    c = read(gpu, d);
    ASSERT_FALSE(c);
    EXPECT_EQ(c.error().place.file, "efa-v2.json");
    d = fabric;
    d["all_to_all"]["fraction"]["value"] = 0;
    EXPECT_FALSE(read(gpu, d));
    d = fabric;
    d["ring"]["per_step"]["unit"] = "GB/s";
    EXPECT_FALSE(read(gpu, d));
}

} // namespace
} // namespace ridgepoint
