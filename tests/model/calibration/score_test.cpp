#include "model/calibration/score.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/calibration/csv.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/calibration/training_rows.h"
#include "model/calibration/validate.h"

using namespace ridgepoint;

namespace {

std::vector<Prediction> predictions(std::vector<std::pair<double, double>> measured_predicted)
{
    std::vector<Prediction> out;
    for (const auto& [m, p] : measured_predicted)
        out.push_back({"t", m, p, p, p, {}});
    return out;
}

Score of(const std::vector<Prediction>& all)
{
    std::vector<const Prediction*> pointers;
    for (const Prediction& p : all)
        pointers.push_back(&p);
    return score(pointers);
}

} // namespace

// Errors of +10 %, -20 % and +40 %: absolute median 0.2, signed median 0.1, 90th percentile between the upper two.
TEST(Score, MedianPercentileAndBiasByHand)
{
    const Score s = of(predictions({{10, 11}, {10, 8}, {10, 14}}));
    EXPECT_NEAR(s.median_abs_error, 0.2, 1e-12);
    EXPECT_NEAR(s.bias, 0.1, 1e-12);
    EXPECT_NEAR(s.p90_abs_error, 0.2 + 0.8 * 0.2, 1e-12);
    EXPECT_EQ(s.count, 3);
}

TEST(Score, RankCorrelationLooksAtOrderOnly)
{
    EXPECT_DOUBLE_EQ(of(predictions({{1, 10}, {2, 200}, {3, 3000}})).rank_correlation, 1.0);
    EXPECT_DOUBLE_EQ(of(predictions({{1, 3}, {2, 2}, {3, 1}})).rank_correlation, -1.0);
    EXPECT_TRUE(std::isnan(of(predictions({{1, 1}, {2, 2}})).rank_correlation));
    EXPECT_NEAR(spearman({1, 2, 2, 4}, {1, 2, 2, 4}), 1.0, 1e-12); // ties share a rank
}

TEST(Score, CountsBandsThatHoldTheMeasurement)
{
    std::vector<Prediction> p = predictions({{10, 12}, {10, 12}});
    p[0].low = 9;
    p[1].low = 11;
    const Score s = of(p);
    EXPECT_EQ(s.bands, 2);
    EXPECT_EQ(s.inside_band, 1);
}

// Errors of 5, 10, 20 and 60 per cent; a limit belongs to its share.
TEST(Score, SharesWithinLimits)
{
    const Score s = of(predictions({{100, 105}, {10, 11}, {10, 8}, {10, 16}}));
    EXPECT_DOUBLE_EQ(s.within_10, 0.5);
    EXPECT_DOUBLE_EQ(s.within_20, 0.75);
    EXPECT_DOUBLE_EQ(s.within_50, 0.75);
    EXPECT_TRUE(std::isnan(of({}).within_10));
}

// Four rows in order (1), five in reverse (-1), three that are too few: (4 x 1 + 5 x -1) / 9.
TEST(Score, RanksWithinGroupsOfFourRowsOrMore)
{
    std::vector<Prediction> p = predictions({{1, 1}, {2, 2}, {3, 3}, {4, 4}, {1, 5}, {2, 4}, {3, 3}, {4, 2}, {5, 1}, {1, 3}, {2, 2}, {3, 1}, {7, 7}});
    for (std::size_t i = 0; i < 12; ++i)
        p[i].group = i < 4 ? "a, 8" : i < 9 ? "b, 8" : "c, 16"; // the last row belongs to none
    const Score s = of(p);
    EXPECT_EQ(s.groups, 2);
    EXPECT_NEAR(s.group_rank, -1.0 / 9.0, 1e-12);
    EXPECT_TRUE(std::isnan(of(predictions({{1, 1}, {2, 2}, {3, 3}, {4, 4}})).group_rank));
}

TEST(Score, CoverageIsOfStatedIntervalsOnly)
{
    std::vector<Prediction> p = predictions({{10, 11}, {10, 13}, {10, 10}});
    Estimate e;
    e.relative_error = 0.2;
    state_interval(p[0], e); // 8.8 to 13.2
    state_interval(p[1], e); // 10.4 to 15.6
    const Score s = of(p);
    EXPECT_EQ(s.intervals, 2);
    EXPECT_EQ(s.covered, 1);
    EXPECT_DOUBLE_EQ(s.coverage(), 0.5);
    EXPECT_TRUE(std::isnan(of(predictions({{1, 1}})).coverage()));
}

