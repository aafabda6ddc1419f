// Ranks of one job: constructed cases with known waits, and a published job of eight.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/trace/format.h"
#include "model/trace/ranks.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string collective(const char* name, int ts, int dur, const char* group = "0", const char* members = "[0, 1, 2]", int stream = 20)
{
    return std::string(R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_X", "pid": 0, "tid": )") + std::to_string(stream) + R"(, "ts": )" + std::to_string(ts)
        + R"(, "dur": )" + std::to_string(dur) + R"(, "args": {"Collective name": ")" + name
        + R"(", "In msg nelems": 1000000, "Out msg nelems": 1000000, "Group size": 3, "dtype": "Float", "Process Group Name": ")" + group
        + R"(", "Process Group Ranks": ")" + members + R"("}})";
}

std::string gemm(int ts, int dur)
{
    return R"({"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm", "pid": 0, "tid": 7, "ts": )" + std::to_string(ts) + R"(, "dur": )" + std::to_string(dur) + "}";
}

std::string step(int n, int ts, int dur)
{
    return R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" + std::to_string(n) + R"(", "pid": 1, "tid": 1, "ts": )" + std::to_string(ts) + R"(, "dur": )"
        + std::to_string(dur) + "}";
}

Timeline timeline(const std::string& events, int rank, const std::string& file = "trace.json")
{
    static const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    auto t = read_timeline_text(R"({"traceEvents": [)" + events + "]" + (rank >= 0 ? R"(, "distributedInfo": {"rank": )" + std::to_string(rank) + "}" : "") + "}", file, *rules);
    EXPECT_TRUE(t);
    return std::move(*t);
}

JobTimelines job(const std::vector<Timeline>& files)
{
    std::vector<const Timeline*> pointers;
    for (const Timeline& t : files)
        pointers.push_back(&t);
    auto j = compare_ranks(pointers);
    EXPECT_TRUE(j);
    return std::move(*j);
}

double us(Seconds s) { return in_microseconds(s); }

TEST(Ranks, NamesOfFiles)
{
    EXPECT_EQ(rank_in_name("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz"), 34);
    EXPECT_EQ(rank_in_name("/x/iteration_10/rank3_trace.json"), 3);
    EXPECT_EQ(rank_in_name("trace_Rank_12.json"), 12);
    EXPECT_EQ(rank_in_name("worker7_step_12.1694128201553.pt.trace.json"), 7);
    EXPECT_EQ(rank_in_name("profile_r3.json.gz"), 3);
    EXPECT_EQ(rank_in_name("profile.r15.json"), 15);
    EXPECT_EQ(rank_in_name("/x/rank_3/trace.json"), 3);
    EXPECT_EQ(rank_in_name("local_rank0_rank9.json"), 9);
    EXPECT_EQ(rank_in_name("node2_local_rank1.json"), std::nullopt);
    EXPECT_EQ(rank_in_name("crank2.json"), std::nullopt);
    EXPECT_EQ(rank_in_name("host_1234.1694128201553.pt.trace.json"), std::nullopt);
    EXPECT_EQ(rank_in_name("for_r2d2_x.json"), std::nullopt);
    EXPECT_EQ(rank_in_name("rank99999999999999999999.json"), std::nullopt);
    EXPECT_EQ(rank_in_name(""), std::nullopt);
}

// Two all-reduces: rank 1 comes last to the first (60 us, the others wait 40 and 20), rank 0 to the second (50; 30, 10).
TEST(Ranks, TransferIsTheShortestTimeAndTheRestIsWait)
{
    const std::vector<Timeline> files{
        timeline(gemm(0, 100) + "," + collective("allreduce", 100, 100) + "," + collective("allreduce", 300, 50), 0),
        timeline(gemm(0, 140) + "," + collective("allreduce", 140, 60) + "," + collective("allreduce", 300, 80), 1),
        timeline(gemm(0, 120) + "," + collective("allreduce", 120, 80) + "," + collective("allreduce", 300, 60), 2)};
    const JobTimelines j = job(files);
    EXPECT_EQ(j.matched, 2);
    EXPECT_EQ(j.unmatched, 0);
    ASSERT_EQ(j.ranks.size(), 3U);
    for (const JobRank& r : j.ranks)
        EXPECT_NEAR(us(r.transfer), 110, 1e-6);
    EXPECT_NEAR(us(j.ranks[0].wait), 40, 1e-6);
    EXPECT_NEAR(us(j.ranks[1].wait), 30, 1e-6);
    EXPECT_NEAR(us(j.ranks[2].wait), 30, 1e-6);
    EXPECT_NEAR(us(j.ranks[1].wait_caused), 60, 1e-6);
    EXPECT_NEAR(us(j.ranks[0].wait_caused), 40, 1e-6);
    EXPECT_EQ(j.ranks[1].came_last, 1);
    EXPECT_THAT(j.stragglers, ElementsAre(1, 0));
    EXPECT_NEAR(j.compute_imbalance, 140.0 / 120.0 - 1, 1e-9);
    ASSERT_EQ(j.collectives.size(), 1U);
    EXPECT_EQ(j.collectives[0].count, 2);
    // 4 MB in 110 us for two: 8 MB / 110 us times 2 * 2 / 3
    EXPECT_NEAR(j.collectives[0].bus_bandwidth.value(), 8e6 / 110e-6 * 4 / 3, 1);
    EXPECT_TRUE(j.notes.empty()) << j.notes[0];
}

// Whatever the durations: what a rank spent in matched collectives is transfer and wait; nobody waits for less than
// nothing, the waits caused are the waits, and in each collective somebody did not wait.
TEST(Ranks, WaitsAreThoseThatWereCaused)
{
    std::uint64_t state = 7;
    const auto random = [&](int below) {
        state = state * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX generator
        return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(below));
    };
    std::vector<Timeline> files;
    for (int r = 0; r < 5; ++r) {
        std::string events;
        for (int i = 0; i < 40; ++i)
            events += (i ? "," : "") + collective(i % 3 ? "allreduce" : "_allgather_base", i * 1000, 1 + random(900), i % 2 ? "0" : "tp");
        files.push_back(timeline(events, r));
    }
    const JobTimelines j = job(files);
    EXPECT_EQ(j.matched, 40);
    Seconds waits, caused;
    std::int64_t last = 0;
    for (const JobRank& r : j.ranks) {
        EXPECT_GE(r.wait, Seconds{});
        EXPECT_NEAR((r.transfer + r.wait).value(), r.collective.value(), 1e-9); // they do not overlap here
        waits += r.wait;
        caused += r.wait_caused;
        last += r.came_last;
    }
    EXPECT_NEAR(waits.value(), caused.value(), 1e-12);
    EXPECT_LE(last, j.matched);
    Seconds of_kinds;
    for (const JobCollective& c : j.collectives)
        of_kinds += c.wait;
    EXPECT_NEAR(of_kinds.value(), waits.value(), 1e-12);
}

