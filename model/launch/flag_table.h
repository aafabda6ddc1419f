#pragma once
// The options of one release of a framework, as its documentation or source states them: specs/launch/*.json. Every
// argument that is generated must stand in the table with an allowed value; what is read back is typed by it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace ridgepoint {

enum class LaunchFramework : unsigned char { megatron_lm, megatron_bridge, torchtitan, accelerate_fsdp, maxtext, vllm, sglang, tensorrt_llm };
inline constexpr std::size_t launch_framework_count = 8;
std::string_view name_of(LaunchFramework f); // "megatron-lm": also the name of its table
std::optional<LaunchFramework> parse_launch_framework(std::string_view name);
bool trains(LaunchFramework f);

enum class FlagType : unsigned char { flag, boolean, whole, number, text, choice };

struct FlagSpec {
    std::string name; // "--tensor-model-parallel-size", "training.seq_len"
    std::vector<std::string> aliases;
    FlagType type = FlagType::text;
    std::vector<std::string> allowed; // choice, and text with known values; empty: any
    double minimum = 0; // whole
    bool many = false; // takes a list
    std::string meaning;
    std::string megatron_lm; // megatron-bridge: the argument that says the same
    bool negated = false; // and whether it says the opposite
};

struct FlagTable {
    LaunchFramework framework = LaunchFramework::megatron_lm;
    std::string title;
    std::string version;
    std::string source; // address of the first source
    std::vector<FlagSpec> flags;
    std::map<std::string, std::pair<std::string, std::string>> flavors; // torchtitan: model id -> name, flavor

    // By name or alias. vLLM and SGLang take - and _ alike.
    [[nodiscard]] const FlagSpec* find(std::string_view name) const;
};

// `file` names the document in messages. Sizes are bounded; unknown types and names given twice are errors.
Expected<FlagTable> flag_table_from_json(const std::string& text, const std::string& file);

using FlagTables = std::map<LaunchFramework, FlagTable>;

} // namespace ridgepoint
