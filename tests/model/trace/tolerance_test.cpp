// What real files do wrong, one kind each: what is sound is read, what is left out is counted with its place.
#include <gmock/gmock.h>

#include "tests/model/trace/trace_texts.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;

using namespace trace_texts;

TEST(Tolerance, SoundFile) { expect_both(read(trace(gemm + ",\n" + norm)), 0); }
TEST(Tolerance, ByteOrderMark) { expect_both(read("\xef\xbb\xbf" + trace(gemm + "," + norm)), 0); }
TEST(Tolerance, BareArray) { expect_both(read("[" + gemm + "," + norm + "]"), 0); }
TEST(Tolerance, MetadataAfterTheEventsThatLooksLikeEvents)
{
    const auto t = read(R"({"traceEvents": [)" + gemm + "," + norm
        + R"(], "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}, {"id": 1, "name": "NVIDIA H100"}], "distributedInfo": {"rank": 3, "world_size": 8}})");
    expect_both(t, 0);
    EXPECT_EQ(t->device_name, "NVIDIA H100");
    EXPECT_EQ(t->devices_listed, 2);
    EXPECT_EQ(t->rank, 3);
    EXPECT_EQ(t->world_size, 8);
}

TEST(Tolerance, BareArrayWithoutItsBracketIsLegal)
{
    const auto t = read("[" + gemm + "," + norm);
    expect_both(t, 0);
    EXPECT_FALSE(t->truncated);
}

TEST(Tolerance, TruncatedAtEveryByteKeepsTheCompleteEvents)
{
    const std::string whole = trace(gemm + "," + norm);
    const std::size_t first_end = whole.find(gemm) + gemm.size();
    const std::size_t second_end = whole.find(norm) + norm.size();
    for (std::size_t n = whole.find(gemm); n + 1 < whole.size(); ++n) {
        const auto t = read(std::string_view(whole).substr(0, n));
        ASSERT_TRUE(t) << n;
        EXPECT_TRUE(t->truncated) << n;
        EXPECT_EQ(t->size(), static_cast<std::size_t>(n >= first_end) + static_cast<std::size_t>(n >= second_end)) << n;
        EXPECT_FALSE(t->skipped.empty()) << n;
    }
}

TEST(Tolerance, TrailingComma) { expect_both(read(trace(gemm + "," + norm + ",\n")), 1); }

TEST(Tolerance, NotANumber)
{
    for (const char* word : {"NaN", "inf", "-inf", "Infinity", "-Infinity", "nan"}) {
        const std::string odd = kernel("x", "1100", "1", std::string("\"memory bandwidth (GB/s)\": ") + word);
        const auto t = read(trace(gemm + "," + odd + "," + norm));
        ASSERT_TRUE(t);
        EXPECT_EQ(t->size(), 3U) << word;
        const auto bad = read(trace(gemm + "," + kernel("x", word, "1") + "," + norm));
        expect_both(bad, 1);
    }
}

TEST(Tolerance, ControlBytesAndBrokenUtf8InNames)
{
    for (const std::string& odd : {std::string("a\x01z"), std::string("a\nz"), std::string("a\xff\xfez"), std::string("a\xc3z"), std::string("a\0z", 3)}) {
        const auto t = read(trace(gemm + "," + kernel(odd, "1100", "1") + "," + norm));
        ASSERT_TRUE(t);
        ASSERT_EQ(t->size(), 3U);
        const std::string& name = t->names[t->name[1]];
        EXPECT_EQ(name.front(), 'a');
        EXPECT_EQ(name.back(), 'z');
        for (const char c : name)
            EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20);
    }
    const auto damaged = read(trace(kernel("nv\x01jet_tst_128x256", "1000", "1") + "," + kernel("nv\\u0001jet_tst_64", "1100", "1")));
    ASSERT_TRUE(damaged);
    for (const KernelClass c : damaged->kernel_class)
        EXPECT_EQ(c, KernelClass::gemm);
}

TEST(Tolerance, UnescapedBackslashesAndQuotes)
{
    const std::string path = R"({"ph": "X", "cat": "python_function", "name": "torch\cuda\__init__.py(1): f", "pid": 1, "tid": 1, "ts": 1, "dur": 1})";
    expect_both(read(trace(gemm + "," + path + "," + norm)), 0);
    const auto quoted = read(trace(gemm + "," + kernel("say \"hi\" twice", "1100", "1") + "," + norm));
    ASSERT_TRUE(quoted);
    EXPECT_EQ(quoted->size(), 3U);
    const std::string ends = R"({"ph": "X", "cat": "cpu_op", "name": "C:\dir\", "pid": 1, "tid": 1, "ts": 1, "dur": 1})";
    expect_both(read(trace(gemm + "," + ends + "," + norm)), 0);
}

