// Names to values, precision recipes, snapshots, verdict and advice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/project/fields.h"
#include "model/project/precision_recipes.h"
#include "model/project/resolve.h"
#include "model/project/snapshots.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

Plan small_training()
{
    Plan p;
    p.model = "llama-3.1-8b";
    p.instance = "p5.48xlarge";
    p.nodes = 2;
    p.layout.dp = 0;
    p.layout.sharding = DataSharding::zero1;
    return p;
}

TEST(Resolve, DataParallelFollowsFromTheGpus)
{
    Plan p = small_training();
    p.layout.tp = 4;
    p.layout.pp = 2;
    const Expected<Job> job = resolve(p, catalogue());
    ASSERT_TRUE(job) << job.error().text();
    EXPECT_EQ(job->cluster.gpus, 16);
    EXPECT_EQ(job->layout.dp, 2); // 16 / (4 x 2)
    p.layout.tp = 3;
    const Expected<Job> odd = resolve(p, catalogue());
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(odd.error().place.pointer, "/layout/dp");
    EXPECT_THAT(odd.error().hint, HasSubstr("12 GPUs")); // the largest multiple of 6 in 16
}

TEST(Resolve, UnknownNamesPointAtTheFieldAndSuggest)
{
    Plan p = small_training();
    p.model = "llama-3.1-8bb";
    Expected<Job> job = resolve(p, catalogue());
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().place.pointer, "/model");
    EXPECT_THAT(job.error().hint, HasSubstr("llama-3.1-8b"));
    p = small_training();
    p.instance = "p5.47xlarge";
    job = resolve(p, catalogue());
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().place.pointer, "/cluster/instance");
    EXPECT_THAT(job.error().hint, HasSubstr("p5.48xlarge"));
    p = small_training();
    p.gpus = 17;
    EXPECT_FALSE(resolve(p, catalogue()));
}

TEST(Resolve, AVariantOfThePlanIsThePlanResolved)
{
    Plan p = small_training();
    const Expected<Job> base = resolve(p, catalogue());
    ASSERT_TRUE(base);
    p.layout.tp = 2;
    p.nodes = 4;
    p.precision.recipe = "fp8";
    const Expected<Job> direct = resolve(p, catalogue());
    const Expected<Job> variant = resolve_variant(p, *base);
    ASSERT_TRUE(direct && variant);
    EXPECT_EQ(estimate(*direct)->training->step.value(), estimate(*variant)->training->step.value());
    EXPECT_EQ(estimate(*direct)->memory.worst().total().value(), estimate(*variant)->memory.worst().total().value());
}

// ---- precision

PrecisionRecipe recipe_of(const Plan& p)
{
    const Expected<Job> job = resolve(p, catalogue());
    EXPECT_TRUE(job) << job.error().text();
    return job ? job->precision : PrecisionRecipe{};
}

TEST(Precision, TrainingRecipesQuantizeTheLinearLayersOnly)
{
    Plan p = small_training();
    for (const char* id : {"bf16", "fp16", "fp8", "fp8_block"}) {
        p.precision.recipe = id;
        const PrecisionRecipe r = recipe_of(p);
        EXPECT_EQ(r.attention, Arithmetic::bf16) << id;
        EXPECT_EQ(r.lm_head, Arithmetic::bf16) << id;
        EXPECT_EQ(r.gradients, NumberFormat::fp32) << id;
        EXPECT_EQ(r.optimizer_bytes, 12.0) << id;
        EXPECT_EQ(r.gemm, std::string(id).starts_with("fp8") ? Arithmetic::fp8 : Arithmetic::bf16) << id;
    }
    p.assumptions.framework = Framework::fsdp;
    p.precision.recipe = "bf16";
    EXPECT_EQ(recipe_of(p).optimizer_bytes, 8.0) << "FSDP2 keeps the fp32 master as the weights";
}

TEST(Precision, EveryRecipeResolvesWhereItBelongsAndNowhereElse)
{
    for (const PrecisionRecipeInfo& r : precision_recipes()) {
        Plan training = small_training();
        training.instance = "p6-b200.48xlarge"; // has units for all of them
        training.precision.recipe = r.id;
        std::get<Training>(training.workload).kind = TrainingKind::lora;
        EXPECT_EQ(resolve(training, catalogue()).has_value(), r.training) << r.id;
        Plan serving = training;
        ASSERT_TRUE(set_field(serving, "/workload/kind", "decode"));
        serving.precision.recipe = r.id;
        EXPECT_EQ(resolve(serving, catalogue()).has_value(), r.serving) << r.id;
    }
    Plan p = small_training();
    p.precision.recipe = "int8";
    const Expected<Job> wrong = resolve(p, catalogue());
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().place.pointer, "/precision/recipe");
    EXPECT_THAT(wrong.error().expected, HasSubstr("fp8"));
}

