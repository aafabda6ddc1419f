// Execution traces, protocol buffers and archives, made here byte by byte, whole and broken.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

#include "model/measured/archive.h"
#include "model/measured/measured.h"
#include "model/trace/protobuf_wire.h"
#include "tests/support/mutations.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;
using Found = Expected<std::vector<Measured>>;

Found read(std::string_view text) { return read_measured_text(text, "test"); }

// Protocol buffers, written.
std::string varint(std::uint64_t v)
{
    std::string out;
    for (; v >= 0x80; v >>= 7)
        out += static_cast<char>((v & 0x7f) | 0x80);
    return out + static_cast<char>(v);
}
std::string number(std::uint32_t field, std::uint64_t v) { return varint(field << 3) + varint(v); }
std::string bytes(std::uint32_t field, const std::string& v) { return varint((field << 3) | 2) + varint(v.size()) + v; }
std::string delimited(const std::string& message) { return varint(message.size()) + message; }

TEST(ProtobufWire, FieldsAndTheirEnds)
{
    const std::string message = number(1, 300) + bytes(2, "abc") + varint((3 << 3) | 1) + std::string("\0\0\0\0\0\0\xf0\x3f", 8) + varint((4 << 3) | 5) + std::string("\0\0\x80\x3f", 4) + number(17, 3);
    WireReader r(message);
    auto f = r.next();
    EXPECT_EQ(f->value, 300U);
    EXPECT_EQ(r.next()->bytes, "abc");
    EXPECT_EQ(r.next()->as_double(), 1.0);
    EXPECT_EQ(r.next()->as_double(), 1.0);
    EXPECT_EQ(r.next()->as_zigzag(), -2); // 3 is -2 in zigzag
    EXPECT_FALSE(r.next());
    EXPECT_FALSE(r.failed());
}

TEST(ProtobufWire, BrokenBytesEndTheReading)
{
    for (const std::string& broken : {std::string("\x0a\x05zz", 4), std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11), std::string(11, '\xff'), std::string("\x0b", 1), std::string("\x09\x01", 2),
             std::string("\0", 1), std::string("\x0d\x01", 2)}) {
        WireReader r(broken);
        while (r.next()) { }
        EXPECT_TRUE(r.failed());
        EXPECT_FALSE(is_message(broken, 100));
    }
}

std::string attribute(const std::string& name, std::uint32_t field, std::uint64_t v) { return bytes(10, bytes(1, name) + number(field, v)); }
std::string chakra_trace()
{
    const std::string metadata = bytes(1, "0.0.4") + bytes(2, bytes(1, "schema") + bytes(29, "1.1.0-chakra.0.0.4"));
    const std::string compute = number(1, 7) + bytes(2, "matmul") + number(3, 4) + number(7, 250) + attribute("num_ops", 9, 1'000'000);
    const std::string collective = number(1, 8) + bytes(2, "grads") + number(3, 7) + bytes(5, varint(7) + varint(300)) + number(7, 50) + attribute("comm_type", 9, 0) + attribute("comm_size", 13, 4096);
    const std::string message = number(1, 9) + bytes(2, "send it") + number(3, 5) + attribute("comm_size", 9, 100);
    return delimited(metadata) + delimited(compute) + delimited(collective) + delimited(message);
}

TEST(ChakraProtobuf, NodesByKindAndSize)
{
    const Found m = read(chakra_trace());
    ASSERT_TRUE(m) << m.error().text();
    const auto& g = std::get<ExecutionGraph>(m->front().content);
    EXPECT_EQ(g.schema, "1.1.0-chakra.0.0.4");
    EXPECT_EQ(g.nodes, 3);
    EXPECT_EQ(g.types.at("COMM_COLL_NODE"), 1);
    EXPECT_EQ(g.dependencies, 2);
    EXPECT_DOUBLE_EQ(g.communicated.value(), 4196);
    EXPECT_DOUBLE_EQ(g.compute.value(), 1e6);
    EXPECT_DOUBLE_EQ(in_microseconds(g.duration), 300);
    ASSERT_EQ(g.communications.size(), 2U);
    EXPECT_EQ(g.communications[0].type, CollectiveType::all_reduce);
    EXPECT_EQ(facts_of(m->front())["length_delimited_messages"], 4);
    EXPECT_EQ(facts_of(m->front())["first_is_GlobalMetadata"], true);
}