// A quote before a comma or a bracket is a string's end only if a key or the object's end follows.
TEST(Tolerance, UnescapedQuotesBeforePunctuation)
{
    for (const char* const name : {R"(f<"abc", int>(float*))", R"(x["a"])", R"(map{"a"}y)", R"(g("a"), "b")"}) {
        const auto t = read(trace(gemm + "," + kernel(name, "1100", "1.5") + "," + norm));
        ASSERT_TRUE(t) << name;
        ASSERT_EQ(t->size(), 3U) << name;
        EXPECT_TRUE(t->skipped.empty()) << name;
        EXPECT_EQ(t->names[t->name[1]], name);
        EXPECT_EQ(t->duration_ns[1], 1500);
    }
    const auto t = read(trace(kernel("ncclDevKernel_AllReduce", "1000", "1", R"("Collective name": "allreduce", "Process Group Description": ""default_pg"", "Group size": 8)") + "," + norm));
    ASSERT_TRUE(t);
    ASSERT_EQ(t->size(), 2U);
    ASSERT_EQ(t->collectives.size(), 1U);
    EXPECT_EQ(t->collectives[0].group_size, 8);
}

TEST(Tolerance, AnEventWithADurationAndNoPhaseIsComplete)
{
    const auto t = read(trace(gemm + R"(,{"cat": "kernel", "name": "layer_norm_kernel", "ts": 1200.250, "dur": 10.125, "args": {"stream": 7}}, {"cat": "kernel", "name": "no duration", "ts": 1})"));
    expect_both(t, 0);
}

TEST(Tolerance, AnEventThatIsNoJsonIsLeftOutWithItsPlace)
{
    const auto t = read(trace(gemm + R"(,{"ph": "X", "cat": kernel name: },)" + norm));
    expect_both(t, 1);
    EXPECT_THAT(t->skipped[0].first_place, HasSubstr("byte"));
    EXPECT_EQ(t->events_in_file, 3);
}

// Nothing follows a broken last event that looks like another, but the metadata behind the list are not lost.
TEST(Tolerance, ABrokenLastEventLosesNothingBehindTheList)
{
    const std::string behind = R"(], "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}, {"id": 1, "name": "NVIDIA H100"}], "distributedInfo": {"rank": 3, "world_size": 8}})";
    for (const char* last : {
             R"({"ph": "X", "cat": kernel name: })", // no JSON at all
             R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {"Input Dims": [[1, 2], "device": 0}})", // a bracket too few
             R"({"ph": "X", "cat": "kernel", "name": "cut)", // the event was cut, the rest was written all the same
             R"({"ph": "X", "cat": "kernel", "args": {"a": [1, 2], "b": "unclosed }})",
             R"({"ph": "X", "cat" "kernel"})",
             "nothing that begins with a brace",
         }) {
        SCOPED_TRACE(last);
        const auto t = read(R"({"traceEvents": [)" + gemm + "," + norm + "," + last + behind);
        expect_both(t, 1);
        EXPECT_THAT(t->skipped[0].first_place, HasSubstr("byte"));
        EXPECT_FALSE(t->truncated);
        EXPECT_EQ(t->device_name, "NVIDIA H100");
        EXPECT_EQ(t->devices_listed, 2);
        EXPECT_EQ(t->rank, 3);
        EXPECT_EQ(t->world_size, 8);
    }
    // An event whose own arguments are followed by a key is not the end of the list.
    const auto mended = read(R"({"traceEvents": [)" + gemm + "," + norm + R"(,{"ph": "X", "cat": "kernel", "name": "say "hi"", "ts": 1300, "dur": 1, "args": {"grid": [1, 1, 1], "name": "x"}})" + behind);
    ASSERT_TRUE(mended);
    EXPECT_EQ(mended->size(), 3U);
    EXPECT_EQ(mended->rank, 3);
}

TEST(Tolerance, ABrokenLastEventBeforeTheEndOfTheFile)
{
    const auto t = read(R"({"traceEvents": [)" + gemm + "," + norm + R"(,{"ph": "X", "cat" "kernel"}]})");
    expect_both(t, 1);
    EXPECT_FALSE(t->truncated);
}

