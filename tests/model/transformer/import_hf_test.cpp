// Import of Hugging Face configurations: facts of each architecture, the traps of real files, and what is refused.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/specs/store.h"
#include "model/transformer/import_hf.h"
#include "model/transformer/kv.h"
#include "model/transformer/read.h"

using namespace ridgepoint;
using nlohmann::json;

namespace {

Expected<Transformer> import(const json& config)
{
    return import_hf_config(config.dump(2), "org--Some-Model.json");
}

Transformer imported(const json& config)
{
    Expected<Transformer> m = import(config);
    EXPECT_TRUE(m) << (m ? "" : m.error().text());
    return m ? *m : Transformer{};
}

json patched(json config, const json& patch)
{
    config.merge_patch(patch);
    return config;
}

const json llama = {{"model_type", "llama"}, {"architectures", json::array({"LlamaForCausalLM"})},
    {"hidden_size", 4096}, {"intermediate_size", 14336}, {"num_hidden_layers", 32}, {"num_attention_heads", 32},
    {"num_key_value_heads", 8}, {"vocab_size", 128256}};
const json qwen2 = {{"model_type", "qwen2"}, {"hidden_size", 3584}, {"intermediate_size", 18944},
    {"num_hidden_layers", 28}, {"num_attention_heads", 28}, {"num_key_value_heads", 4}, {"vocab_size", 152064},
    {"max_window_layers", 20}, {"sliding_window", 131072}, {"use_sliding_window", false}};
const json deepseek = {{"model_type", "deepseek_v3"}, {"hidden_size", 7168}, {"intermediate_size", 18432},
    {"moe_intermediate_size", 2048}, {"num_hidden_layers", 61}, {"num_attention_heads", 128},
    {"num_key_value_heads", 128}, {"n_routed_experts", 256}, {"n_shared_experts", 1}, {"num_experts_per_tok", 8},
    {"first_k_dense_replace", 3}, {"moe_layer_freq", 1}, {"q_lora_rank", 1536}, {"kv_lora_rank", 512},
    {"qk_nope_head_dim", 128}, {"qk_rope_head_dim", 64}, {"v_head_dim", 128}, {"n_group", 8}, {"topk_group", 4},
    {"topk_method", "noaux_tc"}, {"num_nextn_predict_layers", 1}, {"vocab_size", 129280}};
const json gpt_oss = {{"model_type", "gpt_oss"}, {"hidden_size", 2880}, {"intermediate_size", 2880},
    {"num_hidden_layers", 4}, {"num_attention_heads", 64}, {"num_key_value_heads", 8}, {"head_dim", 64},
    {"num_local_experts", 32}, {"num_experts_per_tok", 4}, {"vocab_size", 201088}, {"sliding_window", 128},
    {"layer_types", {"sliding_attention", "full_attention", "sliding_attention", "full_attention"}}};

} // namespace

TEST(ImportHf, NamesTheModelAfterItsFile)
{
    EXPECT_EQ(imported(llama).id, "some-model");
    EXPECT_EQ(imported(llama).name, "Some-Model");
    EXPECT_EQ(import_hf_config(llama.dump(), "models/My_Llama 3/config.json")->id, "my_llama-3");
    EXPECT_EQ(import_hf_config(llama.dump(), "config.json")->id, "llama");
    EXPECT_EQ(import_hf_config(llama.dump(), "")->id, "llama");
}

TEST(ImportHf, CountsLlama)
{
    // Llama 3 8B: 32 layers of 4096 (2 x 4096 + 2 x 1024) + 3 x 4096 x 14336 + 2 x 4096, two tables, a last norm.
    const double layer = 4096.0 * (2.0 * 4096 + 2.0 * 1024) + 3.0 * 4096 * 14336 + 2.0 * 4096;
    EXPECT_DOUBLE_EQ(count_parameters(imported(llama)).total, 32.0 * layer + 2.0 * 128256 * 4096 + 4096);
    json many = llama;
    many["num_key_value_heads"] = nullptr; // as many as heads
    EXPECT_EQ(imported(many).layer(0).attention.kv_heads, 32);
}

