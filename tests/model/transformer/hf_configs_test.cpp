// The real config.json files of the reference collection: each is imported with the counted size, or refused by name.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/transformer/import_hf.h"
#include "model/transformer/kv.h"
#include "model/transformer/read.h"

using namespace ridgepoint;

namespace {

struct Row
{
    double total = 0; // 1e9 parameters
    double active = 0;
    double kv_bytes = 0; // of one token in bf16, windows open
};

std::vector<std::string> csv_fields(const std::string& line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char ch : line)
        if (ch == '"')
            quoted = !quoted;
        else if (ch == ',' && !quoted)
            out.emplace_back();
        else if (ch != '\r')
            out.back() += ch;
    return out;
}

std::map<std::string, Row> catalogue(const std::filesystem::path& file)
{
    std::map<std::string, Row> rows;
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> head = csv_fields(line);
    const auto column
        = [&](const char* name) { return static_cast<std::size_t>(std::ranges::find(head, name) - head.begin()); };
    const std::size_t total = column("computed_total_B");
    const std::size_t active = column("computed_active_B");
    const std::size_t full = column("kv_bytes_per_token_bf16_full_layers");
    const std::size_t windowed = column("kv_bytes_per_token_bf16_swa_layers_until_window");
    while (std::getline(in, line)) {
        const std::vector<std::string> f = csv_fields(line);
        if (f.size() != head.size())
            continue;
        rows[std::filesystem::path(f[0]).filename().string()]
            = {std::strtod(f[total].c_str(), nullptr), std::strtod(f[active].c_str(), nullptr),
                std::strtod(f[full].c_str(), nullptr) + std::strtod(f[windowed].c_str(), nullptr)};
    }
    return rows;
}

std::string text_of(const std::filesystem::path& file)
{
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
}

} // namespace

TEST(HfConfigs, EveryFileIsImportedOrRefusedByName)
{
    const std::filesystem::path folder = std::filesystem::path(RIDGEPOINT_SHARED_DIR) / "reference/hf_configs";
    if (!std::filesystem::exists(folder))
        GTEST_SKIP() << "the reference collection is not here: " << folder;
    const std::map<std::string, Row> rows = catalogue(folder / "models_catalogue.csv");
    ASSERT_GT(rows.size(), 50u);
    // What our types cannot describe, and the field that says so.
    const std::map<std::string, std::string> refused
        = {{"Qwen--Qwen3.5-397B-A17B.json", "/text_config/linear_num_value_heads"},
            {"deepseek-ai--DeepSeek-V3.2.json", "/index_topk"}, {"deepseek-ai--DeepSeek-V4-Flash.json", "/index_topk"},
            {"deepseek-ai--DeepSeek-V4-Pro.json", "/index_topk"},
            {"google--gemma-4-26B-A4B.json", "/text_config/num_global_key_value_heads"},
            {"moonshotai--Kimi-K3.json", "/text_config/linear_attn_config"},
            {"nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8.json", "/hybrid_override_pattern"},
            {"nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16.json", "/mamba_num_heads"},
            {"nvidia--Nemotron-H-56B-Base-8K.json", "/hybrid_override_pattern"},
            {"stepfun-ai--Step-3.7-Flash.json", "/model_type"}, {"zai-org--GLM-5.json", "/index_topk"}};
    // Files without a row of computed counts: published totals instead.
    const std::map<std::string, double> published
        = {{"XiaomiMiMo--MiMo-V2-Flash.json", 309.0}, {"nvidia--Llama-3_3-Nemotron-Super-49B-v1.json", 49.9}};

    int imports = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".json")
            continue;
        const std::string text = text_of(entry.path());
        const Expected<Transformer> m = import_hf_config(text, name);
        if (!m) {
            std::printf("%-60s %s\n", name.c_str(), m.error().text().substr(0, 150).c_str());
            EXPECT_FALSE(m.error().place.pointer.empty()) << name;
            EXPECT_EQ(m.error().place.file, name);
            // Dimension sets that were re-keyed from elsewhere do not name their architecture: nothing to go by.
            const bool derived = text.find("\"_derived_from\"") != std::string::npos;
            if (derived) {
                EXPECT_EQ(m.error().place.pointer, "/model_type") << name;
            } else if (refused.contains(name)) {
                EXPECT_EQ(m.error().place.pointer, refused.at(name)) << name << ": " << m.error().text();
            } else {
                ADD_FAILURE() << name << " should have been imported: " << m.error().text();
            }
            continue;
        }
        ++imports;
        EXPECT_FALSE(refused.contains(name)) << name;
        const ParameterCount n = count_parameters(*m);
        const auto row = rows.find(name);
        double total = row == rows.end() ? 0.0 : row->second.total;
        if (published.contains(name))
            total = published.at(name);
        std::printf("%-60s %9.3f B total (%9.3f), %9.3f B active, %d layers of %zu kinds\n", name.c_str(),
            n.total / 1e9, total, n.active / 1e9, m->layer_count(), m->kinds.size());
        if (total > 0.0) {
            EXPECT_NEAR(n.total / 1e9, total, 0.01 * total) << name;
        }
        if (row != rows.end() && row->second.active > 0.0) {
            EXPECT_NEAR(n.active / 1e9, row->second.active, 0.01 * row->second.active) << name;
        }
        // MiMo's windowed layers have twice the KV heads of the global ones, and values narrower than keys: 2 bytes x (9 x 4 +
        // 39 x 8) heads x (192 + 128). The table multiplies one layer's heads and key width by all layers (147,456).
        if (name == "XiaomiMiMo--MiMo-V2-Flash.json") {
            EXPECT_DOUBLE_EQ(2.0 * kv_elements(*m, 1.0), 2.0 * (9 * 4 + 39 * 8) * (192 + 128));
        } else if (row != rows.end() && row->second.kv_bytes > 0.0) {
            EXPECT_NEAR(2.0 * kv_elements(*m, 1.0), row->second.kv_bytes, 0.005 * row->second.kv_bytes) << name;
        }
        const Expected<Transformer> back = transformer_from_json(to_spec_json(*m), {});
        ASSERT_TRUE(back) << name << ": " << back.error().text();
        EXPECT_TRUE(*back == *m) << name;
    }
    EXPECT_GE(imports, 25);
}