TEST(Precision, MissingUnitsAreInfeasibleWithAWayOut)
{
    Plan p = small_training();
    p.instance = "p4de.24xlarge"; // A100: no FP8
    p.precision.recipe = "fp8";
    Expected<Job> job = resolve(p, catalogue());
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(job.error().place.pointer, "/precision/recipe");
    EXPECT_THAT(job.error().hint, HasSubstr("bf16"));
    ASSERT_TRUE(set_field(p, "/workload/kind", "decode"));
    job = resolve(p, catalogue());
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().hint, HasSubstr("w4a16")) << "weights can be small without FP8 units";
    p.instance = "p5.48xlarge"; // Hopper: FP8, but no block scaling in hardware
    p.precision.recipe = "mxfp8";
    job = resolve(p, catalogue());
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().message, HasSubstr("MX"));
}

TEST(Precision, OverridesChangeWhatIsStoredOnly)
{
    Plan p = small_training();
    ASSERT_TRUE(set_field(p, "/workload/kind", "decode"));
    p.precision.kv_cache = NumberFormat::fp8;
    p.precision.weights = NumberFormat::int4;
    const PrecisionRecipe r = recipe_of(p);
    EXPECT_EQ(r.kv_cache, NumberFormat::fp8);
    EXPECT_EQ(r.weights, NumberFormat::int4);
    EXPECT_EQ(r.gemm, Arithmetic::bf16);
}

TEST(Precision, GradientsInBf16HalveTheirBuffer)
{
    Plan p = small_training();
    const Expected<Evaluation> fp32 = evaluate_only(p, catalogue());
    ASSERT_TRUE(set_field(p, "/precision/gradients", "bf16"));
    EXPECT_EQ(recipe_of(p).gradient_reduce, NumberFormat::bf16);
    const Expected<Evaluation> bf16 = evaluate_only(p, catalogue());
    ASSERT_TRUE(fp32 && bf16);
    EXPECT_DOUBLE_EQ(bf16->estimate.memory.worst().gradients.value() * 2.0, fp32->estimate.memory.worst().gradients.value());
    EXPECT_LE(bf16->estimate.training->step.value(), fp32->estimate.training->step.value());
    ASSERT_TRUE(set_field(p, "/workload/kind", "decode"));
    EXPECT_FALSE(p.precision.gradients) << "serving has none";
}

// ---- snapshots

TEST(Snapshots, AnOldPlanGivesTheSameNumbersWhenTheCatalogueMovesOn)
{
    Plan p = small_training();
    const Expected<std::vector<SpecSnapshot>> taken = take_snapshots(p, catalogue());
    ASSERT_TRUE(taken) << taken.error().text();
    p.snapshots = *taken;
    std::vector<std::string> kinds;
    for (const SpecSnapshot& s : p.snapshots)
        kinds.emplace_back(folder_of(s.kind));
    EXPECT_THAT(kinds, testing::UnorderedElementsAre("models", "instances", "accelerators", "fabrics", "efficiency", "efficiency", "prices"));
    const Expected<Evaluation> before = evaluate_only(p, catalogue());
    ASSERT_TRUE(before) << before.error().text();
    EXPECT_TRUE(outdated_snapshots(p, catalogue()).empty());

    // The catalogue learns of a GPU with half the bandwidth.
    SpecStore later = catalogue();
    nlohmann::json gpu = **later.document(SpecKind::accelerator, "h100-sxm");
    gpu["hbm"]["bandwidth"]["value"] = gpu["hbm"]["bandwidth"]["value"].get<double>() / 2;
    Status added = later.add(SpecKind::accelerator, gpu.dump(), "later", "user");
    ASSERT_TRUE(added) << added.error().text();

    const Expected<Plan> saved = plan_from_text(to_text(p), "p");
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ(saved->snapshots.size(), p.snapshots.size());
    const Expected<Evaluation> kept = evaluate_only(*saved, later);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_EQ(kept->estimate.training->step.value(), before->estimate.training->step.value());
    EXPECT_THAT(outdated_snapshots(*saved, later), testing::ElementsAre("accelerator h100-sxm"));
    EXPECT_THAT(kept->estimate.notes, testing::Contains(HasSubstr("accelerator h100-sxm")));
    Plan current = *saved;
    current.snapshots.clear();
    EXPECT_GT(evaluate_only(current, later)->estimate.training->step.value(), before->estimate.training->step.value());
}