TEST(ImportHf, WindowsOnlyWhereTheyAreInUse)
{
    EXPECT_EQ(imported(qwen2).layer(27).window, 0); // the key is there, but disabled
    const Transformer m = imported(patched(qwen2, {{"use_sliding_window", true}}));
    EXPECT_EQ(m.layer(19).window, 0);
    EXPECT_EQ(m.layer(20).window, 131072);
    json mistral = llama;
    mistral["model_type"] = "mistral";
    mistral["architectures"] = json::array({"MistralForCausalLM"});
    EXPECT_EQ(imported(mistral).layer(0).window, 4096); // absent: the default of the class
    mistral["sliding_window"] = nullptr; // null: no window (v0.3)
    EXPECT_EQ(imported(mistral).layer(0).window, 0);
    EXPECT_EQ(imported(gpt_oss).layer(0).window, 128);
    EXPECT_EQ(imported(gpt_oss).layer(1).window, 0);
}

TEST(ImportHf, GemmaDefaults)
{
    const json gemma3 = {{"model_type", "gemma3"}, {"architectures", json::array({"Gemma3ForConditionalGeneration"})},
        {"text_config",
            {{"model_type", "gemma3_text"}, {"hidden_size", 5376}, {"intermediate_size", 21504},
                {"num_hidden_layers", 62}, {"num_attention_heads", 32}, {"num_key_value_heads", 16}, {"head_dim", 128},
                {"sliding_window", 1024}}}};
    const Transformer m = imported(gemma3);
    EXPECT_TRUE(m.tied_embeddings);
    EXPECT_EQ(m.vocab, 262208);
    EXPECT_EQ(m.layer(4).window, 1024);
    EXPECT_EQ(m.layer(5).window, 0);
    EXPECT_NEAR(count_parameters(m).total, 27.01e9, 0.01e9);
    const json gemma2 = {{"model_type", "gemma2"}, {"hidden_size", 4608}, {"intermediate_size", 36864},
        {"num_hidden_layers", 46}, {"num_attention_heads", 32}, {"num_key_value_heads", 16}, {"head_dim", 128},
        {"vocab_size", 256000}, {"sliding_window", 4096}};
    const Transformer two = imported(gemma2); // no layer_types: even layers slide
    EXPECT_EQ(two.layer(0).window, 4096);
    EXPECT_EQ(two.layer(1).window, 0);
    EXPECT_EQ(two.norms_per_layer, 4);
    EXPECT_NEAR(count_parameters(two).total, 27.23e9, 0.01e9);
}

TEST(ImportHf, DeepSeek)
{
    const Transformer m = imported(deepseek);
    const ParameterCount n = count_parameters(m);
    EXPECT_NEAR(n.total, 671.03e9, 0.01e9);
    EXPECT_NEAR(n.active, 37.55e9, 0.01e9);
    EXPECT_EQ(m.mtp_depth, 1);
    EXPECT_NEAR(n.mtp, 11.6e9, 0.1e9); // 14e9 on disk, where the two tables are stored again
    EXPECT_EQ(m.moe.node_limit, 4);
    EXPECT_FALSE(m.layer(2).moe);
    EXPECT_TRUE(m.layer(3).moe);
    EXPECT_DOUBLE_EQ(kv_elements_per_token(m.layer(0).attention), 576.0); // not 128 heads
    EXPECT_EQ(imported(patched(json(deepseek), {{"topk_method", "greedy"}})).moe.node_limit, 0);
    json lite = deepseek;
    lite["q_lora_rank"] = nullptr; // V2-Lite: no latent for queries
    EXPECT_EQ(imported(lite).layer(0).attention.q_lora_rank, 0);
}

TEST(ImportHf, Llama4AlternatesAndChunks)
{
    const json maverick = {{"model_type", "llama4"}, {"architectures", json::array({"Llama4ForConditionalGeneration"})},
        {"tie_word_embeddings", false},
        {"text_config",
            {{"model_type", "llama4_text"}, {"hidden_size", 5120}, {"intermediate_size", 8192},
                {"intermediate_size_mlp", 16384}, {"num_hidden_layers", 48}, {"num_attention_heads", 40},
                {"num_key_value_heads", 8}, {"head_dim", 128}, {"num_local_experts", 128}, {"num_experts_per_tok", 1},
                {"interleave_moe_layer_step", 2}, {"attention_chunk_size", 8192}, {"vocab_size", 202048}}}};
    const Transformer m = imported(maverick);
    EXPECT_NEAR(count_parameters(m).total, 400.71e9, 0.01e9);
    EXPECT_NEAR(count_parameters(m).active, 17.185e9, 0.01e9);
    EXPECT_FALSE(m.layer(0).moe);
    EXPECT_TRUE(m.layer(1).moe);
    EXPECT_EQ(m.layer(2).window, 8192);
    EXPECT_EQ(m.layer(3).window, 0);
}

