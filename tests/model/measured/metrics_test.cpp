// Metrics of clusters: formats, blanks and duplicates, and what they mean on a roofline.

#include <algorithm>

#include "model/measured/metrics/metric_formats.h"
#include "model/measured/metrics/roofline_points.h"
#include "tests/model/measured/shared_facts.h"

namespace ridgepoint {
namespace {

Measured only(const std::string& text)
{
    const auto found = read_measured_text(text, "test");
    EXPECT_TRUE(found) << (found ? "" : found.error().text());
    if (!found || found->empty())
        return {};
    EXPECT_EQ(found->size(), 1U);
    return found->front();
}

MetricSet set_of(const std::string& text)
{
    const Measured m = only(text);
    const auto* set = std::get_if<MetricSet>(&m.content);
    EXPECT_NE(set, nullptr) << m.format;
    return set != nullptr ? *set : MetricSet{};
}

TEST(Metrics, PublishedFilesGiveTheirReferenceFacts)
{
    if (!std::filesystem::exists(shared_traces()))
        GTEST_SKIP() << "no reference files at " << shared_traces();
    const nlohmann::json facts = other_facts();
    int files = 0;
    for (const auto& [file, want] : facts.items()) {
        if (file.find("metrics/") == std::string::npos)
            continue;
        SCOPED_TRACE(file);
        const auto found = read_measured((shared_traces() / file).string());
        ASSERT_TRUE(found) << found.error().text();
        ASSERT_EQ(found->size(), 1U);
        expect_facts(found->front().facts, want, file);
        ++files;
    }
    EXPECT_GE(files, 2);
}

TEST(Metrics, PublishedFilesWithoutFacts)
{
    const auto at = [](const char* file) { return (shared_traces() / file).string(); };
    if (!std::filesystem::exists(shared_traces()))
        GTEST_SKIP() << "no reference files";
    // Eight lines, one of them a blank of DCGM.
    const auto dcgm = read_measured(at("derived/metrics/dcgm_a100_from_docs.prom"));
    ASSERT_TRUE(dcgm);
    EXPECT_EQ(dcgm->front().facts["n_samples"], 8);
    EXPECT_EQ(dcgm->front().facts["n_blank"], 1);
    // 8 rows of 2 columns with 1 + 3 empty cells.
    const auto grafana = read_measured(at("derived/metrics/grafana_raw.csv"));
    ASSERT_TRUE(grafana) << grafana.error().text();
    EXPECT_EQ(grafana->front().facts["n_samples"], 12);
    EXPECT_EQ(grafana->front().facts["n_missing"], 4);
    EXPECT_DOUBLE_EQ(std::get<MetricSet>(grafana->front().content).series.at(0).times.at(1), 1757000015.0);
    const auto empty = read_measured(at("derived/metrics/prom_query_range_empty.json"));
    ASSERT_TRUE(empty);
    EXPECT_EQ(empty->front().facts["n_series"], 0);
    EXPECT_FALSE(empty->front().notes.empty());
    const auto error = read_measured(at("derived/metrics/prom_query_range_error.json"));
    ASSERT_FALSE(error);
    EXPECT_NE(error.error().text().find("unexpected end of input"), std::string::npos);
    const auto vector = read_measured(at("derived/metrics/prom_query_vector_dcgm.json"));
    ASSERT_TRUE(vector);
    EXPECT_EQ(vector->front().facts["n_series"], 2);
    for (const char* list : {"metrics/dcgm_exporter_dcp_counters.csv", "metrics/dcgm_exporter_default_counters.csv"}) {
        const auto fields = read_measured(at(list));
        ASSERT_TRUE(fields) << fields.error().text();
        EXPECT_EQ(fields->front().format, "dcgm-exporter field list");
        EXPECT_EQ(fields->front().facts["fields"]["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"], "counter");
        EXPECT_TRUE(fields->front().skipped.empty());
    }
}

TEST(Exposition, LabelsEscapesTimesAndTypes)
{
    const MetricSet set = set_of("# HELP up A \\n thing\n# TYPE up gauge\nup{path=\"C:\\\\x\\\"y\\\"\\n\",empty=\"\",} 1.5 1757000000123\n# TYPE bytes counter\nbytes 1e3\nbad line here\n nan_one NaN\nhuge{a=\"b\"} +Inf\n");
    ASSERT_EQ(set.series.size(), 4U);
    EXPECT_EQ(set.series[0].labels.at("path"), "C:\\x\"y\"\n");
    EXPECT_DOUBLE_EQ(set.series[0].times.at(0), 1757000000.123); // milliseconds
    EXPECT_FALSE(set.series[0].counter);
    EXPECT_TRUE(set.series[1].counter);
    EXPECT_DOUBLE_EQ(set.series[1].values.at(0), 1000);
    EXPECT_TRUE(set.series[2].values.empty());
    EXPECT_TRUE(set.series[3].values.empty());
}

TEST(Exposition, OpenMetricsHasSecondsAndExemplars)
{
    const MetricSet set = set_of("# TYPE http counter\n# UNIT http seconds\nhttp_total{code=\"200\"} 17 1757000000.5 # {trace_id=\"KOO5S4vxi0o\"} 0.67\nhttp_created 1\n# EOF\n");
    ASSERT_EQ(set.series.size(), 2U);
    EXPECT_DOUBLE_EQ(set.series[0].times.at(0), 1757000000.5);
    EXPECT_TRUE(set.series[0].counter);
}

TEST(Exposition, MigInstancesAreSeriesOfTheirOwn)
{
    const MetricSet set = set_of("DCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\",UUID=\"U\"} 0.5\nDCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\",UUID=\"U\",GPU_I_ID=\"13\",GPU_I_PROFILE=\"1g.5gb\"} 0.8\nDCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\",UUID=\"U\"} 0.6\n");
    ASSERT_EQ(set.series.size(), 2U);
    EXPECT_EQ(set.series[0].values.size(), 1U); // the second sample of a series without a time is a duplicate
}

TEST(Sentinels, BlanksOfDcgmAreNoSamples)
{
    for (const double blank : {9223372036854775792.0, 9223372036854775795.0, 2147483632.0, 140737488355328.0, 140737488355331.0})
        EXPECT_TRUE(is_blank_sentinel("DCGM_FI_DEV_MEMORY_TEMP", blank));
    EXPECT_FALSE(is_blank_sentinel("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 9e18));
    EXPECT_FALSE(is_blank_sentinel("node_network_receive_bytes_total", 2147483632.0)); // any counter may pass there
}

TEST(Times, AreReadInEveryForm)
{
    // 1757000000 = 2025-09-04 15:33:20 UTC
    for (const char* text : {"1757000000", "1757000000000", "1757000000000000", "1757000000000000000", "2025-09-04T15:33:20Z", "2025-09-04 15:33:20", "2025/09/04 15:33:20.000", "2025-09-04T17:33:20+02:00", "2025-09-04T10:03:20.000-0530"})
        EXPECT_NEAR(unix_seconds(text).value_or(0), 1757000000.0, 1e-3) << text;
    for (const char* text : {"", "x", "2025-13-01", "2025-09-04 25:00", "12.5 us", "2025-09-04T15:33:20+"})
        EXPECT_FALSE(unix_seconds(text)) << text;
}

TEST(Prometheus, MatrixWithNanGapsAndWarnings)
{
    const Measured m = only(R"json({"status":"success","warnings":["PromQL warning"],"data":{"resultType":"matrix","result":[{"metric":{"__name__":"a","gpu":"0"},"values":[[1757000000,"0.5"],[1757000015.5,"NaN"],[1757000060,"+Inf"],[1757000075,"0.75"],[1757000075,"0.75"]]},{"metric":{},"values":[[1,"2"]]}]}})json");
    const auto& set = std::get<MetricSet>(m.content);
    ASSERT_EQ(set.series.size(), 2U);
    EXPECT_EQ(set.series[0].values, (std::vector<double>{0.5, 0.75}));
    EXPECT_EQ(m.facts["n_samples"], 6);
    EXPECT_EQ(m.facts["n_nan"], 2);
    EXPECT_NE(std::find(m.notes.begin(), m.notes.end(), "Prometheus: PromQL warning"), m.notes.end());
}

TEST(Prometheus, ScalarStringAndBrokenAnswers)
{
    const MetricSet set = set_of(R"({"status":"success","data":{"resultType":"scalar","result":[1757000000.1,"42"]}})");
    EXPECT_DOUBLE_EQ(set.series.at(0).values.at(0), 42);
    const Measured text = only(R"({"status":"success","data":{"resultType":"string","result":[1757000000.1,"hello"]}})");
    EXPECT_EQ(text.facts["n_nan"], 1);
    for (const char* broken : {R"({"status":"success","data":{"resultType":"matrix"}})", R"({"status":"success","data":{"resultType":"cube","result":[]}})", R"({"status":"success","data":7,"resultType":1})"})
        EXPECT_FALSE(read_measured_text(broken, "x")) << broken;
    // Cut in the middle: what is complete is kept and said.
    const Measured cut = only(R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"a"},"values":[[1757000000,"0.5"],[175700)");
    EXPECT_FALSE(cut.skipped.empty());
    EXPECT_EQ(std::get<MetricSet>(cut.content).series.at(0).values.size(), 1U);
}

TEST(Grafana, FormattedCellsUnitsAndExcel)
{
    const MetricSet set = set_of("\xEF\xBB\xBFsep=,\r\n\"Time\",\"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"\"0\"\"}\",\"Power\",\"NVLink\",\"Memory\"\r\n2025-09-04 15:33:20,28.1%,1.57 kW,4.99 GB/s,3 GiB\r\n2025-09-04 15:33:35,undefined,980 W,512 MiB/s,\r\n");
    ASSERT_EQ(set.series.size(), 4U);
    EXPECT_EQ(set.series[0].name, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
    EXPECT_EQ(set.series[0].labels.at("gpu"), "0");
    EXPECT_NEAR(set.series[0].values.at(0), 0.281, 1e-12);
    EXPECT_EQ(set.series[0].unit, "ratio");
    EXPECT_EQ(set.series[0].values.size(), 1U);
    EXPECT_DOUBLE_EQ(set.series[1].values.at(0), 1570);
    EXPECT_DOUBLE_EQ(set.series[1].values.at(1), 980);
    EXPECT_DOUBLE_EQ(set.series[2].values.at(0), 4.99e9);
    EXPECT_DOUBLE_EQ(set.series[2].values.at(1), 512 * 1048576.0);
    EXPECT_EQ(set.series[2].unit, "B/s");
    EXPECT_DOUBLE_EQ(set.series[3].values.at(0), 3 * 1073741824.0);
}

TEST(Grafana, SemicolonsAndDecimalCommasAndRowsOfSeries)
{
    const MetricSet a = set_of("Time;GPU 0;GPU 1\n1757000000000;0,279;1.234,5\n1757000015000;0,283;\n");
    EXPECT_DOUBLE_EQ(a.series.at(0).values.at(0), 0.279);
    EXPECT_DOUBLE_EQ(a.series.at(1).values.at(0), 1234.5);
    const MetricSet b = set_of("\"Series\";\"Time\";\"Value\"\n\"GPU 0\";\"2025-09-04T15:33:20.000Z\";0.5\n\"GPU 1\";\"2025-09-04T15:33:20.000Z\";0.6\n\"GPU 0\";\"2025-09-04T15:33:35.000Z\";null\n");
    ASSERT_EQ(b.series.size(), 2U);
    EXPECT_DOUBLE_EQ(b.series[1].values.at(0), 0.6);
    EXPECT_EQ(b.series[0].values.size(), 1U);
}

TEST(NvidiaSmi, QueryWithUnitsInCellsOrInTheHeader)
{
    for (const bool units : {true, false}) {
        const MetricSet set = set_of(std::string("timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks.current.sm [MHz]\n") + (units ? "2025/09/04 15:33:20.000, 0, NVIDIA H100, 45 %, 1024 MiB, [N/A], 1980 MHz\n" : "2025/09/04 15:33:20.000, 0, NVIDIA H100, 45, 1024, [N/A], 1980\n"));
        ASSERT_EQ(set.series.size(), 3U);
        EXPECT_EQ(set.series[0].name, "utilization.gpu");
        EXPECT_DOUBLE_EQ(set.series[0].values.at(0), 0.45);
        EXPECT_DOUBLE_EQ(set.series[1].values.at(0), 1024 * 1048576.0);
        EXPECT_DOUBLE_EQ(set.series[2].values.at(0), 1.98e9);
        EXPECT_EQ(set.series[2].labels.at("gpu"), "0");
    }
}

TEST(NvidiaSmi, Dmon)
{
    const MetricSet set = set_of("#Date       Time        gpu    pwr  gtemp     sm   mclk\n#YYYYMMDD   HH:MM:SS    Idx      W      C      %    MHz\n 20250904   15:33:20      0     67     34     50   2619\n 20250904   15:33:21      0     70      -     60   2619\n");
    ASSERT_EQ(set.series.size(), 4U);
    const auto sm = std::find_if(set.series.begin(), set.series.end(), [](const MetricSeries& s) { return s.name == "sm"; });
    ASSERT_NE(sm, set.series.end());
    EXPECT_EQ(sm->values, (std::vector<double>{0.5, 0.6}));
    EXPECT_DOUBLE_EQ(sm->times.at(0), 1757000000.0);
}

// ---- from metrics to meaning

const GpuPeaks h100{FlopPerSecond{989.4e12}, BytesPerSecond{3.35e12}, Hertz{1830e6}}; // dense BF16 and HBM3 of the SXM data sheet

TEST(RooflinePoints, TheSampleOfAnH100)
{
    // tensor 0.279 x 989.4 TFLOP/s = 276.04 TFLOP/s; dram 0.214 x 3.35 TB/s = 716.9 GB/s; intensity 385 FLOP/B
    const MetricSet set = set_of("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{gpu=\"0\",UUID=\"G\",modelName=\"H100\"} 0.279\nDCGM_FI_PROF_DRAM_ACTIVE{gpu=\"0\",UUID=\"G\"} 0.214\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"G\"} 572\nDCGM_FI_PROF_NVLINK_TX_BYTES{gpu=\"0\",UUID=\"G\"} 4.99e9\n");
    const auto points = roofline_points(set, h100);
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(in_teraflops_per_second(points[0].flops), 276.04, 0.01);
    EXPECT_NEAR(in_gigabytes_per_second(points[0].bytes), 716.9, 0.01);
    EXPECT_NEAR(points[0].intensity->value(), 385.05, 0.05);
    EXPECT_NEAR(in_teraflops_per_second(points[0].flops_without_bias), 276.04 / 1.25, 0.01);
    EXPECT_DOUBLE_EQ(points[0].power->value(), 572);
    EXPECT_DOUBLE_EQ(points[0].nvlink_sent->value(), 4.99e9);
    EXPECT_FALSE(points[0].clock);
    EXPECT_EQ(points[0].model, "H100");
}

MetricSeries series(const std::string& name, std::vector<double> values, std::map<std::string, std::string> labels = {{"UUID", "G"}}, double step = 15)
{
    MetricSeries s;
    s.name = name;
    s.labels = std::move(labels);
    s.values = std::move(values);
    for (std::size_t i = 0; i < s.values.size(); ++i)
        s.times.push_back(1757000000.0 + step * static_cast<double>(i));
    return s;
}

TEST(RooflinePoints, MedianClockPercentAndDuplicates)
{
    MetricSet set;
    set.series.push_back(series("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", {50, 40, 90})); // an exporter that writes percentages
    set.series.push_back(series("DCGM_FI_PROF_DRAM_ACTIVE", {0.2, 0.4, 0.3}));
    set.series.push_back(series("DCGM_FI_DEV_SM_CLOCK", {915, 1830, 1830}));
    MetricSeries twin = set.series[0]; // a second exporter
    twin.labels["instance"] = "other:9400";
    set.series.push_back(twin);
    set.series.push_back(series("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", {0.1}, {{"UUID", "H"}})); // no traffic: no point
    const auto points = roofline_points(set, h100);
    ASSERT_EQ(points.size(), 1U);
    ASSERT_EQ(points[0].samples.size(), 3U);
    // 0.5 at half the clock, 0.4, 0.9: the median is 0.4 of the peak
    EXPECT_NEAR(points[0].flops.value(), 0.4 * 989.4e12, 1e6);
    EXPECT_NEAR(points[0].samples[0].flops.value(), 0.25 * 989.4e12, 1e6);
    EXPECT_NEAR(points[0].bytes.value(), 0.3 * 3.35e12, 1e4);
    EXPECT_DOUBLE_EQ(points[0].clock->value(), 1830e6);
}

TEST(NodeTraffic, SumsDevicesAndCountsAResetFromZero)
{
    const auto efa = [](const char* name, const char* device, std::vector<double> values) { return series(name, std::move(values), {{"instance", "n1"}, {"device", device}, {"port", "1"}}, 10); };
    MetricSet set;
    set.series.push_back(efa("node_amazonefa_tx_bytes", "a", {1e9, 2e9, 5e8})); // 1e8 /s, then a reset: 5e7 /s
    set.series.push_back(efa("node_amazonefa_tx_bytes", "b", {0, 2e9, 3e9})); // 2e8 /s, 1e8 /s
    set.series.push_back(efa("node_amazonefa_rdma_read_resp_bytes", "a", {0, 1e9, 2e9})); // in tx already
    set.series.push_back(efa("node_amazonefa_rx_bytes", "a", {0, 1e9, 2e9}));
    const auto nodes = node_traffic(set);
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_EQ(nodes[0].node, "n1");
    EXPECT_EQ(nodes[0].devices, 2);
    ASSERT_EQ(nodes[0].samples.size(), 2U);
    EXPECT_DOUBLE_EQ(nodes[0].samples[0].sent.value(), 3e8);
    EXPECT_DOUBLE_EQ(nodes[0].samples[1].sent.value(), 1.5e8);
    EXPECT_DOUBLE_EQ(nodes[0].samples[0].received.value(), 1e8);
    EXPECT_DOUBLE_EQ(nodes[0].sent.value(), 2.25e8);
    // InfiniBand's raw counters are of 4-byte words.
    MetricSet ib;
    ib.series.push_back(series("port_xmit_data", {0, 250}, {{"node", "n2"}, {"device", "mlx5_0"}}, 10));
    EXPECT_DOUBLE_EQ(node_traffic(ib).at(0).sent.value(), 100);
    // One sample has no rate.
    MetricSet one;
    one.series.push_back(efa("node_amazonefa_tx_bytes", "a", {1e9}));
    EXPECT_TRUE(node_traffic(one).empty());
}

TEST(Rates, GaugesOfBytesThatOnlyRiseAreCounters)
{
    const MetricSeries rising = series("DCGM_FI_PROF_NVLINK_TX_BYTES", {0, 150, 300, 450, 600, 750});
    EXPECT_EQ(rate_of(rising).values, std::vector<double>(5, 10.0));
    const MetricSeries gauge = series("DCGM_FI_PROF_NVLINK_TX_BYTES", {10, 11, 10, 12, 9, 10});
    EXPECT_EQ(rate_of(gauge).values, gauge.values);
}

TEST(Utilisations, OverTheGpusOfATime)
{
    MetricSet set;
    set.series.push_back(series("DCGM_FI_PROF_SM_ACTIVE", {0.2, 0.4}, {{"UUID", "A"}}));
    set.series.push_back(series("DCGM_FI_PROF_SM_ACTIVE", {0.6}, {{"UUID", "B"}}));
    const auto u = utilisation_over_time(set, "DCGM_FI_PROF_SM_ACTIVE");
    ASSERT_EQ(u.size(), 2U);
    EXPECT_EQ(u[0].series, 2);
    EXPECT_DOUBLE_EQ(u[0].least, 0.2);
    EXPECT_DOUBLE_EQ(u[0].mean, 0.4);
    EXPECT_DOUBLE_EQ(u[0].most, 0.6);
    EXPECT_EQ(u[1].series, 1);
}

} // namespace
} // namespace ridgepoint
