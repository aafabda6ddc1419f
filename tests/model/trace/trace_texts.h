#pragma once
// Small traces as text, for tests of what a reader makes of them.

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <zlib.h>

#include "model/trace/format.h"

namespace ridgepoint::trace_texts {

inline const KernelRules& rules()
{
    static const auto loaded = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    return *loaded;
}

inline Expected<Timeline> read(std::string_view text) { return read_timeline_text(text, "test.json", rules()); }

inline std::string kernel(const std::string& name, const std::string& ts, const std::string& dur, const std::string& args = "")
{
    return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" + ts + R"(, "dur": )" + dur
        + R"(, "args": {"device": 0, "stream": 7)" + (args.empty() ? "" : ", " + args) + "}}";
}
inline std::string trace(const std::string& events) { return R"({"schemaVersion": 1, "traceEvents": [)" + events + R"(], "traceName": "x"})"; }

inline const std::string gemm = kernel("sm90_xmma_gemm", "1000.000", "100.500");
inline const std::string norm = kernel("layer_norm_kernel", "1200.250", "10.125");

inline void expect_both(const Expected<Timeline>& t, std::size_t left_out)
{
    ASSERT_TRUE(t) << t.error().text();
    ASSERT_EQ(t->size(), 2U);
    EXPECT_EQ(t->duration_ns[0], 100'500);
    EXPECT_EQ(t->start_ns[1], 200'250);
    EXPECT_EQ(t->duration_ns[1], 10'125);
    EXPECT_EQ(t->kernel_class[0], KernelClass::gemm);
    EXPECT_EQ(t->kernel_class[1], KernelClass::norm);
    EXPECT_EQ(t->skipped.size(), left_out) << (t->skipped.empty() ? "" : t->skipped[0].reason);
}

inline std::string gzip(std::string_view text)
{
    z_stream z{};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&z, text.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

} // namespace ridgepoint::trace_texts