TEST(Tolerance, StringNumbersAndStreams)
{
    const auto t = read(trace(R"({"ph": "X", "cat": "Kernel", "name": "gemm", "pid": "0", "tid": "stream 20", "ts": "1000.5", "dur": "2.25", "args": {"correlation": "12"}})"));
    ASSERT_TRUE(t);
    ASSERT_EQ(t->size(), 1U);
    EXPECT_EQ(t->origin_ns, 1'000'500);
    EXPECT_EQ(t->duration_ns[0], 2250);
    EXPECT_EQ(t->stream[0], 20);
    EXPECT_EQ(t->device[0], 0);
}

TEST(Tolerance, AbsoluteTimesBeyondTheReachOfADouble)
{
    const auto t = read(trace(kernel("a", "1712195495740538.694", "0.001") + "," + kernel("b", "1712195495740538.695", "1.5e1")));
    ASSERT_TRUE(t);
    EXPECT_EQ(t->origin_ns, 1'712'195'495'740'538'694);
    EXPECT_EQ(t->start_ns[1], 1);
    EXPECT_EQ(t->duration_ns[0], 1);
    EXPECT_EQ(t->duration_ns[1], 15'000);
}

TEST(Tolerance, ImpossibleDurationsAreCountedNotUsed)
{
    for (const char* dur : {"-3.000", "18446744073709550.000", "17e15", "1e30", "86400000001"}) {
        SCOPED_TRACE(dur);
        expect_both(read(trace(gemm + "," + kernel("x", "1100", dur) + "," + norm)), 1);
    }
    expect_both(read(trace(gemm + "," + kernel("x", "0", "0") + "," + norm)), 1);
    expect_both(read(trace(gemm + "," + R"({"ph": "X", "cat": "kernel", "name": "x", "ts": 1100})" + "," + norm)), 1);
}

TEST(Tolerance, BeginAndEndMakeOneEvent)
{
    const auto t = read(trace(R"({"ph": "B", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10.0}, {"ph": "E", "pid": 0, "tid": 7, "ts": 25.0})"));
    ASSERT_TRUE(t);
    ASSERT_EQ(t->size(), 1U);
    EXPECT_EQ(t->duration_ns[0], 15'000);
}

TEST(Tolerance, GzipOfSeveralMembersWithPadding)
{
    const std::string whole = trace(gemm + "," + norm);
    const std::string packed = gzip(whole.substr(0, 100)) + gzip(whole.substr(100));
    expect_both(read(packed), 0);
    expect_both(read(packed + std::string(512, '\0')), 0);
    const auto cut = read(std::string_view(packed).substr(0, packed.size() - 30));
    ASSERT_TRUE(cut) << cut.error().text();
    EXPECT_TRUE(cut->truncated);
}

TEST(Tolerance, KeysInAnyOrder)
{
    const std::string sorted = R"({"args": {"stream": 9, "device": 2, "correlation": 5}, "cat": "kernel", "dur": 3, "name": "gemm", "ph": "X", "pid": 0, "tid": 7, "ts": 5})";
    const std::string launch = R"({"args": {"correlation": 5}, "cat": "cuda_runtime", "dur": 1, "name": "cudaLaunchKernel", "ph": "X", "pid": 1, "tid": 1, "ts": 4})";
    for (const std::string& text : {trace(sorted + "," + launch), trace(launch + "," + sorted)}) {
        const auto t = read(text);
        ASSERT_TRUE(t);
        ASSERT_EQ(t->size(), 1U);
        EXPECT_EQ(t->stream[0], 9);
        EXPECT_EQ(t->device[0], 2);
        EXPECT_EQ(t->launch_ns[0], -1000);
    }
}

TEST(Tolerance, DeepNestingAndManyBracketsEndInBoundedTime)
{
    const std::string deep(200'000, '[');
    const auto t = read(trace(gemm + R"(,{"ph": "X", "args": )" + deep + "}," + norm));
    ASSERT_TRUE(t);
    EXPECT_LE(t->size(), 2U);
    EXPECT_FALSE(read(R"({"a": )" + deep));
    EXPECT_FALSE(read(deep));
}

TEST(Tolerance, ErrorsNameWhatTheFileIs)
{
    EXPECT_THAT(read("").error().text(), HasSubstr("empty"));
    EXPECT_THAT(read("[[1, 2], [3, 4]]").error().text(), HasSubstr("list of lists"));
    EXPECT_THAT(read(R"({"a": 1, "b": 2})").error().text(), HasSubstr("a, b"));
    EXPECT_THAT(read("# nThread 1 nGpus 8").error().text(), HasSubstr("nccl-tests"));
    EXPECT_THAT(read(std::string_view("SQLite format 3\0", 16)).error().text(), HasSubstr("SQLite"));
    EXPECT_THAT(read("PK\x03\x04").error().text(), HasSubstr("zip"));
    EXPECT_FALSE(read_timeline("/does/not/exist.json", rules()));
}

TEST(Tolerance, EveryReaderStandsAlone)
{
    for (const TraceFormat& format : trace_formats())
        for (const std::string& text : {std::string(), std::string("   "), std::string("x"), std::string("\xef\xbb\xbf"), std::string("{"), std::string("["), std::string("[{"), std::string("\"a"), std::string("a,b\n1,2\n"), std::string(300, '[')}) {
            SCOPED_TRACE(std::string(format.name) + " is given " + text);
            const auto source = bytes_of(text);
            const auto t = format.read(*source, "test", rules(), {});
            if (!t)
                EXPECT_FALSE(t.error().message.empty());
            else
                EXPECT_EQ(summarize(*t).gpu_events, static_cast<std::int64_t>(t->size()));
        }
}

TEST(Tolerance, NoGpuEventsIsATraceToo)
{
    const auto t = read(R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": []})");
    ASSERT_TRUE(t);
    EXPECT_EQ(t->size(), 0U);
    EXPECT_EQ(summarize(*t).gpu_events, 0);
}

TEST(Tolerance, CancelledReadingSaysSo)
{
    std::stop_source stop;
    stop.request_stop();
    const auto t = read_timeline_text(trace(gemm), "test.json", rules(), Progress{{}, stop.get_token()});
    ASSERT_FALSE(t);
    EXPECT_EQ(t.error().kind, ErrorKind::cancelled);
}

// The two scanners must agree: a bad event somewhere changes nothing for its neighbours, in windows of any filling.
TEST(Tolerance, ManyWindowsWithABrokenEventNowAndThen)
{
    std::string events;
    std::int64_t sum = 0;
    constexpr int n = 20'000;
    for (int i = 0; i < n; ++i) {
        events += kernel("kernel \\\"" + std::to_string(i % 7) + "\\\" }, {", std::to_string(i * 10) + ".125", "3." + std::to_string(100 + i % 900),
            R"("shape": [{"name": 1}, {"name": 2}])");
        events += i % 997 == 5 ? ",{\"ph\": \"X\" \x01 broken,},\n" : ",\n";
        sum += 3000 + 100 + i % 900;
    }
    events += kernel("last", "999999", "1");
    const auto t = read(trace(events));
    ASSERT_TRUE(t);
    EXPECT_EQ(t->size(), static_cast<std::size_t>(n) + 1);
    std::int64_t got = 0;
    for (const std::int64_t d : t->duration_ns)
        got += d;
    EXPECT_EQ(got, sum + 1000);
    ASSERT_EQ(t->skipped.size(), 1U);
    EXPECT_EQ(t->skipped[0].count, (n + 991) / 997);
}

// Random damage: reading ends, and what was read holds together. (tests/fuzz does this without end.)
TEST(Tolerance, DamagedTextsEndInATimelineOrAnError)
{
    const std::string whole = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}], "traceEvents": [)" + gemm + ",\n" + norm + ",\n"
        + R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"External id": 1, "Input Dims": [[4, 4], [4, 4]], "Input type": ["float", "float"]}},)"
        + R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1, "dur": 2000}, {"ph": "s", "id": 1}], "distributedInfo": {"rank": 1}})";
    constexpr std::string_view pieces = "{}[],:\"\\ 019.-eNaN\n\x01\xff";
    std::uint64_t state = 1;
    const auto random = [&](std::size_t below) {
        state = state * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX generator
        return static_cast<std::size_t>((state >> 33) % below);
    };
    for (int i = 0; i < 5000; ++i) {
        std::string text = whole;
        for (std::size_t k = 1 + random(6); k > 0; --k) {
            const std::size_t at = random(text.size());
            switch (random(4)) {
            case 0: text[at] = pieces[random(pieces.size())]; break;
            case 1: text.erase(at, 1 + random(40)); break;
            case 2: text.insert(at, 1, pieces[random(pieces.size())]); break;
            default: text.insert(at, text.substr(random(text.size()), random(60))); break;
            }
        }
        const auto t = read(i % 8 == 0 ? gzip(text) : text);
        if (!t) {
            EXPECT_FALSE(t.error().message.empty());
            continue;
        }
        const TimelineSummary s = summarize(*t);
        EXPECT_LE(s.busy, s.span) << text;
        EXPECT_EQ(s.gpu_events, static_cast<std::int64_t>(t->size()));
    }
}

} // namespace
} // namespace ridgepoint
