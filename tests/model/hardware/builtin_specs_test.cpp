// The catalogue that ships: every figure has its origin, and the typed values are those of the data sheets.

#include <gtest/gtest.h>

#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "model/hardware/read.h"
#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

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

TEST(BuiltinSpecs, TheListIsComplete)
{
    for (const char* id : {"a100-40", "a100-80", "h100-sxm", "h800-sxm", "h200-sxm", "b200-hgx", "b300-hgx", "gb200", "gb300", "h100-96-500w"})
        EXPECT_TRUE(builtin().contains(SpecKind::accelerator, id)) << id;
    for (const char* id : {"p4d.24xlarge", "p4de.24xlarge", "p5.4xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge",
             "p6-b300.48xlarge", "p6e-gb200.36xlarge", "u-p6e-gb200x36", "u-p6e-gb200x72", "dgx-a100", "dgx-h100", "dgx-h200", "dgx-b200",
             "dgx-b300", "gb200-nvl72", "gb300-nvl72"})
        EXPECT_TRUE(builtin().contains(SpecKind::instance, id)) << id;
    for (const char* id : {"efa-v1", "efa-v2", "efa-v3", "efa-v4", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr", "roce", "omni-path"})
        EXPECT_TRUE(builtin().contains(SpecKind::fabric, id)) << id;
    for (const char* id : {"fsx-lustre-persistent2-125", "fsx-lustre-persistent2-1000", "s3-standard", "nvme-instance-store", "ebs"})
        EXPECT_TRUE(builtin().contains(SpecKind::storage, id)) << id;
}

// No bare number anywhere: each stands in an object with source, date and confidence, and the source is in the table.
void walk(const json& at, const std::string& pointer, SpecKind kind, const std::string& id, const std::set<std::string>& known, int& values)
{
    const std::string where = id + " at " + pointer;
    if (at.is_object() && at.contains("value")) {
        ++values;
        for (const char* field : {"source", "date", "confidence"})
            EXPECT_TRUE(at.contains(field)) << where << " lacks " << field;
        for (const json& source : at["source"].is_array() ? at["source"] : json::array({at["source"]}))
            EXPECT_TRUE(known.contains(source.get<std::string>())) << where << ": " << source;
        const auto p = builtin().provenance(kind, id, pointer);
        ASSERT_TRUE(p.has_value()) << where;
        EXPECT_FALSE(p->source.empty() || p->date.empty() || p->confidence.empty() || p->value.empty()) << where;
        EXPECT_GT(p->place.line, 0) << where;
        return;
    }
    EXPECT_FALSE(at.is_number()) << where << " is a bare number";
    if (at.is_structured())
        for (const auto& [key, child] : at.items())
            walk(child, pointer + "/" + escape_pointer_token(key), kind, id, known, values);
}

TEST(BuiltinSpecs, EveryValueHasSourceDateAndConfidence)
{
    const Expected<JsonDocument> table = load_json(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/sources.json");
    ASSERT_TRUE(table.has_value()) << table.error().text();
    std::set<std::string> known;
    for (const auto& entry : table->root()["sources"].items())
        known.insert(entry.key());
    int values = 0;
    for (const SpecKind kind : {SpecKind::accelerator, SpecKind::instance, SpecKind::fabric, SpecKind::storage, SpecKind::price})
        for (const std::string& id : builtin().ids(kind))
            walk(**builtin().document(kind, id), "", kind, id, known, values);
    EXPECT_GT(values, 500);
}

TEST(BuiltinSpecs, EfficiencyFilesOfGpusAndFabricsExist)
{
    for (const std::string& id : builtin().ids(SpecKind::accelerator)) {
        const auto a = read_accelerator(builtin(), id);
        ASSERT_TRUE(a.has_value()) << a.error().text();
        EXPECT_TRUE(builtin().contains(SpecKind::efficiency, a->efficiency_id)) << id << " -> " << a->efficiency_id;
    }
    EXPECT_EQ(read_accelerator(builtin(), "h800-sxm")->efficiency_id, "h100");
    EXPECT_EQ(read_accelerator(builtin(), "a100-40")->efficiency_id, "a100");
}

// Re-tabulated by hand from the data sheets (NVIDIA A100, H100, H200, HGX B200/B300 and GB200/GB300 NVL72 tables).
TEST(BuiltinSpecs, GpuFiguresAreThoseOfTheDataSheets)
{
    struct Row {
        const char* id;
        double bf16, fp8, fp4; // dense TFLOP/s
        double hbm_mib, hbm_tb_s;
        int sms;
        double tdp, nvlink_one_way;
    };
    for (const Row& r : {
             Row{"a100-40", 312, 0, 0, 40960, 1.555, 108, 400, 300},
             Row{"a100-80", 312, 0, 0, 81920, 2.039, 108, 400, 300},
             Row{"h100-sxm", 989.5, 1979, 0, 81559, 3.35, 132, 700, 450},
             Row{"h800-sxm", 989.5, 1979, 0, 81559, 3.35, 132, 700, 200},
             Row{"h200-sxm", 989.5, 1979, 0, 143771, 4.8, 132, 700, 450},
             Row{"b200-hgx", 2250, 4500, 9000, 183359, 8.0, 148, 1000, 900},
             Row{"b300-hgx", 2250, 4500, 13500, 275040, 8.0, 148, 1100, 900},
             Row{"gb200", 2500, 5000, 10000, 189471, 8.0, 152, 1200, 900},
             Row{"gb300", 2500, 5000, 15000, 284208, 8.0, 152, 1400, 900},
             Row{"h100-96-500w", 989.5, 1979, 0, 97871, 2.4, 132, 500, 450},
         }) {
        const auto a = read_accelerator(builtin(), r.id);
        ASSERT_TRUE(a.has_value()) << a.error().text();
        EXPECT_NEAR(in_teraflops_per_second(a->dense_peak(Arithmetic::bf16)), r.bf16, 1e-9) << r.id;
        EXPECT_NEAR(in_teraflops_per_second(a->dense_peak(Arithmetic::fp8)), r.fp8, 1e-9) << r.id;
        EXPECT_NEAR(in_teraflops_per_second(a->dense_peak(Arithmetic::fp4)), r.fp4, 1e-9) << r.id;
        EXPECT_EQ(a->supports(Arithmetic::fp4), r.fp4 > 0) << r.id;
        EXPECT_DOUBLE_EQ(a->hbm_visible.value(), r.hbm_mib * 1048576.0) << r.id;
        EXPECT_NEAR(a->hbm_bandwidth.value(), r.hbm_tb_s * 1e12, 1.0) << r.id;
        EXPECT_EQ(a->sms, r.sms) << r.id;
        EXPECT_DOUBLE_EQ(a->tdp.value(), r.tdp) << r.id;
        EXPECT_NEAR(in_gigabytes_per_second(a->nvlink_per_direction), r.nvlink_one_way, 1e-9) << r.id;
    }
}

TEST(BuiltinSpecs, GpuFiguresAgreeWithEachOther)
{
    for (const std::string& id : builtin().ids(SpecKind::accelerator)) {
        const auto a = read_accelerator(builtin(), id);
        ASSERT_TRUE(a.has_value());
        // Peak = SMs x FLOP per clock and SM x clock: 2048 on Ampere, 4096 on Hopper, 8192 on Blackwell (dense BF16).
        const double per_clock = a->architecture == Architecture::ampere ? 2048 : a->architecture == Architecture::hopper ? 4096 : 8192;
        const double peak = a->sms * per_clock * a->clock_of_peaks.value();
        EXPECT_NEAR(peak / a->dense_peak(Arithmetic::bf16).value(), 1.0, 0.002) << id;
        // The H100 sheet rounds: 494.5 and 989.5.
        EXPECT_NEAR(a->dense_peak(Arithmetic::bf16).value() / a->dense_peak(Arithmetic::tf32).value(), 2.0, 0.002) << id;
        if (a->supports(Arithmetic::fp8)) {
            EXPECT_NEAR(a->dense_peak(Arithmetic::fp8).value() / a->dense_peak(Arithmetic::bf16).value(), 2.0, 1e-9) << id;
        }
        // "80 GB" is sold where software sees about 80 GiB or less than 7.4 % more decimal GB.
        EXPECT_NEAR(a->hbm_visible.value() / a->hbm_marketed.value(), 1.035, 0.042) << id;
    }
}

TEST(BuiltinSpecs, NetworkPerNodeIsWhatAwsStates)
{
    struct Row {
        const char* id;
        int gpus;
        double gb_s; // one way, per node: AWS tables in Gbit/s / 8
    };
    for (const Row& r : {Row{"p4d.24xlarge", 8, 50}, Row{"p4de.24xlarge", 8, 50}, Row{"p5.4xlarge", 1, 12.5}, Row{"p5.48xlarge", 8, 400},
             Row{"p5e.48xlarge", 8, 400}, Row{"p5en.48xlarge", 8, 400}, Row{"p6-b200.48xlarge", 8, 400}, Row{"p6-b300.48xlarge", 8, 800},
             Row{"p6e-gb200.36xlarge", 4, 200}, Row{"u-p6e-gb200x36", 36, 1800}, Row{"u-p6e-gb200x72", 72, 3600}}) {
        const auto c = build_cluster(builtin(), r.id, 2);
        ASSERT_TRUE(c.has_value()) << c.error().text();
        EXPECT_EQ(c->gpus, 2 * r.gpus) << r.id;
        EXPECT_EQ(c->node.nvlink_domain, r.gpus) << r.id;
        EXPECT_NEAR(in_gigabytes_per_second(c->node.network_per_node()), r.gb_s, 1e-9) << r.id;
        EXPECT_EQ(c->fabric.kind, FabricKind::efa) << r.id;
        EXPECT_EQ(c->node.vendor, "aws");
        EXPECT_EQ(c->node.gpudirect_rdma, std::string(r.id) != "p5.4xlarge") << r.id;
    }
    // The blog's aggregates: 8 x 900 GB/s = 7.2 TB/s of NVLink, both directions; u-p6e-gb200x72: 360 PFLOP/s FP8, 13.3 TB.
    const auto p5 = build_cluster(builtin(), "p5.48xlarge", 1);
    EXPECT_NEAR(8 * p5->accelerator.nvlink_bidirectional.value(), 7.2e12, 1);
    EXPECT_NEAR(in_gigabytes_per_second(p5->node.host_link_per_direction), 32.0, 1e-9); // PCIe 4 host
    const auto ultra = build_cluster(builtin(), "u-p6e-gb200x72", 1);
    EXPECT_NEAR(72 * ultra->accelerator.dense_peak(Arithmetic::fp8).value(), 360e15, 1e6);
    EXPECT_NEAR(ultra->node.nvme_drive_size.value() * ultra->node.nvme_drives, 405e12, 1e6);
}

TEST(BuiltinSpecs, StorageTiers)
{
    const auto fsx = read_storage(builtin(), "fsx-lustre-persistent2-1000");
    ASSERT_TRUE(fsx.has_value()) << fsx.error().text();
    EXPECT_EQ(fsx->kind, StorageKind::parallel_file_system);
    EXPECT_NEAR(in_gigabytes_per_second(fsx->read_rate(gibibytes(4.8 * 1024))), 4.8, 1e-9); // 1000 MB/s per TiB
    EXPECT_NEAR(in_gigabytes_per_second(fsx->client_gpudirect), 150.0, 1e-9); // 1200 Gbit/s
    EXPECT_TRUE(fsx->shares_efa);
    const auto s3 = read_storage(builtin(), "s3-standard");
    ASSERT_TRUE(s3.has_value());
    EXPECT_NEAR(s3->first_byte.value(), 0.150, 1e-12);
}

} // namespace
} // namespace ridgepoint
