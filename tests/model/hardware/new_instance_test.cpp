// A new instance type is one file and no code: these exist only here.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/hardware/read.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

std::string specs_folder() { return std::string(RIDGEPOINT_SOURCE_DIR) + "/specs"; }

SpecStore builtin() // a copy to add to
{
    static const Expected<SpecStore> store = SpecStore::load({{specs_folder(), "built-in"}});
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().text());
    return store ? *store : SpecStore{};
}

std::string v(const std::string& value, const std::string& unit)
{
    return R"({"value": )" + value + R"(, "unit": ")" + unit + R"(", "source": "our quote", "date": "2026-11", "confidence": "low"})";
}

std::string tomorrow(const std::string& accelerator = "gb300", const std::string& domain = "16")
{
    return "{\n\"id\": \"p9.16xlarge\", \"name\": \"p9.16xlarge\", \"vendor\": \"aws\",\n\"accelerator\": \"" + accelerator + "\",\n\"accelerators\": "
        + v("16", "GPUs") + ",\n\"nvlink_domain\": " + v(domain, "GPUs") + ",\n\"network\": {\"fabric\": \"efa-v4\", \"nics\": " + v("32", "NICs")
        + ", \"nic_rate\": " + v("800", "Gbit/s") + "}\n}";
}

TEST(NewInstance, AddedAsTextResolvesToACluster)
{
    SpecStore store = builtin();
    EXPECT_FALSE(build_cluster(store, "p9.16xlarge", 4).has_value());
    const Status added = store.add(SpecKind::instance, tomorrow(), "p9.json", "project");
    ASSERT_TRUE(added.has_value()) << added.error().text();
    const auto c = build_cluster(store, "p9.16xlarge", 4);
    ASSERT_TRUE(c.has_value()) << c.error().text();
    EXPECT_EQ(c->gpus, 64);
    EXPECT_EQ(c->accelerator.id, "gb300");
    EXPECT_NEAR(in_gigabytes_per_second(c->node.network_per_accelerator()), 200.0, 1e-9); // 32 x 800 / 8 / 16
    // What the file leaves out comes from the GPU.
    EXPECT_EQ(c->node.host_link_per_direction, c->accelerator.host_link_per_direction);
    EXPECT_EQ(store.provenance(SpecKind::instance, "p9.16xlarge", "/network/nic_rate")->source, "our quote");
}

