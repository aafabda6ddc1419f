// What real traces tell of their plan: the model from the shapes of its products, and nothing where shapes fit by chance.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "model/calibration/infer_plan.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

class InferShared : public testing::Test {
protected:
    std::optional<InferredPlan> inferred(const char* name)
    {
        const std::filesystem::path file = std::filesystem::path(RIDGEPOINT_SHARED_DIR) / "traces" / "kineto" / name;
        if (!std::filesystem::exists(file))
            return std::nullopt;
        const auto found = read_measured(file.string());
        EXPECT_TRUE(found) << found.error().text();
        const Expected<InferredPlan> plan = infer_plan(*found, example_plan(), catalogue());
        return plan ? *plan : InferredPlan{example_plan(), {}, {"the model"}}; // a file that tells nothing at all
    }
    static std::string value_of(const InferredPlan& p, const std::string& path)
    {
        const auto at = std::find_if(p.fields.begin(), p.fields.end(), [&](const InferredField& f) { return f.path == path; });
        return at == p.fields.end() ? std::string() : at->value;
    }
    static bool is_open(const InferredPlan& p, const std::string& what) { return std::find(p.open.begin(), p.open.end(), what) != p.open.end(); }
};

} // namespace

// vLLM on one MI300X: 32 sequences times the output layer, 2880 by 201,088, which is gpt-oss's; all else is in a replayed graph.
TEST_F(InferShared, TheOutputLayerTellsTheModel)
{
    const auto p = inferred("mi300_vllm_decode_graph.json.gz");
    if (!p)
        GTEST_SKIP() << "the shared traces are not here";
    EXPECT_TRUE(value_of(*p, "/model").starts_with("gpt-oss")) << value_of(*p, "/model");
    EXPECT_EQ(value_of(*p, "/layout/tp"), "1");
    EXPECT_EQ(value_of(*p, "/cluster/gpus"), "1");
}

// A vision network (1024 wide, 4096 between) and a recommender of which two products are as large as those of an eighth of
// Llama: shapes of the catalogue by chance. The chat model (1024 wide, 2816 between) is in no catalogue.
TEST_F(InferShared, ShapesThatFitByChanceTellNoModel)
{
    for (const char* name : {"h100_owlv2_56MB.json.gz", "a100_sampled_rank0of128.json.gz", "h100_qwen05b_chat.json.gz", "mi300_qwen05b_chat.json.gz"}) {
        SCOPED_TRACE(name);
        const auto p = inferred(name);
        if (!p)
            GTEST_SKIP() << "the shared traces are not here";
        EXPECT_EQ(value_of(*p, "/model"), "");
        EXPECT_TRUE(is_open(*p, "the model"));
    }
}

// DeepSeek-V3 on 64 H800: the device, the ranks and the arithmetic are in the file, shapes were not recorded.
TEST_F(InferShared, ATraceWithoutShapesTellsTheMachine)
{
    const auto p = inferred("dsv3_h800_train_dualpipe.json");
    if (!p)
        GTEST_SKIP() << "the shared traces are not here";
    EXPECT_EQ(value_of(*p, "/cluster/instance"), "hgx-h800");
    EXPECT_EQ(value_of(*p, "/cluster/nodes"), "8");
    EXPECT_EQ(value_of(*p, "/precision/recipe"), "fp8");
    EXPECT_EQ(value_of(*p, "/model"), "");
}

} // namespace ridgepoint
