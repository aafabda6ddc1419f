#include "model/parallelism/layout.h"

#include <numeric>

#include <gtest/gtest.h>

#include "model/parallelism/stages.h"
#include "tests/support/sample.h"

using namespace ridgepoint;

TEST(Placement, TensorGroupsStayInTheNode)
{
    const Cluster c = sample::cluster(4);
    const GroupPlacement tp = place_group(c, 8, 1);
    EXPECT_EQ(tp.domains, 1);
    EXPECT_EQ(tp.ranks_per_domain, 8);
}

// tp 4: the 8 data-parallel ranks of 32 GPUs sit two to a node, and four such groups share its NICs.
TEST(Placement, DataParallelGroupsShareTheNics)
{
    const GroupPlacement dp = place_group(sample::cluster(4), 8, 4);
    EXPECT_EQ(dp.ranks_per_domain, 2);
    EXPECT_EQ(dp.domains, 4);
    EXPECT_EQ(dp.groups_per_domain, 4);
}

TEST(Placement, UltraServerIsOneDomain)
{
    Cluster c = sample::cluster(1);
    c.node.accelerators = c.node.nvlink_domain = c.gpus = 72;
    EXPECT_EQ(place_group(c, 64, 1).domains, 1);
}

TEST(Stages, KeepEveryLayerOnce)
{
    for (int pp : {1, 2, 3, 5, 7})
        for (int vpp : {1, 2}) {
            const Transformer m = sample::small_moe();
            Layout l;
            l.pp = pp;
            l.vpp = vpp;
            const auto stages = cut_into_stages(m, l);
            ASSERT_EQ(stages.size(), static_cast<std::size_t>(pp));
            const int sum = std::accumulate(stages.begin(), stages.end(), 0, [](int n, const StageContent& s) { return n + s.layer_count(); });
            EXPECT_EQ(sum, m.layer_count());
            EXPECT_TRUE(stages.front().embedding);
            EXPECT_EQ(stages.back().heads, 1);
            EXPECT_EQ(stages.front().layers[0], 1); // the dense layer comes first
        }
}

// 61 layers do not divide by 8. The head of llama_8b is 4096 x 128256 products a token, 2.4 of its layers (218 M): with
// it the eight stages share 63.4 layers, 7.9 each: seven stages of 8 and 5 (with the head 7.4) on the last.
TEST(Stages, ARemainderSparesTheStageOfTheHead)
{
    Transformer m = sample::llama_8b();
    m.layers.assign(61, 0);
    Layout l;
    l.pp = 8;
    const auto stages = cut_into_stages(m, l);
    EXPECT_EQ(stages.back().layer_count(), 5);
    for (std::size_t i = 0; i + 1 < stages.size(); ++i)
        EXPECT_EQ(stages[i].layer_count(), 8);
}

TEST(Stages, EvenLayersAreCutEvenly)
{
    const Transformer m = sample::llama_8b();
    Layout l;
    l.pp = 4;
    l.vpp = 2;
    for (const StageContent& s : cut_into_stages(m, l))
        EXPECT_EQ(s.layer_count(), 8);
}

struct Illegal {
    const char* name;
    void (*change)(Job&);
    const char* pointer;
};
class Legality : public testing::TestWithParam<Illegal> { };

TEST_P(Legality, NamesTheFieldAndAHint)
{
    Layout l;
    l.tp = 8;
    Job j = sample::training(sample::llama_70b(), 2, l);
    ASSERT_TRUE(check_legal(j.model, j.workload, j.cluster, j.layout, j.precision));
    GetParam().change(j);
    const Status s = check_legal(j.model, j.workload, j.cluster, j.layout, j.precision);
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(s.error().place.pointer, GetParam().pointer);
    EXPECT_FALSE(s.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Legality,
    testing::Values(Illegal{"zero", [](Job& j) { j.layout.tp = 0; }, "/layout/tp"},
        Illegal{"product", [](Job& j) { j.layout.dp = 3; }, "/layout/dp"},
        Illegal{"heads", [](Job& j) { j.layout.tp = 16; j.layout.dp = 1; j.model.kinds[0].attention.heads = 60; }, "/layout/tp"},
        Illegal{"experts", [](Job& j) { j.layout.ep = 2; }, "/layout/ep"},
        Illegal{"stages", [](Job& j) { j.layout.pp = 16; j.layout.tp = 1; j.layout.dp = 1; j.model.layers.resize(8); }, "/layout/pp"},
        Illegal{"chunks", [](Job& j) { j.layout.vpp = 2; }, "/layout/vpp"},
        Illegal{"batch", [](Job& j) { std::get<Training>(j.workload).global_batch = 511; }, "/workload/global_batch"},
        Illegal{"precision", [](Job& j) { j.precision.gemm = Arithmetic::fp4; }, "/precision/recipe"},
        Illegal{"no fabric", [](Job& j) { j.cluster.node.fabric_id.clear(); }, "/cluster/nodes"}),
    [](const auto& param) {
        std::string n = param.param.name;
        std::erase(n, ' ');
        return n;
    });