TEST(ChakraProtobuf, ACutFileKeepsItsWholeMessages)
{
    const std::string whole = chakra_trace();
    const Found m = read(whole.substr(0, whole.size() - 3));
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(std::get<ExecutionGraph>(m->front().content).nodes, 2);
    ASSERT_EQ(m->front().skipped.size(), 1U);
    EXPECT_THAT(m->front().skipped[0].reason, HasSubstr("ends inside a message"));
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const Found part = read(whole.substr(0, n));
        if (!part) {
            EXPECT_FALSE(part.error().message.empty());
        }
    }
}

TEST(ChakraJson, BothForms)
{
    const Found old = read(R"json({"workload_graph": [{"Id": 1, "Name": "aten::mm", "NodeType": 4, "runtime": 10, "data_deps": [2]},
        {"Id": 2, "Name": "ncclKernel_AllReduce_RING", "NodeType": 7, "runtime": 30, "comm_size": 64}, 5], "workload_name": "x"})json");
    ASSERT_TRUE(old) << old.error().text();
    const auto& g = std::get<ExecutionGraph>(old->front().content);
    EXPECT_EQ(g.nodes, 2);
    EXPECT_EQ(g.types.at("COMP_NODE"), 1);
    EXPECT_DOUBLE_EQ(in_microseconds(g.duration), 40);
    ASSERT_EQ(g.communications.size(), 1U);
    EXPECT_EQ(g.communications[0].type, CollectiveType::all_reduce);
    EXPECT_DOUBLE_EQ(g.communicated.value(), 64);
    EXPECT_EQ(old->front().skipped.size(), 1U);

    const Found printed = read("{\"version\": \"0.0.4\"}\n{\"id\": \"1\", \"name\": \"a}{\", \"type\": \"COMP_NODE\", \"durationMicros\": \"5\"}\n"
                               "{\"id\": \"2\", \"name\": \"b\", \"type\": \"COMM_COLL_NODE\", \"dataDeps\": [\"1\"], \"attr\": [{\"name\": \"comm_type\", \"int64Val\": \"7\"}, {\"name\": \"comm_size\", \"int64Val\": \"128\"}]}\n");
    ASSERT_TRUE(printed) << printed.error().text();
    const auto& p = std::get<ExecutionGraph>(printed->front().content);
    EXPECT_EQ(p.schema, "0.0.4");
    EXPECT_EQ(p.nodes, 2);
    EXPECT_EQ(p.communications[0].type, CollectiveType::reduce_scatter);
    EXPECT_DOUBLE_EQ(p.communicated.value(), 128);
}

TEST(PytorchGraph, BothSchemas)
{
    // 2 x 512 x 1024 x 1024 FLOPs; the outer operator has the same shapes and must not count again.
    const Found old = read(R"json({"schema": "1.0.1", "pid": 5, "start_ts": 1, "nodes": [
        {"name": "aten::linear", "id": 10, "rf_id": 1, "parent": 1, "op_schema": "", "inputs": [[1,2,0,524288,4,"cuda:0"],[3,4,0,1048576,4,"cuda:0"]], "input_shapes": [[512,1024],[1024,1024]], "input_types": ["Tensor(float)","Tensor(float)"]},
        {"name": "aten::mm", "id": 11, "rf_id": 2, "parent": 10, "op_schema": "", "inputs": [[1,2,0,524288,4,"cuda:0"],[3,4,0,1048576,4,"cuda:0"]], "input_shapes": [[512,1024],[1024,1024]], "input_types": ["Tensor(float)","Tensor(float)"]},
        {"name": "nccl:all_reduce", "id": 12, "rf_id": 3, "parent": 1, "inputs": [[1,2,0,1000,4,"cuda:0"]], "input_shapes": [[1000]], "input_types": ["Tensor(float)"]}]})json");
    ASSERT_TRUE(old) << old.error().text();
    const auto& g = std::get<ExecutionGraph>(old->front().content);
    EXPECT_EQ(g.schema, "1.0.1");
    EXPECT_EQ(g.nodes, 3);
    EXPECT_DOUBLE_EQ(g.compute.value(), 2.0 * 512 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(g.communicated.value(), 4000);

    const Found fresh = read(R"json({"schema": "1.1.1-chakra.0.0.4", "pid": 5, "start_ts": 1, "nodes": [
        {"id": 20, "name": "record_param_comms", "ctrl_deps": 1, "inputs": {"values": [], "shapes": [], "types": []}, "attrs": [{"name": "rf_id", "type": "uint64", "value": 4},
         {"name": "collective_name", "type": "string", "value": "_allgather_base"}, {"name": "dtype", "type": "string", "value": "BFloat16"}, {"name": "in_msg_nelems", "type": "uint64", "value": 100},
         {"name": "out_msg_nelems", "type": "uint64", "value": 800}, {"name": "pg_size", "type": "uint64", "value": 8}]},
        {"id": 21, "name": "nccl:_all_gather_base", "ctrl_deps": 20, "inputs": {"values": [[1,2,0,100,2,"cuda:0"]], "shapes": [[100]], "types": ["Tensor(c10::BFloat16)"]}, "attrs": []}]})json");
    ASSERT_TRUE(fresh) << fresh.error().text();
    const auto& f = std::get<ExecutionGraph>(fresh->front().content);
    ASSERT_EQ(f.communications.size(), 1U);
    EXPECT_EQ(f.communications[0].type, CollectiveType::all_gather);
    EXPECT_EQ(f.communications[0].group_size, 8);
    EXPECT_DOUBLE_EQ(f.communications[0].size.value(), 1600); // the larger buffer, two bytes an element
}