TEST(NewInstance, AFileInAnOverlayFolderIsEnough)
{
    std::string folder = (fs::temp_directory_path() / "ridgepoint-overlay-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    fs::create_directories(folder + "/instances");
    std::ofstream(folder + "/instances/p9.16xlarge.json") << tomorrow();
    const auto store = SpecStore::load({{specs_folder(), "built-in"}, {folder, "user"}});
    fs::remove_all(folder);
    ASSERT_TRUE(store.has_value()) << store.error().text();
    EXPECT_EQ(store->layer_of(SpecKind::instance, "p9.16xlarge"), "user");
    const auto c = build_cluster(*store, "p9.16xlarge", 1, 7);
    ASSERT_TRUE(c.has_value()) << c.error().text();
    EXPECT_EQ(c->gpus, 7);
}

TEST(NewInstance, DanglingReferencesPointIntoTheFile)
{
    SpecStore store = builtin();
    ASSERT_TRUE(store.add(SpecKind::instance, tomorrow("gb310"), "p9.json", "project").has_value());
    const auto c = build_cluster(store, "p9.16xlarge", 1);
    ASSERT_FALSE(c.has_value());
    EXPECT_EQ(c.error().place.file, "p9.json");
    EXPECT_EQ(c.error().place.line, 3);
    EXPECT_EQ(c.error().place.pointer, "/accelerator");
    EXPECT_FALSE(c.error().hint.empty());
}

TEST(NewInstance, ADomainMustDivideTheNode)
{
    SpecStore store = builtin();
    for (const char* domain : {"5", "32"}) {
        ASSERT_TRUE(store.add(SpecKind::instance, tomorrow("gb300", domain), "p9.json", "project").has_value());
        const auto c = build_cluster(store, "p9.16xlarge", 1);
        ASSERT_FALSE(c.has_value()) << domain;
        EXPECT_EQ(c.error().place.line, 5);
    }
}

TEST(Cluster, CountsAreChecked)
{
    const SpecStore store = builtin();
    EXPECT_EQ(build_cluster(store, "p5.48xlarge", 2, 0)->gpus, 16);
    EXPECT_EQ(build_cluster(store, "p5.48xlarge", 2, 12)->gpus, 12);
    const auto more = build_cluster(store, "p5.48xlarge", 2, 17);
    ASSERT_FALSE(more.has_value());
    EXPECT_EQ(more.error().found, "17");
    EXPECT_NE(more.error().expected.find("16"), std::string::npos);
    EXPECT_FALSE(build_cluster(store, "p5.48xlarge", 0).has_value());
    EXPECT_FALSE(build_cluster(store, "p5.48xlarge", -1).has_value());
    EXPECT_FALSE(build_cluster(store, "p5.48xlarge", 1, -1).has_value());
    EXPECT_FALSE(build_cluster(store, "p5.48xlarge", 2'000'000'000).has_value());
    const auto unknown = build_cluster(store, "p5en", 1);
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().hint.find("p5en.48xlarge"), std::string::npos);
}

// One accelerator document, changed in one place.
class Changed : public ::testing::Test {
protected:
    Error error_after(const std::string& from, const std::string& to)
    {
        std::ifstream in(specs_folder() + "/accelerators/b300-hgx.json");
        std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        SpecStore store = builtin();
        if (const Status s = store.add(SpecKind::accelerator, text, "b300-hgx.json", "user"); !s)
            return s.error();
        const auto a = read_accelerator(store, "b300-hgx");
        EXPECT_FALSE(a.has_value()) << from << " -> " << to;
        return a ? Error{} : a.error();
    }
};

TEST_F(Changed, BidirectionalIsTwiceOneWay)
{
    const Error e = error_after("\"value\": 900.0", "\"value\": 1800");
    EXPECT_EQ(e.place.pointer, "/nvlink/bidirectional");
    EXPECT_GT(e.place.line, 1);
}

TEST_F(Changed, SparseIsTwiceDenseUnlessTheFileSaysOtherwise)
{
    EXPECT_EQ(error_after("\"value\": 4500", "\"value\": 2250").place.pointer, "/peaks/bf16/sparse");
    EXPECT_EQ(error_after("\"value\": 18000", "\"value\": 27000").place.pointer, "/peaks/fp4/sparse");
    EXPECT_EQ(error_after("\"sparse_ratio\": { \"value\": 1.3333", "\"sparse_ratio\": { \"value\": 2").place.pointer, "/peaks/fp4/sparse");
}

TEST_F(Changed, UnitsAreCheckedAtLoad)
{
    const Error e = error_after("275040, \"unit\": \"MiB\"", "275040, \"unit\": \"MB/s\"");
    EXPECT_EQ(e.place.pointer, "/hbm/visible/unit");
    EXPECT_EQ(e.found, "\"MB/s\"");
    EXPECT_NE(e.expected.find("MiB"), std::string::npos);
    EXPECT_EQ(error_after("275040, \"unit\": \"MiB\"", "-1, \"unit\": \"MiB\"").place.pointer, "/hbm/visible/value");
    EXPECT_EQ(error_after("\"confidence\": \"high\"", "\"confidence\": \"certain\"").found, "\"certain\"");
    EXPECT_EQ(error_after("\"value\": 148, \"unit\": \"SMs\"", "\"value\": 148.5, \"unit\": \"SMs\"").place.pointer, "/sms/value");
}

} // namespace
} // namespace ridgepoint