// The re-keyed dimension sets again, with the architecture that they leave out put back.
TEST(HfConfigs, ReKeyedFilesMatchOnceTheyNameTheirArchitecture)
{
    const std::filesystem::path folder = std::filesystem::path(RIDGEPOINT_SHARED_DIR) / "reference/hf_configs";
    if (!std::filesystem::exists(folder))
        GTEST_SKIP() << "the reference collection is not here: " << folder;
    const std::map<std::string, Row> rows = catalogue(folder / "models_catalogue.csv");
    const std::map<std::string, std::string> types = {{"CohereForAI--c4ai-command-r-v01.json", "cohere"},
        {"Qwen--Qwen2.5-0.5B.json", "qwen2"}, {"Qwen--Qwen2.5-14B.json", "qwen2"},
        {"allenai--OLMo-2-1124-7B.json", "olmo2"}, {"google--gemma-3-12b-it.json", "gemma3_text"},
        {"google--gemma-3-4b-it.json", "gemma3_text"}, {"meta-llama--Llama-2-13b-hf.json", "llama"},
        {"meta-llama--Llama-2-70b-hf.json", "llama"}, {"meta-llama--Llama-3.2-3B.json", "llama"},
        {"meta-llama--Meta-Llama-3-70B.json", "llama"}, {"meta-llama--Meta-Llama-3-8B.json", "llama"},
        {"microsoft--Phi-3-mini-4k-instruct.json", "phi3"}, {"microsoft--phi-2.json", "phi"},
        {"mistralai--Mistral-7B-v0.1.json", "mistral"}, {"mistralai--Mistral-Large-Instruct-2407.json", "mistral"},
        {"nvidia--Nemotron-4-340B.json", "nemotron"}, {"zai-org--GLM-4.5-Air.json", "glm4_moe"}};
    for (const auto& [name, type] : types) {
        const std::filesystem::path file = folder / name;
        if (!std::filesystem::exists(file) || !rows.contains(name))
            continue;
        nlohmann::json config = nlohmann::json::parse(text_of(file));
        config["model_type"] = type;
        if (config.contains("padded_vocab_size")) // the rows that are really there
            config["vocab_size"] = config["padded_vocab_size"];
        const Expected<Transformer> m = import_hf_config(config.dump(), name);
        ASSERT_TRUE(m) << m.error().text();
        const double total = count_parameters(*m).total / 1e9;
        EXPECT_NEAR(total, rows.at(name).total, 0.01 * rows.at(name).total) << name;
    }
}