TEST(Snapshots, ABrokenSnapshotIsAnErrorNotACrash)
{
    Plan p = small_training();
    p.snapshots.push_back({SpecKind::accelerator, "h100-sxm", R"({"id":"h100-sxm","peaks":3})"});
    const Expected<Evaluation> v = evaluate_only(p, catalogue());
    ASSERT_FALSE(v);
    EXPECT_EQ(v.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(v.error().text(), HasSubstr("h100-sxm"));
}

TEST(Resolve, ANewInstanceIsOneDocumentAndNoCode)
{
    SpecStore specs = catalogue();
    nlohmann::json node = **specs.document(SpecKind::instance, "p5en.48xlarge");
    node["id"] = "p9.test";
    node["name"] = "an instance that exists only here";
    node["network"]["nics"]["value"] = 32; // twice the network of p5en
    Status added = specs.add(SpecKind::instance, node.dump(), "p9", "project");
    ASSERT_TRUE(added) << added.error().text();
    Plan p = small_training();
    p.layout.tp = 8;
    p.layout.overlap_grad_reduce = false; // so that the network is felt
    p.instance = "p5en.48xlarge";
    const Expected<Evaluation> old = evaluate_only(p, specs);
    p.instance = "p9.test";
    const Expected<Evaluation> twice = evaluate_only(p, specs);
    ASSERT_TRUE(old && twice);
    EXPECT_LT(twice->estimate.training->step, old->estimate.training->step);
    EXPECT_FALSE(twice->cost.price) << "nobody sells it";
    EXPECT_THAT(twice->cost.missing, HasSubstr("p9.test"));
}

// ---- verdict and advice

TEST(Advice, WhatDoesNotFitIsToldWhatWouldMakeItFit)
{
    Plan p = small_training(); // 70B, tp 1, on 16 x 80 GB: 6 B x 70e9 alone is 420 GB
    p.model = "llama-3.1-70b";
    p.layout.tp = 4;
    const Expected<Evaluation> v = evaluate(p, catalogue());
    ASSERT_TRUE(v) << v.error().text();
    EXPECT_FALSE(v->estimate.feasible());
    EXPECT_THAT(v->verdict, HasSubstr("Does not fit"));
    ASSERT_FALSE(v->changes.empty());
    EXPECT_EQ(v->changes.size(), v->advice.size());
    for (const Advice& a : v->changes) { // applied, it does what it says
        Plan changed = p;
        for (const auto& [path, value] : a.edits)
            ASSERT_TRUE(set_field(changed, path, value)) << path;
        const Expected<Evaluation> after = evaluate_only(changed, catalogue());
        ASSERT_TRUE(after) << a.change << after.error().text();
        EXPECT_EQ(after->estimate.feasible(), a.fits) << a.change;
        EXPECT_NEAR(in_gibibytes(after->estimate.memory.headroom()), a.headroom_gib, 1e-6) << a.change;
        EXPECT_NEAR(throughput_per_gpu(after->estimate) / throughput_per_gpu(v->estimate) - 1.0, a.gain, 1e-9) << a.change;
    }
    EXPECT_TRUE(v->changes.front().fits) << v->advice.front();
}

TEST(Advice, WhatFitsIsOnlyOfferedImprovementsThatFit)
{
    Plan p = small_training();
    p.layout.tp = 8;
    p.layout.recompute = Recompute::full;
    const Expected<Evaluation> v = evaluate(p, catalogue());
    ASSERT_TRUE(v) << v.error().text();
    ASSERT_TRUE(v->estimate.feasible()) << v->verdict;
    ASSERT_FALSE(v->changes.empty()) << "8B over tp 8 with full recomputation can be improved";
    double last = 1e9;
    for (const Advice& a : v->changes) {
        EXPECT_TRUE(a.fits);
        EXPECT_GE(a.gain, 0.01);
        EXPECT_LE(a.gain, last);
        last = a.gain;
    }
}

TEST(Advice, OwnRateAndMissingPricesAreSaid)
{
    Plan p = small_training();
    p.layout.tp = 8;
    p.price.term = "custom";
    Expected<Evaluation> v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v);
    EXPECT_FALSE(v->cost.price);
    EXPECT_THAT(v->cost.missing, HasSubstr("own rate"));
    p.price.custom_dollars_per_gpu_hour = 2.0;
    v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v && v->cost.price);
    EXPECT_NEAR(v->cost.cluster.value() * 3600.0, 32.0, 1e-9); // 16 GPUs x $2
    p.price.term = "on_demand";
    p.price.region = "mars-north-1";
    v = evaluate_only(p, catalogue());
    ASSERT_TRUE(v);
    EXPECT_FALSE(v->cost.price);
    EXPECT_THAT(v->cost.missing, HasSubstr("mars-north-1"));
}

} // namespace
} // namespace ridgepoint