// Two tensor-parallel groups of the same name: ranks 0 and 1 do not wait for 2 and 3.
TEST(Ranks, GroupsOfOneNameAreToldApartByTheirMembers)
{
    const JobTimelines j = job({timeline(collective("allreduce", 0, 100, "tp", "[0, 1]"), 0), timeline(collective("allreduce", 0, 90, "tp", "[0, 1]"), 1),
        timeline(collective("allreduce", 0, 10, "tp", "[2, 3]"), 2), timeline(collective("allreduce", 0, 30, "tp", "[2, 3]"), 3)});
    EXPECT_EQ(j.matched, 2);
    EXPECT_NEAR(us(j.ranks[0].wait), 10, 1e-6);
    EXPECT_NEAR(us(j.ranks[3].wait), 20, 1e-6);
    EXPECT_THAT(j.stragglers, ElementsAre(2, 1));
}

// Rank 1's capture began a step later: step 6 is compared with step 6.
TEST(Ranks, StepsAreMatchedByTheirNumber)
{
    const JobTimelines j = job({timeline(step(5, 0, 500) + "," + step(6, 500, 500) + "," + collective("allreduce", 100, 70) + "," + collective("allreduce", 600, 50), 0),
        timeline(step(6, 0, 500) + "," + step(7, 500, 500) + "," + collective("allreduce", 100, 40) + "," + collective("allreduce", 600, 90), 1)});
    EXPECT_EQ(j.matched, 1);
    EXPECT_EQ(j.unmatched, 2);
    EXPECT_NEAR(us(j.ranks[0].wait), 10, 1e-6);
    EXPECT_NEAR(us(j.ranks[0].step), 500, 1e-6);
}