// A time of 8 to 12 is a rate of 1/12 to 1/8; a row that is a band has the interval around all of it.
TEST(Score, IntervalOfATimeARateAndABand)
{
    Estimate e;
    e.relative_error = 0.2;
    Prediction rate = predictions({{1, 0.1}}).front();
    state_interval(rate, e, Scored::rate);
    EXPECT_DOUBLE_EQ(rate.interval_low, 1.0 / 12.0);
    EXPECT_DOUBLE_EQ(rate.interval_high, 1.0 / 8.0);
    Prediction band = predictions({{1, 10}}).front();
    band.high = 20;
    state_interval(band, e);
    EXPECT_DOUBLE_EQ(band.interval_low, 8);
    EXPECT_DOUBLE_EQ(band.interval_high, 24);
    e.relative_error = 0; // no law said anything
    Prediction none = predictions({{1, 10}}).front();
    state_interval(none, e);
    EXPECT_FALSE(none.has_interval());
}

TEST(Strata, AreOrderedBySizeThenByName)
{
    const Stratum s = {{"64 MiB and more", {}}, {"vllm", {}}, {"0 to 64 KiB", {}}, {"1 MiB to 64 MiB", {}}, {"h100", {}}, {"64 KiB to 1 MiB", {}}};
    std::vector<std::string> names;
    for (const auto& [name, score] : s)
        names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{"0 to 64 KiB", "64 KiB to 1 MiB", "1 MiB to 64 MiB", "64 MiB and more", "h100", "vllm"}));
    EXPECT_TRUE(StratumOrder{}("9 to 16", "17 to 64"));
}

TEST(Strata, NameRowsInOneSpelling)
{
    EXPECT_EQ(whole_band(1, {16, 256}), "1 to 16");
    EXPECT_EQ(whole_band(17, {16, 256}), "17 to 256");
    EXPECT_EQ(whole_band(300, {16, 256}), "257 and more");
    EXPECT_EQ(whole_band(std::nan(""), {16}), "not stated");
    EXPECT_EQ(message_band(65536), "64 KiB to 1 MiB");
    EXPECT_EQ(sharing_of_heads(32, 32), "multi-head");
    EXPECT_EQ(sharing_of_heads(32, 8), "grouped-query");
    EXPECT_EQ(sharing_of_heads(32, 1), "multi-query");
    EXPECT_EQ(fabric_class("EFA 16x400G"), "EFA");
    EXPECT_EQ(fabric_class("NDR IB 8x400G"), "InfiniBand");
    EXPECT_EQ(fabric_class("NVL72 + 400G IB"), "NVL72 and InfiniBand");
    EXPECT_EQ(fabric_class("NVSwitch only"), "NVLink");
    Layout sharded;
    sharded.sharding = DataSharding::zero3;
    EXPECT_EQ(training_style("MaxText (JAX)", sharded), "JAX");
    EXPECT_EQ(training_style("torchtitan", sharded), "FSDP");
    EXPECT_EQ(training_style("NeMo/Megatron", {}), "Megatron-style");
}

TEST(Csv, ReadsQuotesNewlinesAndBom)
{
    const Expected<CsvTable> t = parse_csv("\xEF\xBB\xBF" "a,b\r\n\"x, \"\"y\"\"\n z\",2\r\n\r\n3,\n", "t.csv");
    ASSERT_TRUE(t);
    ASSERT_EQ(t->rows.size(), 2u);
    EXPECT_EQ(t->header[0], "a");
    EXPECT_EQ(t->rows[0][0], "x, \"y\"\n z");
    EXPECT_EQ(t->lines[0], 2);
    EXPECT_EQ(t->lines[1], 5);
    EXPECT_DOUBLE_EQ(CsvRow(*t, 0).number("b"), 2.0);
    EXPECT_TRUE(std::isnan(CsvRow(*t, 1).number("b")));
    EXPECT_TRUE(std::isnan(CsvRow(*t, 1).number("no such column")));
    EXPECT_EQ(csv_field("x, \"y\""), "\"x, \"\"y\"\"\"");
}

TEST(Csv, RefusesRaggedRowsAtTheirLine)
{
    const Expected<CsvTable> t = parse_csv("a,b\n1,2\n1,2,3\n", "t.csv");
    ASSERT_FALSE(t);
    EXPECT_EQ(t.error().place.line, 3);
    EXPECT_FALSE(parse_csv("", "t.csv"));
    EXPECT_FALSE(parse_csv("a\n\"open", "t.csv"));
}

