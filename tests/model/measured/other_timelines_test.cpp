// Timelines of JAX, ROCm, Nsight's tables and NCCL's plug-in, made here, whole and broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/measured/measured.h"
#include "tests/support/mutations.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;
using Found = Expected<std::vector<Measured>>;

Found read(std::string_view text) { return read_measured_text(text, "test"); }
const Timeline& timeline(const Found& m) { return std::get<Timeline>(m->front().content); }
std::int64_t skipped(const Found& m)
{
    std::int64_t n = 0;
    for (const auto& s : m->front().skipped)
        n += s.count;
    return n;
}

std::string varint(std::uint64_t v)
{
    std::string out;
    for (; v >= 0x80; v >>= 7)
        out += static_cast<char>((v & 0x7f) | 0x80);
    return out + static_cast<char>(v);
}
std::string number(std::uint32_t field, std::uint64_t v) { return varint(field << 3) + varint(v); }
std::string bytes(std::uint32_t field, const std::string& v) { return varint((field << 3) | 2) + varint(v.size()) + v; }
std::string name_entry(std::uint32_t field, std::uint64_t id, const std::string& name) { return bytes(field, number(1, id) + bytes(2, number(1, id) + bytes(2, name))); }
std::string event(std::uint64_t id, std::uint64_t offset_ps, std::uint64_t duration_ps, const std::string& stats = "") { return bytes(4, number(1, id) + number(2, offset_ps) + number(3, duration_ps) + stats); }

std::string xspace()
{
    const std::string correlation = bytes(4, number(1, 5) + number(4, 77));
    const std::string stream = number(1, 16) + bytes(2, "Stream #16(Compute,Memcpy)") + number(3, 1000) + event(1, 0, 5'000'400) + event(2, 4'000'000, 2'000'000, correlation) + event(3, 9'000'000, 0);
    const std::string ops = number(1, 17) + bytes(2, "XLA Ops") + number(3, 1000) + event(1, 0, 5'000'000);
    const std::string steps = number(1, 18) + bytes(2, "Steps") + number(3, 1000) + event(4, 0, 10'000'000);
    const std::string gpu = number(1, 2) + bytes(2, "/device:GPU:0") + bytes(3, stream) + bytes(3, ops) + bytes(3, steps) + name_entry(4, 1, "gemm_fusion_dot_1") + name_entry(4, 2, "MemcpyD2D")
        + name_entry(4, 3, "loop_add_fusion") + name_entry(4, 4, "3") + name_entry(5, 5, "correlation_id");
    const std::string host = bytes(2, "/host:CPU") + bytes(3, bytes(2, "python") + number(3, 900) + event(1, 50'000, 10, bytes(4, number(1, 9) + number(4, 77)))) + name_entry(5, 9, "correlation_id");
    return bytes(1, gpu) + bytes(1, bytes(2, "/device:GPU:1")) + bytes(1, host) + bytes(4, "node-1");
}

TEST(Xplane, OnlyStreamLinesAreTimeOfTheGpu)
{
    const Found m = read(xspace());
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 3U);
    EXPECT_EQ(t.duration_ns, (std::vector<std::int64_t>{5000, 2000, 0}));
    EXPECT_EQ(t.kernel_class[0], KernelClass::gemm);
    EXPECT_EQ(t.kernel_class[1], KernelClass::memcpy);
    EXPECT_EQ(t.stream[0], 16);
    EXPECT_EQ(t.launch_ns[1], 950 - 1000);
    EXPECT_EQ(t.devices_listed, 2);
    ASSERT_EQ(t.gpu_steps.size(), 1U);
    const nlohmann::json f = facts_of(m->front());
    EXPECT_EQ(f["planes"], 3);
    ASSERT_EQ(f["gpus"].size(), 1U); // the other had nothing to do
    EXPECT_EQ(f["gpus"]["/device:GPU:0"]["n_events"], 3);
    EXPECT_DOUBLE_EQ(f["gpus"]["/device:GPU:0"]["sum_us"].get<double>(), 7.0);
    EXPECT_DOUBLE_EQ(f["gpus"]["/device:GPU:0"]["busy_union_us"].get<double>(), 6.0);
    EXPECT_DOUBLE_EQ(f["gpus"]["/device:GPU:0"]["span_us"].get<double>(), 9.0);
    EXPECT_EQ(f["gpus"]["/device:GPU:0"]["lines"], nlohmann::json::array({"Stream #16(Compute,Memcpy)"}));
}

TEST(Xplane, CutAnywhere)
{
    const std::string whole = xspace();
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const Found m = read(std::string_view(whole).substr(0, n));
        if (!m) {
            EXPECT_FALSE(m.error().message.empty());
        }
    }
    const Found m = read(whole.substr(0, whole.size() - 3));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 3U);
    EXPECT_TRUE(timeline(m).truncated);
}

