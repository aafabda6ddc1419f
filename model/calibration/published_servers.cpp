#include "model/calibration/published_servers.h"

#include <algorithm>
#include <cmath>

#include "model/calibration/row_models.h"

namespace ridgepoint {
namespace {

constexpr int ten = 10, thirty = 30; // --scheduler-recv-interval below and from 16 users on
constexpr int many_users = 16;
constexpr double balance_steps = 60; // attention_dp_config: timeout_iters

int whole(const CsvRow& row, const char* column)
{
    const double v = row.number(column);
    return std::isnan(v) ? 0 : static_cast<int>(std::lround(v));
}

ServerSettings sglang_settings(const CsvRow& row, int users)
{
    ServerSettings s;
    const std::string_view model = row.text("model_path");
    const std::string_view system = row.text("system");
    const bool blackwell = contains_word(system, "b200") || contains_word(system, "b300");
    const bool glm = contains_word(model, "GLM");
    if (!blackwell) { // --chunked-prefill-size; GLM-5: the engine's own, and five requests a user
        s.token_budget = contains_word(model, "DeepSeek") ? 32768 : contains_word(model, "Qwen3.5") ? 16384 : 0;
        s.waves = glm ? 5 : 10;
        return s;
    }
    const bool four_bit_deepseek = contains_word(model, "DeepSeek") && row.text("precision") == "fp4";
    s.token_budget = four_bit_deepseek ? 16384 : 32768;
    s.poll = glm || users < many_users ? ten : thirty;
    return s;
}

// --max_num_tokens of its scripts: in 2025 room for one prompt and the users of a step, from version 1.2 on at least 8192.
// Llama: the longest sequence.
ServerSettings tensorrt_llm_settings(const CsvRow& row, int users)
{
    ServerSettings s;
    s.gather = balance_steps;
    const int input = whole(row, "isl");
    const std::string_view version = row.text("backend_version");
    if (contains_word(row.text("model_path"), "gpt-oss"))
        s.token_budget = 20000;
    else if (contains_word(row.text("model_path"), "Llama"))
        s.token_budget = input + whole(row, "osl");
    else
        s.token_budget = version.empty() || version.starts_with("1.1") ? input : std::max(8192, input + users);
    return s;
}

// --max-num-batched-tokens: 8192, which is the engine's own as well, but for MiniMax-M2.5 on Blackwell (two prompts).
ServerSettings vllm_settings(const CsvRow& row)
{
    ServerSettings s;
    const std::string_view system = row.text("system");
    if (contains_word(row.text("model_path"), "MiniMax") && (contains_word(system, "b200") || contains_word(system, "b300")))
        s.token_budget = 2 * whole(row, "isl");
    return s;
}

} // namespace

bool from_inferencex(const CsvRow& row)
{
    const std::string_view source = row.text("silicon_data_source");
    return source.starts_with("db-dump/") || contains_word(source, "wip=") || contains_word(source, "gap-analysis");
}

ServerSettings server_settings(const CsvRow& row, int users)
{
    if (row.text("mode") == "disagg")
        return {};
    if (!from_inferencex(row)) {
        ServerSettings s;
        // One batch of all users: its first tokens take half as many prompts as there are users, whatever these are.
        if (row.text("silicon_data_source").starts_with("source_file=h100_sxm/sglang/"))
            s.waves = 1;
        return s;
    }
    const std::string_view engine = row.text("backend");
    return engine == "sglang" ? sglang_settings(row, users) : engine == "trtllm" ? tensorrt_llm_settings(row, users) : vllm_settings(row);
}

} // namespace ridgepoint
