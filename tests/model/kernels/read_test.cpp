// The constants' files: what they hold, how classes and kinds fall back, and what a wrong file says.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/model/kernels/gpus.h"

namespace ridgepoint {
namespace {

nlohmann::json shipped(const std::string& id)
{
    std::ifstream in(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/efficiency/" + id + ".json");
    return nlohmann::json::parse(in);
}

Expected<KernelConstants> read(const nlohmann::json& document, const std::string& software = {})
{
    SpecStore store;
    const Status s = store.add(SpecKind::efficiency, document.dump(1), "edited.json", "user");
    if (!s)
        return s.error();
    return read_kernel_constants(store, document["id"].get<std::string>(), software);
}

TEST(ReadKernelConstants, EveryGpuHasPlausibleConstants)
{
    for (const char* id : {"a100", "h100", "h200", "b200", "b300", "gb200", "gb300"}) {
        const KernelConstants k = test::kernel_constants(id);
        EXPECT_EQ(k.gpu, id);
        EXPECT_EQ(k.software, "tensorrt-llm");
        for (const auto* set : {&k.gemm, &k.grouped})
            for (const GemmConstants& g : *set) {
                EXPECT_GT(g.peak_fraction, 0.15) << id;
                EXPECT_LE(g.peak_fraction, 1.0) << id;
                EXPECT_GT(g.bandwidth_fraction, 0.4) << id;
                EXPECT_LE(g.bandwidth_fraction, 1.0) << id;
                EXPECT_LT(g.launch.value(), 40e-6) << id;
            }
        EXPECT_GT(k.prefill_bf16.backward_fraction, 0.5) << id;
        EXPECT_LE(k.prefill_bf16.backward_fraction, 1.0) << id;
        EXPECT_GT(k.memory.launch.value(), 0) << id;
    }
}

TEST(ReadKernelConstants, SharedNumbersAreThoseOfTheFile)
{
    const nlohmann::json file = shipped("h100");
    const KernelConstants k = test::kernel_constants("h100", "vllm");
    const nlohmann::json& law = file["software"]["vllm"]["gemm"]["fp8"];
    const GemmConstants& g = k.gemm[static_cast<std::size_t>(GemmKind::fp8)];
    EXPECT_DOUBLE_EQ(g.peak_fraction, law["peak_fraction"]["value"].get<double>());
    EXPECT_DOUBLE_EQ(g.quantize_launch.value(), law["quantize_launch"]["value"].get<double>() * 1e-6);
    EXPECT_EQ(g.residual.rows, law["rows"]["value"].get<int>());
    // "vllm" says nothing of attention: the default class does.
    EXPECT_DOUBLE_EQ(k.prefill_bf16.peak_fraction,
        file["software"]["tensorrt-llm"]["prefill"]["bf16"]["peak_fraction"]["value"].get<double>());
}

TEST(ReadKernelConstants, KindsFallBackToTheNearestOne)
{
    const KernelConstants k = test::kernel_constants("a100"); // states bf16 only
    EXPECT_DOUBLE_EQ(k.gemm[static_cast<std::size_t>(GemmKind::fp4)].peak_fraction, k.gemm[0].peak_fraction);
    EXPECT_DOUBLE_EQ(k.decode_fp8.bandwidth_fraction, k.decode_bf16.bandwidth_fraction);
    const KernelConstants b = test::kernel_constants("b200");
    EXPECT_DOUBLE_EQ(b.gemm[static_cast<std::size_t>(GemmKind::mxfp8)].peak_fraction,
        b.gemm[static_cast<std::size_t>(GemmKind::fp8_block)].peak_fraction);
}

TEST(ReadKernelConstants, UnknownIdNamesTheFileAndUnknownClassNamesTheKnownOnes)
{
    SpecStore store;
    test::add_efficiency(store, "h100");
    EXPECT_FALSE(read_kernel_constants(store, "h1000"));
    const Expected<KernelConstants> k = read_kernel_constants(store, "h100", "cuda");
    ASSERT_FALSE(k);
    EXPECT_NE(k.error().text().find("tensorrt-llm, vllm"), std::string::npos) << k.error().text();
    EXPECT_GT(k.error().place.line, 0);
    EXPECT_EQ(software_classes(store, "h100"), (std::vector<std::string>{"tensorrt-llm", "vllm"}));
    EXPECT_TRUE(software_classes(store, "h1000").empty());
}

TEST(ReadKernelConstants, WrongFilesSayWhere)
{
    const std::string at = "/software/tensorrt-llm/gemm/bf16";
    const auto expect_error = [](const nlohmann::json& document, const std::string& pointer) {
        const Expected<KernelConstants> k = read(document);
        ASSERT_FALSE(k) << pointer;
        EXPECT_EQ(k.error().place.pointer.substr(0, pointer.size()), pointer) << k.error().text();
        EXPECT_EQ(k.error().place.file, "edited.json");
    };
    nlohmann::json d = shipped("h100");
    d[nlohmann::json::json_pointer(at + "/peak_fraction/value")] = 0;
    expect_error(d, at + "/peak_fraction");
    d = shipped("h100");
    d[nlohmann::json::json_pointer(at + "/launch/unit")] = "GB";
    expect_error(d, at + "/launch");
    d = shipped("h100");
    d[nlohmann::json::json_pointer(at + "/launch/value")] = -1;
    expect_error(d, at + "/launch");
    d = shipped("h100");
    d[nlohmann::json::json_pointer(at)].erase("wave");
    expect_error(d, at);
    d = shipped("h100");
    d["software"]["tensorrt-llm"].erase("prefill");
    expect_error(d, "/software/tensorrt-llm");
    d = shipped("h100");
    d["software"]["tensorrt-llm"].erase("memory");
    expect_error(d, "/software/tensorrt-llm");
    d = shipped("efa-v2");
    expect_error(d, "/kind");
}

TEST(ReadKernelConstants, EveryConstantHasASource)
{
    SpecStore store;
    for (const char* id : {"a100", "h100", "h200", "b200", "b300", "gb200", "gb300", "efa-v1", "efa-v2", "efa-v3",
             "efa-v4", "infiniband-hdr", "infiniband-ndr", "infiniband-xdr", "roce", "omni-path"}) {
        test::add_efficiency(store, id);
        const nlohmann::json flat = shipped(id).flatten();
        std::string checked;
        for (const auto& entry : flat.items()) {
            const std::string& pointer = entry.key();
            if (!pointer.ends_with("/value"))
                continue;
            // One constant of each law: they share its source.
            const std::string constant = pointer.substr(0, pointer.rfind('/'));
            const std::string law = constant.substr(0, constant.rfind('/'));
            if (law == checked)
                continue;
            checked = law;
            const auto p = store.provenance(SpecKind::efficiency, id, pointer);
            ASSERT_TRUE(p) << id << pointer;
            EXPECT_FALSE(p->source.empty()) << id << pointer;
            EXPECT_FALSE(p->date.empty()) << id << pointer;
            EXPECT_TRUE(p->confidence == "high" || p->confidence == "medium" || p->confidence == "low")
                << id << pointer;
        }
    }
}

} // namespace
} // namespace ridgepoint