TEST(Ranks, AnOrderThatDiffersEndsTheMatchingAndIsSaid)
{
    const JobTimelines j = job({timeline(collective("allreduce", 0, 10) + "," + collective("broadcast", 100, 10) + "," + collective("allreduce", 200, 10), 0),
        timeline(collective("allreduce", 0, 10) + "," + collective("allreduce", 100, 10), 1)});
    EXPECT_EQ(j.matched, 1);
    EXPECT_EQ(j.unmatched, 3);
    ASSERT_EQ(j.notes.size(), 2U);
    EXPECT_THAT(j.notes[1], HasSubstr("differ"));
}

TEST(Ranks, SendsAndReceivesAreCountedNotMatched)
{
    const JobTimelines j = job({timeline(collective("send", 0, 10), 0), timeline(collective("recv", 0, 90), 1)});
    EXPECT_EQ(j.matched, 0);
    EXPECT_EQ(j.point_to_point, 2);
    EXPECT_TRUE(j.stragglers.empty());
}

TEST(Ranks, RanksFromContentNameOrOrder)
{
    const auto ranks = [](const JobTimelines& j) {
        std::vector<std::string> out;
        for (const JobRank& r : j.ranks)
            out.push_back(std::to_string(r.rank) + " " + std::string(name_of(r.source)) + " " + r.file);
        return out;
    };
    EXPECT_THAT(ranks(job({timeline("", 1, "a.json"), timeline("", -1, "rank0.json")})), ElementsAre("0 the file's name rank0.json", "1 the file a.json"));
    EXPECT_THAT(ranks(job({timeline("", -1, "b.json"), timeline("", 0, "a.json")})), ElementsAre("0 the file a.json", "1 the order of the files b.json"));
    const JobTimelines same = job({timeline("", 0, "rank1.json"), timeline("", 0, "rank0.json")});
    EXPECT_THAT(ranks(same), ElementsAre("0 the file's name rank0.json", "1 the file's name rank1.json"));
    EXPECT_EQ(same.notes.size(), 1U);
    const JobTimelines hopeless = job({timeline("", 4, "x.json"), timeline("", 4, "x.json")});
    EXPECT_THAT(ranks(hopeless), ElementsAre("0 the order of the files x.json", "1 the order of the files x.json"));
    EXPECT_FALSE(compare_ranks({}));
}

// Eight V100s, one step, no metadata on the kernels [facebookresearch/param, MIT]. The reference: communication per rank
// in us; rank 7's is shortest, the others wait for it. Whichever ranks are at hand are compared.
TEST(Ranks, PublishedJobOfEight)
{
    const fs::path folder = fs::path(RIDGEPOINT_SHARED_DIR) / "traces" / "kineto" / "dlrm_8rank";
    if (!fs::exists(folder))
        GTEST_SKIP() << "no reference traces at " << folder;
    constexpr std::array<double, 8> communication{5798, 11336, 3492, 9774, 6587, 6251, 3558, 1746};
    std::vector<Timeline> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        auto t = read_timeline(entry.path().string());
        ASSERT_TRUE(t);
        EXPECT_EQ(rank_in_name(t->file), t->rank);
        files.push_back(std::move(*t));
    }
    const JobTimelines j = job(files);
    ASSERT_EQ(j.ranks.size(), files.size());
    ASSERT_GE(files.size(), 2U);
    EXPECT_EQ(j.unmatched, 0);
    EXPECT_EQ(j.matched, 8);
    const JobRank* shortest = &j.ranks[0];
    for (const JobRank& r : j.ranks) {
        EXPECT_NEAR(us(r.collective), communication[static_cast<std::size_t>(r.rank)], 1e-6) << r.rank;
        EXPECT_NEAR(us(r.transfer), us(j.ranks[0].transfer), 1e-6);
        EXPECT_LE(us(r.transfer), us(r.collective));
        if (r.collective < shortest->collective)
            shortest = &r;
    }
    ASSERT_FALSE(j.stragglers.empty());
    EXPECT_EQ(j.stragglers[0], shortest->rank);
    if (files.size() == 8) {
        EXPECT_EQ(j.stragglers[0], 7);
    }
}

} // namespace
} // namespace ridgepoint