TEST(RowModels, ReadsFabricRatesFromFreeText)
{
    const auto rate = [](const char* text, int gpus) { return in_gigabytes_per_second(stated_network_per_node(text, gpus).value_or(BytesPerSecond{})); };
    EXPECT_DOUBLE_EQ(rate("1600 Gb/s per node RoCE", 8), 200.0);
    EXPECT_DOUBLE_EQ(rate("NVLink3; 4x100G Omni-Path per node", 8), 50.0);
    EXPECT_DOUBLE_EQ(rate("NVLink4 8-GPU + 400G NDR IB per GPU (system default)", 8), 400.0);
    // The storage adapters come first in this one; the compute fabric is the larger.
    EXPECT_DOUBLE_EQ(rate("Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s", 8), 400.0);
    EXPECT_DOUBLE_EQ(rate("4x ConnectX-8 IB XDR 800 Gb/s", 72), 7200.0); // eighteen trays of four
    EXPECT_FALSE(stated_network_per_node("not stated in table", 8));
}

TEST(RowModels, KeepsOrRepeatsLayersOfProxies)
{
    Transformer m;
    m.layers = {0, 1, 1};
    EXPECT_EQ(with_layers(m, 2).layers, (std::vector<std::uint8_t>{0, 1}));
    EXPECT_EQ(with_layers(m, 5).layers, (std::vector<std::uint8_t>{0, 1, 1, 1, 1}));
}

// What the sources' words mean: NVIDIA's recipes overlap tensor-parallel traffic, Megatron-LM overlaps gradients only
// where asked, token-drop routing frees the host, PyTorch without torch.compile is eager.
TEST(TrainingRows, ReadTheSourcesWords)
{
    const Expected<SpecStore> specs = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    ASSERT_TRUE(specs);
    const Expected<CsvTable> table = parse_csv(
        "source_family,framework,model,model_family,layers,hidden,ffn_hidden,heads,kv_heads,head_dim,vocab,n_experts,seq_len,n_gpus,gpu,interconnect,precision,dp_sharding,tp,sp,pp,mbs,gbs,recompute,overlap_notes,notes\n"
        "nemo-docs,NeMo Framework,M,gpt,8,4096,16384,32,32,128,51200,,2048,16,H100,8x NDR,bf16,ZeRO-1,2,1,1,1,64,none,,\n"
        "papers,Megatron-LM,M,gpt,8,4096,16384,32,32,128,51200,,2048,16,A100,8x HDR,bf16,ZeRO-1,2,1,1,1,64,none,,token-drop routing\n"
        "llm-foundry,llm-foundry/Composer FSDP,M,gpt,8,4096,16384,32,32,128,51200,,2048,16,A100,8x HDR,bf16,FSDP FULL_SHARD,1,,1,1,64,full,,\n",
        "rows.csv");
    ASSERT_TRUE(table);
    const auto job = [&](std::size_t i) { return job_of_training_row(CsvRow(*table, i), *specs); };
    for (std::size_t i = 0; i < 3; ++i)
        ASSERT_TRUE(job(i)) << job(i).error().text();
    EXPECT_TRUE(job(0)->layout.overlap_tp);
    EXPECT_TRUE(job(0)->layout.overlap_grad_reduce);
    EXPECT_FALSE(job(1)->layout.overlap_tp);
    EXPECT_FALSE(job(1)->layout.overlap_grad_reduce);
    EXPECT_EQ(job(1)->assumptions.host_per_moe_layer, Seconds{});
    EXPECT_FALSE(job(2)->assumptions.compiled);
    EXPECT_EQ(job(2)->assumptions.framework, Framework::fsdp);
    EXPECT_EQ(job(2)->layout.recompute, Recompute::full);
}

// Rows of the measurements' shape, from text: every row is either predicted or counted under a reason.
TEST(Validate, LosesNoRow)
{
    const Expected<SpecStore> specs = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    ASSERT_TRUE(specs);
    const char* shared = RIDGEPOINT_SHARED_DIR "/reference/measurements/training.csv";
    if (!read_csv(shared))
        GTEST_SKIP() << "the shared measurements are not here";
    const Expected<FileValidation> v = validate_file(shared, *specs);
    ASSERT_TRUE(v) << v.error().text();
    for (const QuantityScore& q : v->quantities) {
        int left = 0;
        for (const auto& [reason, count] : q.not_expressed)
            left += count;
        EXPECT_EQ(q.predicted + left, q.rows) << q.quantity;
    }
    EXPECT_EQ(v->quantities.front().rows, 722);
    EXPECT_LT(v->quantities.front().total.median_abs_error, 0.2);
    EXPECT_GT(v->quantities.front().total.rank_correlation, 0.95);
}