TEST(ImportHf, FamiliesWithNamesOfTheirOwn)
{
    // MPT-7B without biases: 32 layers of 4 h^2 + 8 h^2 + 2 h, one table, a last norm
    const json mpt = {{"model_type", "mpt"}, {"architectures", json::array({"MPTForCausalLM"})}, {"d_model", 4096},
        {"n_heads", 32}, {"n_layers", 32}, {"expansion_ratio", 4}, {"max_seq_len", 2048}, {"vocab_size", 50432},
        {"no_bias", true}, {"learned_pos_emb", true},
        {"attn_config", {{"alibi", true}, {"attn_type", "multihead_attention"}}}};
    EXPECT_DOUBLE_EQ(
        count_parameters(imported(mpt)).total, 32.0 * (12.0 * 4096 * 4096 + 2.0 * 4096) + 50432.0 * 4096 + 4096);
    // GPT-2 small, 124,439,808 parameters as counted from its weights
    const json gpt2 = {{"model_type", "gpt2"}, {"n_embd", 768}, {"n_layer", 12}, {"n_head", 12}, {"n_positions", 1024},
        {"vocab_size", 50257}, {"n_inner", nullptr}};
    EXPECT_DOUBLE_EQ(count_parameters(imported(gpt2)).total, 124439808.0);
    const json falcon = {{"model_type", "falcon"}, {"hidden_size", 4544}, {"num_hidden_layers", 32},
        {"num_attention_heads", 71}, {"num_kv_heads", 71}, {"vocab_size", 65024}, {"multi_query", true},
        {"parallel_attn", true}, {"new_decoder_architecture", false}};
    EXPECT_EQ(imported(falcon).layer(0).attention.kv_heads, 1); // multi-query, whatever num_kv_heads says
    EXPECT_EQ(imported(falcon).norms_per_layer, 1);
    EXPECT_NEAR(count_parameters(imported(falcon)).total, 6.922e9, 0.001e9);
}

TEST(ImportHf, PrunedLlamaHasLayersOfItsOwn)
{
    json nas = {{"model_type", "nemotron-nas"}, {"hidden_size", 8192}, {"num_hidden_layers", 3},
        {"num_attention_heads", 64}, {"vocab_size", 128256}, {"block_configs", json::array()}};
    const auto block = [](const json& attention, const json& ffn) {
        return json{{"attention", attention}, {"ffn", ffn}};
    };
    nas["block_configs"].push_back(
        block({{"n_heads_in_group", 8}, {"no_op", false}}, {{"ffn_mult", 5.25}, {"no_op", false}}));
    nas["block_configs"].push_back(
        block({{"n_heads_in_group", nullptr}, {"no_op", true}}, {{"ffn_mult", 1.3125}, {"no_op", false}}));
    nas["block_configs"].push_back(
        block({{"n_heads_in_group", 16}, {"no_op", false}}, {{"ffn_mult", nullptr}, {"no_op", true}}));
    const Transformer m = imported(nas);
    EXPECT_EQ(m.layer(0).ffn_width, 28672); // Llama 3 70B's own
    EXPECT_EQ(m.layer(0).attention.kv_heads, 8);
    EXPECT_TRUE(m.layer(1).attention_free);
    EXPECT_EQ(m.layer(1).ffn_width, 7168);
    EXPECT_EQ(m.layer(2).attention.kv_heads, 4);
    EXPECT_EQ(m.layer(2).ffn_width, 0);
    nas["block_configs"][1]["attention"]["replace_with_linear"] = true;
    ASSERT_FALSE(import(nas));
    EXPECT_EQ(import(nas).error().place.pointer, "/block_configs/1/attention");
}

TEST(ImportHf, AcceptsWhatPythonWrites)
{
    std::string text = llama.dump(2);
    text.insert(text.rfind('}'), ", \"limits\": [0.0, Infinity, -Infinity, NaN], \"quote\": \"a \\\"NaN\"");
    const Expected<Transformer> m = import_hf_config(text, "x.json");
    ASSERT_TRUE(m) << m.error().text();
}