const std::string xla_head = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)";

TEST(XlaJson, GpusByTheirProcessName)
{
    // Names behind the events, thread ids as text, an exponent, a zero duration written as a picosecond.
    const Found m = read(xla_head + R"({"ph":"X","pid":2,"tid":7,"ts":10.000001,"dur":2.500000,"name":"gemm_fusion"},{"ph":"X","pid":2,"tid":8,"ts":10.0,"dur":2.5,"name":"fusion op"},
        {"ph":"X","pid":2,"tid":7,"ts":13,"dur":0.000001,"name":"loop_fusion"},{"ph":"X","pid":9,"tid":1,"ts":0,"dur":99,"name":"host"},{"ph":"X","pid":2,"tid":7,"dur":1,"name":"no start"},
        {"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:3 NVIDIA"}},{"ph":"M","pid":2,"tid":7,"name":"thread_name","args":{"name":"Stream #20"}},
        {"ph":"M","pid":2,"tid":8,"name":"thread_name","args":{"name":"XLA Ops"}},{"ph":"M","pid":9,"name":"process_name","args":{"name":"/host:CPU"}},{}]})");
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 2U);
    EXPECT_EQ(t.duration_ns, (std::vector<std::int64_t>{2500, 0}));
    EXPECT_EQ(t.start_ns[1], 3000);
    EXPECT_EQ(t.device[0], 3);
    EXPECT_EQ(t.stream[0], 20);
    EXPECT_EQ(facts_of(m->front())["X_events"], 5);
    EXPECT_EQ(skipped(m), 1);
}

TEST(XlaJson, ACutFileKeepsWhatStoodBefore)
{
    const Found m = read(xla_head + R"({"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"M","pid":2,"tid":7,"name":"thread_name","args":{"name":"Stream #20"}},
        {"ph":"X","pid":2,"tid":7,"ts":10,"dur":2,"name":"a"},{"ph":"X","pid":2,"tid":7,"ts":1)");
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(timeline(m).size(), 1U);
    EXPECT_TRUE(timeline(m).truncated);
    EXPECT_EQ(skipped(m), 1);
    ASSERT_FALSE(read(xla_head));
}

TEST(Rocprof, JsonRecordsWithNamesByNumber)
{
    const Found m = read(R"({"rocprofiler-sdk-tool": [{"metadata": {"pid": 1}, "agents": [{"id": {"handle": 5}, "type": 1}, {"id": {"handle": 18446744073709551615}, "type": 2, "product_name": "AMD Instinct MI300X"}],
        "kernel_symbols": [{"kernel_id": 8, "formatted_kernel_name": "Cijk_Ailk_Bljk_BBS", "kernel_name": "x.kd"}],
        "strings": {"buffer_records": [{"kind": "MEMORY_COPY", "operations": ["NONE", "MEMORY_COPY_HOST_TO_DEVICE"]}]},
        "buffer_records": {"kernel_dispatch": [
          {"correlation_id": {"internal": 3}, "start_timestamp": 1000, "end_timestamp": 3500, "dispatch_info": {"agent_id": {"handle": 18446744073709551615}, "queue_id": {"handle": 140341013919680}, "kernel_id": 8}},
          {"correlation_id": {"internal": 4}, "start_timestamp": 9000, "end_timestamp": 8000, "dispatch_info": {"agent_id": {"handle": 18446744073709551615}, "kernel_id": 99}}, {"start_timestamp": "x"}],
         "memory_copy": [{"operation": 1, "start_timestamp": 4000, "end_timestamp": 4100, "dst_agent_id": {"handle": 18446744073709551615}}],
         "hip_api": [{"correlation_id": {"internal": 3}, "start_timestamp": 800, "end_timestamp": 900}], "rccl_api": []}}]})");
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 2U);
    EXPECT_EQ(t.names[t.name[0]], "Cijk_Ailk_Bljk_BBS");
    EXPECT_EQ(t.kernel_class[0], KernelClass::gemm);
    EXPECT_EQ(t.duration_ns[0], 2500);
    EXPECT_EQ(t.launch_ns[0], -200);
    EXPECT_EQ(t.kernel_class[1], KernelClass::memcpy);
    EXPECT_EQ(t.names[t.name[1]], "MEMORY_COPY_HOST_TO_DEVICE");
    EXPECT_EQ(t.device[0], 0);
    EXPECT_EQ(t.device_name, "AMD Instinct MI300X");
    const nlohmann::json f = facts_of(m->front());
    EXPECT_EQ(f["n_kernel_dispatch"], 3);
    EXPECT_EQ(f["buffer_counts"]["hip_api"], 1);
    EXPECT_EQ(f["buffer_counts"]["rccl_api"], 0);
    EXPECT_EQ(skipped(m), 2);
    EXPECT_FALSE(read(R"({"rocprofiler-sdk-tool": []})"));
    EXPECT_FALSE(read(R"({"rocprofiler-sdk-tool": )"));
}

