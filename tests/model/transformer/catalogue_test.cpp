// Every model of the catalogue against the counts that its makers publish.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/transformer/read.h"

using namespace ridgepoint;

namespace {

SpecStore catalogue()
{
    Expected<SpecStore> s = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    EXPECT_TRUE(s) << (s ? "" : s.error().text());
    return s ? *s : SpecStore{};
}

// A published figure is right within 1 %, or within the rounding of its last digit where that is coarser.
void expect_close(const std::string& id, const char* what, double computed, double published, double rounding)
{
    const double tolerance = std::max(0.01 * published, 0.5 * rounding);
    EXPECT_NEAR(computed, published, tolerance) << id << ": " << what << " off by " << 100.0 * (computed / published - 1.0) << " %";
}

} // namespace

TEST(ModelCatalogue, CountsMatchThePublishedOnes)
{
    const SpecStore specs = catalogue();
    ASSERT_GE(specs.ids(SpecKind::model).size(), 60u);
    for (const std::string& id : specs.ids(SpecKind::model)) {
        const Expected<Transformer> m = read_transformer(specs, id);
        ASSERT_TRUE(m) << m.error().text();
        const ParameterCount n = count_parameters(*m);
        const nlohmann::json& p = (**specs.document(SpecKind::model, id))["published"];
        ASSERT_TRUE(p.contains("total")) << id;
        const double vision = p.value("vision", 0.0);
        const double mtp = p.value("includes_mtp", false) ? n.mtp : 0.0;
        expect_close(id, "total", n.total + vision + mtp, p["total"].get<double>(), p["rounding"].get<double>());
        if (p.contains("active")) {
            const std::string convention = p["active_convention"];
            const double active = n.active - (convention == "all" ? 0.0 : n.embedding) - (convention == "no_embeddings" ? n.lm_head : 0.0);
            // Makers differ in what they count, and one cuts where others round: the spec says which.
            const double unit = p["active_rounding"].get<double>() * (p.value("active_truncated", false) ? 2.0 : 1.0);
            expect_close(id, "active", active, p["active"].get<double>(), unit);
        }
    }
}

TEST(ModelCatalogue, SpecsSurviveARoundTrip)
{
    const SpecStore specs = catalogue();
    for (const std::string& id : specs.ids(SpecKind::model)) {
        const Transformer m = *read_transformer(specs, id);
        const Expected<Transformer> back = transformer_from_json(to_spec_json(m), {});
        ASSERT_TRUE(back) << id << ": " << back.error().text();
        EXPECT_DOUBLE_EQ(count_parameters(m).total, count_parameters(*back).total) << id;
        EXPECT_EQ(m.layer_count(), back->layer_count()) << id;
        for (int i = 0; i < m.layer_count(); ++i)
            EXPECT_EQ(m.layer(i).window, back->layer(i).window) << id;
    }
}

struct Broken {
    const char* name;
    const char* patch; // RFC 7396 merge patch over a good spec
    const char* pointer;
};
class BrokenModel : public testing::TestWithParam<Broken> { };

TEST_P(BrokenModel, IsRefusedAtItsPlace)
{
    nlohmann::json d = {{"id", "x"}, {"hidden", 64}, {"vocab", 100}, {"kinds", {{"dense", {{"attention", {{"heads", 4}, {"head_dim", 16}}}, {"ffn_width", 256}}}}},
        {"layers", {{{"kind", "dense"}, {"count", 2}}}}};
    ASSERT_TRUE(transformer_from_json(d, {}));
    d.merge_patch(nlohmann::json::parse(GetParam().patch));
    const Expected<Transformer> m = transformer_from_json(d, {"x.json", 0, {}});
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().place.pointer, GetParam().pointer);
    EXPECT_EQ(m.error().place.file, "x.json");
}

INSTANTIATE_TEST_SUITE_P(All, BrokenModel,
    testing::Values(Broken{"negative", R"({"hidden": -1})", "/hidden"}, Broken{"fraction", R"({"hidden": 64.5})", "/hidden"},
        Broken{"huge", R"({"vocab": 99999999999})", "/vocab"}, Broken{"text", R"({"vocab": "many"})", "/vocab"},
        Broken{"missing", R"({"hidden": null})", "/hidden"}, Broken{"nokinds", R"({"kinds": null})", "/kinds"},
        Broken{"unknown", R"({"layers": [{"kind": "sparse", "count": 2}]})", "/layers/0"},
        Broken{"endless", R"({"layers": [{"kind": "dense", "count": 100000}]})", "/layers/0/count"},
        Broken{"heads", R"({"kinds": {"dense": {"attention": {"heads": 4, "kv_heads": 3}}}})", "/kinds/dense/attention/kv_heads"},
        Broken{"attention", R"({"kinds": {"dense": {"attention": {"kind": "magic"}}}})", "/kinds/dense/attention/kind"},
        Broken{"experts", R"({"kinds": {"dense": {"moe": true}}})", "/kinds/dense/moe"}),
    [](const auto& p) { return std::string(p.param.name); });
