// The table of fields: complete, consistent, and safe to edit by.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "model/project/fields.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

Plan serving_plan()
{
    Plan p = example_plan();
    EXPECT_TRUE(set_field(p, "/workload/kind", "serving"));
    return p;
}

TEST(Fields, EveryRowSaysWhatItIs)
{
    std::set<std::string> paths;
    for (const PlanField& f : plan_fields()) {
        EXPECT_TRUE(paths.insert(f.path).second) << f.path;
        EXPECT_FALSE(f.label.empty()) << f.path;
        EXPECT_TRUE(f.help.ends_with(".")) << f.path;
        EXPECT_EQ(f.choices.size(), f.choice_labels.size()) << f.path;
        EXPECT_EQ(f.type == FieldType::choice, !f.choices.empty()) << f.path;
        EXPECT_TRUE(f.training || f.serving) << f.path;
        if (f.type == FieldType::whole || f.type == FieldType::number) {
            EXPECT_LT(f.minimum, f.maximum) << f.path;
        }
        EXPECT_EQ(f.source.empty(), f.group == "Plan") << f.path << ": where its default comes from";
    }
    EXPECT_GT(paths.size(), 50u);
}

TEST(Fields, EveryFieldStandsInTheJsonAtItsPath)
{
    for (const Plan& p : {example_plan(), serving_plan()}) {
        const nlohmann::json j = to_json(p);
        std::size_t leaves = 0;
        const nlohmann::json flat = j.flatten();
        for (const auto& item : flat.items())
            leaves += item.key() != "/ridgepoint";
        std::size_t present = 0;
        for (const PlanField& f : plan_fields())
            present += j.contains(nlohmann::json::json_pointer(f.path));
        EXPECT_EQ(leaves, present) << "nothing is in the file that is not a field";
    }
}

TEST(Fields, DefaultsAreInRangeAndResetRestoresThem)
{
    for (Plan p : {example_plan(), serving_plan()})
        for (const PlanField& f : plan_fields()) {
            if (f.path == "/workload/kind" || !applies(f, p))
                continue;
            Status s = set_field(p, f.path, field_default(p, f.path));
            EXPECT_TRUE(s) << f.path << " " << s.error().text();
            EXPECT_EQ(field_value(p, f.path), field_default(p, f.path)) << f.path;
        }
}

TEST(Fields, BadEditsLeaveThePlanAloneAndSayWhere)
{
    const Plan before = example_plan();
    Plan p = before;
    const std::pair<const char*, const char*> edits[] = {{"/layout/tp", "0"}, {"/layout/tp", "four"}, {"/layout/tp", "4x"}, {"/layout/tp", ""}, {"/layout/tp", "1.5"},
        {"/layout/tp", "1e99"}, {"/layout/tp", "nan"}, {"/layout/sequence_parallel", "yes"}, {"/layout/recompute", "some"}, {"/workload/kind", "training"},
        {"/price/utilization", "0"}, {"/price/utilization", "inf"}, {"/model", ""}, {"/workload/input_length", "5"}};
    for (const auto& [path, value] : edits) {
        const Status s = set_field(p, path, value);
        ASSERT_FALSE(s) << path << " " << value;
        EXPECT_EQ(s.error().kind, ErrorKind::bad_input);
        EXPECT_EQ(s.error().place.pointer, path);
        EXPECT_TRUE(p == before) << path << " " << value;
    }
    const Status unknown = set_field(p, "/layout/tpp", "4");
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().hint, HasSubstr("/layout/"));
}

TEST(Fields, NumbersAreReadWithoutLocale)
{
    Plan p = example_plan();
    ASSERT_TRUE(set_field(p, "/workload/tokens", "15.6e12"));
    EXPECT_DOUBLE_EQ(std::get<Training>(p.workload).tokens.value(), 15.6e12);
    EXPECT_EQ(field_value(p, "/workload/tokens"), "15600000000000");
    ASSERT_TRUE(set_field(p, "/price/custom_usd_per_gpu_hour", "2.35"));
    EXPECT_EQ(field_value(p, "/price/custom_usd_per_gpu_hour"), "2.35");
    ASSERT_TRUE(set_field(p, "/price/custom_usd_per_gpu_hour", ""));
    EXPECT_FALSE(p.price.custom_dollars_per_gpu_hour);
}

TEST(Fields, SwitchingTheFamilyBringsALegalStart)
{
    Plan p = example_plan(); // pp 16, vpp 7, zero1, Megatron
    ASSERT_TRUE(set_field(p, "/workload/kind", "decode"));
    EXPECT_EQ(std::get<Serving>(p.workload).phase, ServingPhase::decode);
    EXPECT_EQ(p.layout.tp, 8) << "tensor parallelism means the same in both";
    EXPECT_EQ(p.layout.pp, 1);
    EXPECT_EQ(p.layout.vpp, 1);
    EXPECT_EQ(p.assumptions.framework, Framework::vllm);
    ASSERT_TRUE(set_field(p, "/precision/recipe", "int8"));
    ASSERT_TRUE(set_field(p, "/precision/kv_cache", "fp8"));
    ASSERT_TRUE(set_field(p, "/workload/kind", "serving"));
    EXPECT_EQ(p.precision.recipe, "int8") << "another phase keeps the recipe";
    ASSERT_TRUE(set_field(p, "/workload/kind", "pretraining"));
    EXPECT_EQ(p.precision.recipe, "bf16") << "INT8 is no training recipe";
    EXPECT_FALSE(p.precision.kv_cache);
    EXPECT_EQ(p.assumptions.framework, Framework::megatron);
    EXPECT_EQ(p.layout.sharding, DataSharding::zero1);
}

TEST(Fields, SwitchingWithinAFamilyKeepsTheNumbers)
{
    Plan p = example_plan();
    ASSERT_TRUE(set_field(p, "/workload/kind", "fine_tuning"));
    EXPECT_EQ(std::get<Training>(p.workload).sequence_length, 8192);
    EXPECT_EQ(p.layout.pp, 16);
    ASSERT_TRUE(set_field(p, "/workload/kind", "lora"));
    ASSERT_TRUE(set_field(p, "/precision/recipe", "w4a16"));
    ASSERT_TRUE(set_field(p, "/workload/kind", "fine_tuning"));
    EXPECT_EQ(p.precision.recipe, "bf16") << "4-bit weights are only trained around";
}

TEST(Fields, OnlyWhatMattersApplies)
{
    Plan p = example_plan();
    EXPECT_FALSE(applies(*find_field("/workload/lora/rank"), p));
    EXPECT_FALSE(applies(*find_field("/workload/input_length"), p));
    EXPECT_FALSE(applies(*find_field("/layout/shard_group"), p));
    EXPECT_TRUE(applies(*find_field("/layout/vpp"), p));
    ASSERT_TRUE(set_field(p, "/layout/sharding", "hsdp"));
    EXPECT_TRUE(applies(*find_field("/layout/shard_group"), p));
    ASSERT_TRUE(set_field(p, "/workload/kind", "prefill"));
    EXPECT_FALSE(applies(*find_field("/workload/output_length"), p));
    EXPECT_FALSE(applies(*find_field("/layout/sharding"), p));
    EXPECT_THAT(choices_for(*find_field("/precision/recipe"), p), testing::Contains("int8"));
    EXPECT_THAT(choices_for(*find_field("/precision/recipe"), example_plan()), testing::Not(testing::Contains("int8")));
}

} // namespace
} // namespace ridgepoint