TEST(Rocprof, CsvOfItsVersions)
{
    const std::string row = "\"KERNEL_DISPATCH\",\"Agent 2\",1,0,70,1,33,\"void gemm<a, b>(float*)\",5,1000,1500\n";
    const Found v3 = read("\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n" + row + row + "broken,row\n\"KERNEL_DISPATCH\",\"Agent 2\",1,0,70,1,33,\"x\",5,,9\n");
    ASSERT_TRUE(v3) << v3.error().text();
    EXPECT_EQ(timeline(v3).size(), 2U);
    EXPECT_EQ(timeline(v3).device[0], 2);
    EXPECT_EQ(timeline(v3).names[0], "void gemm<a, b>(float*)");
    EXPECT_EQ(facts_of(v3->front())["sum_ns"], 1000);
    EXPECT_EQ(skipped(v3), 1);
    const Found v1 = read("\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"BeginNs\",\"EndNs\",\"DurationNs\"\n0,\"k.kd\",1,0,100,250,150\n");
    ASSERT_TRUE(v1) << v1.error().text();
    EXPECT_EQ(timeline(v1).duration_ns[0], 150);
}

TEST(NsysCsv, UnitsPreambleAndTwoReports)
{
    const Found m = read("Generating SQLite file r.sqlite from r.nsys-rep\nProcessing [r.sqlite] with [gputrace.py]...\nStart (us),Duration (us),CorrId,Strm,Name,Device\n"
                         "1.5,2,7,13,\"void gemm<1, 2>()\",H100 (3)\n4,0.25,8,13,[CUDA memcpy HtoD],H100 (3)\n5,1,9,13,[CUDA memset],H100 (3)\nx,1,9,13,bad,H100 (3)\n");
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 3U);
    EXPECT_EQ(t.duration_ns, (std::vector<std::int64_t>{2000, 250, 1000}));
    EXPECT_EQ(t.kernel_class[1], KernelClass::memcpy);
    EXPECT_EQ(t.kernel_class[2], KernelClass::memset);
    EXPECT_EQ(t.device[0], 3);
    EXPECT_EQ(t.device_name, "H100");
    EXPECT_EQ(skipped(m), 1);
}

TEST(NsysStatistics, OldNamesAndUnits)
{
    // 2021: no blank in "Time(%)", no median; milliseconds by --timeunit.
    const Found m = read("Time(%),Total Time (ms),Instances,Average,Minimum,Maximum,Name\n60.0,3,2,1.5,1,2,sm80_xmma_gemm\n40.0,2,4,0.5,0.5,0.5,\"layer_norm, v2\"\nbad,x,y,0,0,0,z\n");
    ASSERT_TRUE(m) << m.error().text();
    const auto& totals = std::get<KernelTotals>(m->front().content);
    ASSERT_EQ(totals.reports.size(), 1U);
    EXPECT_EQ(totals.reports[0].count(), 6);
    EXPECT_DOUBLE_EQ(totals.reports[0].total().value(), 5e-3);
    const auto classes = class_totals(totals);
    ASSERT_EQ(classes.size(), 2U);
    EXPECT_EQ(classes[0].kernel_class, KernelClass::gemm);
    EXPECT_EQ(classes[1].kernel_class, KernelClass::norm);
    EXPECT_EQ(m->front().skipped.size(), 1U);
    const Found rocprof = read("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n\"Cijk_a\",24,10650240,443760.0,88.70\n");
    ASSERT_TRUE(rocprof) << rocprof.error().text();
    EXPECT_EQ(rocprof->front().format, "rocprof statistics");
    EXPECT_EQ(facts_of(rocprof->front())["sum_ns"], 10650240);
}