TEST(FlightRecorder, CollectivesWithTimes)
{
    const Found m = read(R"json({"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}}, "entries": [
        {"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 1, "profiling_name": "nccl:all_reduce", "time_created_ns": 1700000000000000000, "time_discovered_started_ns": 1700000000000100000,
         "duration_ms": 0.25, "input_sizes": [[1024, 2]], "input_dtypes": ["BFloat16"], "output_sizes": [[1024, 2]], "state": "completed"},
        {"pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 2, "profiling_name": "nccl:reduce_scatter", "time_created_ns": 1700000000001000000, "time_discovered_started_ns": 1700000000001100000,
         "time_discovered_completed_ns": 1700000000003100000, "input_sizes": [[4096]], "input_dtypes": ["Float"], "output_sizes": [[1024]], "state": "completed"},
        {"pg_id": 0, "profiling_name": "nccl:all_reduce", "time_created_ns": 1700000000002000000, "state": "scheduled"}, 7]})json");
    ASSERT_TRUE(m) << m.error().text();
    const auto& t = std::get<Timeline>(m->front().content);
    ASSERT_EQ(t.size(), 2U);
    EXPECT_EQ(t.duration_ns[0], 250'000);
    EXPECT_EQ(t.duration_ns[1], 2'000'000);
    EXPECT_EQ(t.start_ns[1], 1'000'000);
    ASSERT_EQ(t.collectives.size(), 2U);
    EXPECT_EQ(t.collectives[0].type, CollectiveType::all_reduce);
    EXPECT_EQ(t.collectives[0].group_size, 4);
    EXPECT_DOUBLE_EQ(t.collectives[0].size.value(), 4096);
    EXPECT_DOUBLE_EQ(t.collectives[1].size.value(), 16384);
    EXPECT_EQ(facts_of(m->front())["n_entries"], 3);
    EXPECT_EQ(m->front().skipped.size(), 2U);
}

TEST(FlightRecorder, APickleIsRefusedWithAWayOut)
{
    const Found m = read(std::string("\x80\x04\x95", 3) + std::string(60, 'x'));
    ASSERT_FALSE(m);
    EXPECT_THAT(m.error().text(), HasSubstr("_dump_nccl_trace_json"));
}

