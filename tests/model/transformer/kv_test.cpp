// Size of the KV cache by architecture.

#include <gtest/gtest.h>

#include "model/transformer/kv.h"
#include "model/transformer/read.h"

using namespace ridgepoint;

namespace {

Transformer model(const char* id)
{
    static const Expected<SpecStore> specs = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    EXPECT_TRUE(specs);
    const Expected<Transformer> m = read_transformer(*specs, id);
    EXPECT_TRUE(m) << (m ? "" : m.error().text());
    return m ? *m : Transformer{};
}

} // namespace

TEST(KvCache, ElementsPerToken)
{
    // 2 g d per layer for grouped attention, c + r for latent: 126 x 2 x 8 x 128 and 61 x (512 + 64)
    EXPECT_DOUBLE_EQ(kv_elements(model("llama-3.1-405b"), 1.0), 126.0 * 2 * 8 * 128);
    EXPECT_DOUBLE_EQ(kv_elements(model("deepseek-v3"), 1.0), 61.0 * 576);
    EXPECT_DOUBLE_EQ(kv_elements(model("llama-2-7b"), 1.0), 32.0 * 2 * 32 * 128);
}

TEST(KvCache, WindowsCapIt)
{
    const Transformer m = model("gpt-oss-20b"); // 12 layers see 128 keys, 12 all of them
    const double per_token = 2.0 * 8 * 64;
    EXPECT_DOUBLE_EQ(kv_elements(m, 100.0), 24.0 * per_token * 100.0);
    EXPECT_DOUBLE_EQ(kv_elements(m, 8192.0), 12.0 * per_token * (128.0 + 8192.0));
    EXPECT_DOUBLE_EQ(kv_elements(m, 0.0), 0.0);
}

TEST(KvCache, GrowsWithTheContextButNotFasterThanIt)
{
    for (const char* id : {"gemma-3-27b", "llama-4-maverick", "mistral-7b", "qwen3-8b", "kimi-k2"}) {
        const Transformer m = model(id);
        for (double tokens = 1.0; tokens < 1e6; tokens *= 3.0) {
            EXPECT_GE(kv_elements(m, 3.0 * tokens), kv_elements(m, tokens)) << id;
            EXPECT_LE(kv_elements(m, 3.0 * tokens), 3.0 * kv_elements(m, tokens)) << id;
        }
    }
}
