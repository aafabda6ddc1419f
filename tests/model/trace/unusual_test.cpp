// Unusual but sound: what traces of some versions and tools leave out, repeat or write in their own way.
#include <gmock/gmock.h>

#include "model/trace/queries.h"
#include "tests/model/trace/trace_texts.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;
using namespace trace_texts;

// A damaged member: what came before it is read, and the damage is said.
TEST(Unusual, DamagedGzipMember)
{
    std::string events;
    for (int i = 0; i < 3000; ++i)
        events += kernel("kernel_" + std::to_string(i * 7919 % 1000), std::to_string(1000 + i * 10), "5") + ",";
    std::string packed = gzip(trace(events + gemm));
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 64; ++i)
        packed[i] = static_cast<char>(~packed[i]);
    const auto t = read(packed);
    ASSERT_TRUE(t) << t.error().text();
    EXPECT_TRUE(t->truncated);
    EXPECT_GT(t->size(), 100U);
    EXPECT_LT(t->size(), 3001U);
    std::string said;
    for (const auto& s : t->skipped)
        said += s.reason;
    EXPECT_THAT(said, HasSubstr("gzip"));
}

// Of a key given twice the last counts, as everywhere in JSON practice, for either scanner.
TEST(Unusual, DuplicateKeys)
{
    const std::string twice = R"({"ph": "X", "cat": "cpu_op", "cat": "kernel", "name": "a", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "ts": 1000.000, "dur": 9, "dur": 100.500})";
    expect_both(read(trace(twice + "," + norm)), 0);
    expect_both(read(trace(twice + R"(,{"ph": "X", "cat": kernel name: },)" + norm)), 1); // not JSON: the tolerant scanner
    const auto t = read(R"({"distributedInfo": {"rank": 1}, "INFO": ["a"], "traceEvents": [)" + gemm + "," + norm + R"(], "INFO": ["b"], "distributedInfo": {"rank": 5}})");
    expect_both(t, 0);
    EXPECT_EQ(t->rank, 5);
}

TEST(Unusual, NoDeviceTableNoStepsNoRank)
{
    for (const char* head : {R"({"traceEvents": [)", R"({"deviceProperties": null, "distributedInfo": "none", "traceEvents": [)",
             R"({"deviceProperties": [{"name": ""}, 3, {}], "distributedInfo": {"backend": "nccl"}, "traceEvents": [)"}) {
        const auto t = read(head + gemm + "," + norm + "]}");
        expect_both(t, 0);
        EXPECT_EQ(t->device_name, "");
        EXPECT_EQ(t->rank, -1);
        EXPECT_TRUE(t->steps.empty());
        EXPECT_TRUE(step_breakdowns(*t).empty());
        EXPECT_EQ(median_step({}), -1);
    }
}

TEST(Unusual, IdentitiesBeyondSixtyThreeBits)
{
    const std::string flow = R"({"ph": "s", "id": 18446744073709551615, "pid": 0, "tid": 7, "ts": 1000, "cat": "ac2g", "name": "ac2g"})";
    const auto t = read(trace(flow + "," + kernel("sm90_xmma_gemm", "1000.000", "100.500", R"("Comms Id": 17446744073709551615, "correlation": 18446744073709551000)") + "," + norm));
    expect_both(t, 0);
}

// 2^53 and the hundred nanoseconds behind it, as text: string and number alike.
TEST(Unusual, TextTimesBeyondTheReachOfADouble)
{
    const auto t = read(trace(kernel("a", "\"1712195495740538.694\"", "\"0.306\"") + "," + kernel("b", "1712195495740539", "1")));
    ASSERT_TRUE(t);
    ASSERT_EQ(t->size(), 2U);
    EXPECT_EQ(t->origin_ns, 1'712'195'495'740'538'694);
    EXPECT_EQ(t->start_ns[1], 306);
}

// A hundred kernels 1.037 us apart, with nanoseconds written as the nightlies of March 2024 did; padded they are as usual.
TEST(Unusual, FractionsWithoutTheirZeros)
{
    const auto text = [](bool padded) {
        std::string events;
        for (int i = 0; i < 100; ++i) {
            const int ns = i * 1037;
            std::string fraction = std::to_string(ns % 1000);
            if (padded)
                fraction.insert(0, 3 - fraction.size(), '0');
            events += (i ? "," : "") + kernel("gemm", std::to_string(5000 + ns / 1000) + "." + fraction, padded ? "0.007" : "0.7");
        }
        return trace(events);
    };
    const auto padded = read(text(true));
    const auto unpadded = read(text(false));
    ASSERT_TRUE(padded);
    ASSERT_TRUE(unpadded);
    EXPECT_EQ(unpadded->start_ns, padded->start_ns);
    EXPECT_EQ(unpadded->duration_ns, padded->duration_ns);
    EXPECT_TRUE(padded->skipped.empty());
    ASSERT_EQ(unpadded->skipped.size(), 1U);
    EXPECT_THAT(unpadded->skipped[0].reason, HasSubstr("leading zeros"));
    // Too few to tell, or zeros dropped at the end: decimal fractions.
    const auto few = read(trace(kernel("gemm", "20.7", "1") + "," + kernel("gemm", "21.70", "1")));
    EXPECT_EQ(few->start_ns[1], 1000);
}

TEST(Unusual, StrayCommasAndWordsInObjects)
{
    const std::string loose = R"({"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm", "pid": 0, "tid": 7, "ts": 1000.000, "dur": 100.500, "args": {"device": 0, "stream": 7,},})";
    expect_both(read(trace(loose + "," + norm)), 0);
    expect_both(read(trace(gemm + ",," + norm)), 0);
    const auto metadata = read(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "x": NaN}], "traceEvents": [)" + gemm + "," + norm + "],}");
    expect_both(metadata, 1); // the table of devices is not JSON: said, and the events are there
}

} // namespace
} // namespace ridgepoint