TEST(NcclPlugin, LinesThatAreNoJson)
{
    const Found m = read("[\n{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"b\", \"id\": 1, \"pid\": 9, \"tid\": 1, \"ts\": 10.5, \"args\": {\"SeqNum\": 0, \"CommHash\": 12715772615376301750, \"Rank\": 3, \"Count\": 1024, \"Datatype\": \"ncclBfloat16\", \"Stream\": 0x262ca50}},\n"
                         "{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"b\", \"id\": 2, \"pid\": 9, \"ts\": 11, \"args\": {\"Datatype\": ncclFloat32}},\n"
                         "{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"e\", \"id\": 1, \"pid\": 9, \"tid\": 1, \"ts\": 30.75},\n{\"name\": \"AllReduce\", \"cat\": \"COLL\", \"ph\": \"e\", \"id\": 8, \"pid\": 9, \"ts\": 31},\n{\"name\": \"x\", \"ca");
    ASSERT_TRUE(m) << m.error().text();
    const Timeline& t = timeline(m);
    ASSERT_EQ(t.size(), 1U);
    EXPECT_EQ(t.duration_ns[0], 20250);
    EXPECT_EQ(t.rank, 3);
    EXPECT_EQ(t.collectives[0].type, CollectiveType::all_reduce);
    EXPECT_DOUBLE_EQ(t.collectives[0].size.value(), 2048);
    EXPECT_EQ(skipped(m), 3); // never ended, never begun, cut
}

// Reading ends with something that holds together, or with a message.
void expect_ending(const std::string& text)
{
    const Found m = read(text);
    if (!m) {
        EXPECT_FALSE(m.error().message.empty());
        return;
    }
    for (const Measured& one : *m)
        if (const auto* t = std::get_if<Timeline>(&one.content)) {
            const TimelineSummary s = summarize(*t);
            EXPECT_LE(s.busy, s.span);
            EXPECT_EQ(s.gpu_events, static_cast<std::int64_t>(t->size()));
        }
}

TEST(BrokenTimelines, Mutations)
{
    const std::string xla = xla_head + R"({"ph":"M","pid":2,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"M","pid":2,"tid":7,"name":"thread_name","args":{"name":"Stream #20"}},
        {"ph":"X","pid":2,"tid":7,"ts":10.5,"dur":2e1,"name":"a"},{}]})";
    const std::string rocprof = R"({"rocprofiler-sdk-tool": [{"agents": [{"id": {"handle": 7}, "type": 2}], "kernel_symbols": [{"kernel_id": 8, "kernel_name": "x"}],
        "buffer_records": {"kernel_dispatch": [{"correlation_id": {"internal": 3}, "start_timestamp": 1000, "end_timestamp": 3500, "dispatch_info": {"agent_id": {"handle": 7}, "kernel_id": 8}}]}}]})";
    const std::string gpu_trace = "Start (ns),Duration (ns),CorrId,Strm,Name,Device\n1500,2,7,13,\"void gemm<1, 2>()\",H100 (3)\n4000,25,8,13,[CUDA memcpy HtoD],H100 (3)\n";
    const std::string totals = "Time (%),Total Time (ns),Instances,Avg (ns),Name\n60.0,300,2,150,gemm\n\n Time (%)  Total Time (ns)  Num Calls  Name\n --------  ---------------  ---------  ----\n     90.9        1,139,457          7  poll\n";
    const std::string ranges = "Start (ns),End (ns),Duration (ns),Name,PID,Lvl\n1,5,4,\"a,b\",1,0\n";
    const std::string plugin = "[\n{\"name\": \"Send\", \"cat\": \"P2P\", \"ph\": \"b\", \"id\": 1, \"ts\": 10.5, \"args\": {\"Rank\": 3, \"Count\": 1024}},\n{\"name\": \"Send\", \"cat\": \"P2P\", \"ph\": \"e\", \"id\": 1, \"ts\": 30.75},\n";
    std::uint32_t seed = 1;
    for (const std::string& sound : {xspace(), xla, rocprof, gpu_trace, totals, ranges, plugin})
        test::with_mutations(sound, 1000, seed++, expect_ending);
}

} // namespace
} // namespace ridgepoint