std::string tar_member(const std::string& name, const std::string& text, char type = '0', std::uint64_t size = ~std::uint64_t{0})
{
    std::string h(512, '\0');
    std::memcpy(h.data(), name.data(), std::min<std::size_t>(name.size(), 100));
    std::snprintf(h.data() + 124, 12, "%011llo", static_cast<unsigned long long>(size == ~std::uint64_t{0} ? text.size() : size));
    h[156] = type;
    std::memcpy(h.data() + 257, "ustar\0" "00", 8);
    std::memset(h.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (const char c : h)
        sum += static_cast<unsigned char>(c);
    std::snprintf(h.data() + 148, 8, "%06o", sum);
    return h + text + std::string((512 - text.size() % 512) % 512, '\0');
}

TEST(Archive, FilesOneByOne)
{
    const std::string graph = R"json({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 10}]})json";
    const Found m = read(tar_member("d/", "", '5') + tar_member("d/a.json", graph) + tar_member("d/readme.md", "words") + tar_member("d/b.et", chakra_trace()) + std::string(1024, '\0'));
    ASSERT_TRUE(m) << m.error().text();
    ASSERT_EQ(m->size(), 2U);
    EXPECT_EQ((*m)[0].file, "test:d/a.json");
    EXPECT_EQ(facts_of((*m)[1])["archive_members"].size(), 3U);
    ASSERT_EQ((*m)[0].skipped.size(), 1U); // the readme
    EXPECT_EQ((*m)[0].skipped[0].first_place, "d/readme.md");
}

TEST(Archive, BrokenOnes)
{
    const std::string graph = R"json({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4}]})json";
    const std::string whole = tar_member("a.json", graph);
    const Found cut = read(whole + tar_member("b.json", graph).substr(0, 530));
    ASSERT_TRUE(cut) << cut.error().text();
    EXPECT_EQ(cut->size(), 1U);
    EXPECT_THAT(cut->front().skipped[0].reason, HasSubstr("ends inside b.json"));
    const Found promised = read(tar_member("a.json", graph, '0', 07777777777));
    ASSERT_FALSE(promised);
    const Found none = read(tar_member("d/", "", '5') + std::string(1024, '\0'));
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().text(), HasSubstr("no files"));
}

TEST(Containers, XzAndZstdAreLookedThrough)
{
    const std::string text = chakra_trace();
    std::string xz(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t used = 0;
    ASSERT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), reinterpret_cast<std::uint8_t*>(xz.data()), &used, xz.size()), LZMA_OK);
    xz.resize(used);
    std::string zst(ZSTD_compressBound(text.size()), '\0');
    zst.resize(ZSTD_compress(zst.data(), zst.size(), text.data(), text.size(), 3));
    for (const std::string& packed : {xz, zst}) {
        const Found m = read(packed);
        ASSERT_TRUE(m) << m.error().text();
        EXPECT_EQ(std::get<ExecutionGraph>(m->front().content).nodes, 3);
        EXPECT_TRUE(m->front().skipped.empty());
        for (std::size_t n = 6; n < packed.size(); ++n) {
            const Found part = read(packed.substr(0, n));
            if (!part)
                EXPECT_FALSE(part.error().message.empty()) << n;
            else
                EXPECT_FALSE(part->front().skipped.empty()) << n;
        }
    }
}

TEST(BrokenGraphs, Mutations)
{
    const std::string recorder = R"json({"version": "2.4", "pg_config": {"0": {"ranks": "[0, 1]"}}, "entries": [{"profiling_name": "nccl:all_reduce", "time_created_ns": 1700000000000000000, "duration_ms": 0.25,
        "input_sizes": [[1024, 2]], "input_dtypes": ["BFloat16"], "process_group": ["0", "d"], "state": "completed"}]})json";
    const std::string pytorch = R"json({"schema": "1.1.1-chakra.0.0.4", "start_ts": 1, "nodes": [{"id": 20, "name": "aten::mm", "ctrl_deps": 20, "inputs": {"values": [[1,2,0,8,4,"c"],[3,4,0,8,4,"c"]], "shapes": [[2,4],[4,2]],
        "types": ["Tensor(float)","Tensor(float)"]}, "attrs": [{"name": "rf_id", "value": 4}]}]})json";
    const std::string json = R"json({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 7, "runtime": 10, "comm_size": 5, "data_deps": [2], "attr": [{"name": "comm_type", "int64Val": "7"}]}]})json";
    std::uint32_t seed = 1;
    for (const std::string& sound : {chakra_trace(), recorder, pytorch, json, tar_member("a.json", json) + tar_member("b.et", chakra_trace())})
        test::with_mutations(sound, 1000, seed++, [](const std::string& text) {
            const Found m = read(text);
            if (!m) {
                EXPECT_FALSE(m.error().message.empty());
            }
        });
}

} // namespace
} // namespace ridgepoint