TEST(ImportHf, SpecOfAnImportedModelIsTheSameModel)
{
    Expected<SpecStore> specs = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    ASSERT_TRUE(specs) << specs.error().text();
    for (const json* config : {&llama, &qwen2, &deepseek, &gpt_oss}) {
        const Transformer m = imported(*config);
        const Expected<Transformer> back = transformer_from_json(to_spec_json(m), {});
        ASSERT_TRUE(back) << back.error().text();
        EXPECT_TRUE(*back == m) << (*config)["model_type"];
        const Status added
            = specs->add(SpecKind::model, to_spec_json(m).dump(2), "imported.json", "user"); // checks the schema
        ASSERT_TRUE(added) << added.error().text();
        EXPECT_TRUE(*read_transformer(*specs, m.id) == m) << (*config)["model_type"];
    }
}

struct Refused
{
    const char* name;
    const json& config;
    const char* patch; // RFC 7396; null removes
    const char* pointer;
};
class ImportRefuses : public testing::TestWithParam<Refused>
{
};

TEST_P(ImportRefuses, WithTheFieldsPlace)
{
    const Expected<Transformer> m = import(patched(GetParam().config, json::parse(GetParam().patch)));
    ASSERT_FALSE(m);
    EXPECT_EQ(m.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(m.error().place.pointer, GetParam().pointer) << m.error().text();
    EXPECT_EQ(m.error().place.file, "org--Some-Model.json");
    EXPECT_GT(m.error().place.line, 0);
    EXPECT_FALSE(m.error().message.empty());
}

INSTANTIATE_TEST_SUITE_P(All, ImportRefuses,
    testing::Values(Refused{"nameless", llama, R"({"model_type": null, "architectures": null})", "/model_type"},
        Refused{"unknown", llama, R"({"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"]})", "/model_type"},
        Refused{"contradiction", llama, R"({"architectures": ["MixtralForCausalLM"]})", "/architectures/0"},
        Refused{"indexer", deepseek, R"({"index_topk": 2048})", "/index_topk"},
        Refused{"statespace", llama, R"({"ssm_state_size": 128})", "/ssm_state_size"},
        Refused{"encoder", llama, R"({"is_encoder_decoder": true})", "/is_encoder_decoder"},
        Refused{"linear", gpt_oss,
            R"({"layer_types": ["sliding_attention", "full_attention", "linear_attention", "full_attention"]})",
            "/layer_types/2"},
        Refused{"types", gpt_oss, R"({"num_hidden_layers": 5})", "/layer_types"},
        Refused{"missing", llama, R"({"hidden_size": null})", "/hidden_size"},
        Refused{"negative", llama, R"({"hidden_size": -4096})", "/hidden_size"},
        Refused{"zero", llama, R"({"num_attention_heads": 0})", "/num_attention_heads"},
        Refused{"fraction", llama, R"({"vocab_size": 1.5})", "/vocab_size"},
        Refused{"text", llama, R"({"vocab_size": "many"})", "/vocab_size"},
        Refused{"wraps", llama, R"({"vocab_size": 18446744073709551615})", "/vocab_size"},
        Refused{"endless", llama, R"({"num_hidden_layers": 100000000})", "/num_hidden_layers"},
        Refused{"kvheads", llama, R"({"num_key_value_heads": 5})", "/num_key_value_heads"},
        Refused{"heads", llama, R"({"num_attention_heads": 30, "num_key_value_heads": 30})", "/num_attention_heads"},
        Refused{"flag", llama, R"({"tie_word_embeddings": "no"})", "/tie_word_embeddings"},
        Refused{"topk", deepseek, R"({"num_experts_per_tok": 300})", "/num_experts_per_tok"},
        Refused{"noexperts", deepseek, R"({"n_routed_experts": "all"})", "/n_routed_experts"},
        Refused{"nolatent", deepseek, R"({"q_lora_rank": null})", "/q_lora_rank"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(ImportHf, HostileTextIsRefused)
{
    for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("null"),
             std::string("\"llama\""), std::string(10000, '['), std::string("{\"model_type\": [\"llama\"]}"),
             std::string("{\"text_config\": 7}"), std::string("{\"architectures\": {\"0\": \"LlamaForCausalLM\"}}"),
             std::string("{\"a\\"), std::string((std::size_t{4} << 20) + 1, ' '),
             std::string("{\"model_type\": \"llama\", \"model_type\": \"llama\"}")})
        EXPECT_FALSE(import_hf_config(text, "x.json")) << text.substr(0, 60);
}
