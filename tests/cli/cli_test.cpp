#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "model/specs/json_document.h"
#include "model/specs/schema.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Cli : public testing::Test {
protected:
    struct Result {
        int status = -1;
        std::string out, err;
    };

    Cli()
    {
        std::string pattern = (fs::temp_directory_path() / "ridgepoint cli XXXXXX").string(); // with blanks, as on a desktop
        m_folder = mkdtemp(pattern.data());
    }
    ~Cli() override
    {
        std::error_code ec;
        fs::remove_all(m_folder, ec);
    }

    static std::string quoted(const std::string& text)
    {
        std::string out = "'";
        for (const char c : text)
            out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        return out + "'";
    }

    Result run(const std::vector<std::string>& arguments, const std::string& setup = {})
    {
        const std::string err = (m_folder / "stderr").string();
        std::string command = "cd " + quoted(m_folder.string()) + " && " + setup + " RIDGEPOINT_SPECS=" + quoted(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs")
            + " XDG_CONFIG_HOME=" + quoted((m_folder / "config").string()) + " " + quoted(RIDGEPOINT_CLI);
        for (const std::string& a : arguments)
            command += " " + quoted(a);
        command += " 2>" + quoted(err);
        Result r;
        std::FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr)
            return r;
        std::array<char, 4096> buffer;
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
            r.out.append(buffer.data(), n);
        const int raw = pclose(pipe);
        r.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + raw; // a signal is never an exit status
        r.err = read(err);
        return r;
    }

    static std::string read(const fs::path& file)
    {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    std::string write(const std::string& name, const std::string& text)
    {
        std::ofstream(m_folder / name, std::ios::binary) << text;
        return (m_folder / name).string();
    }

    static std::vector<std::string> examples()
    {
        std::vector<std::string> out;
        for (const auto& entry : fs::directory_iterator(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/examples"))
            if (entry.path().extension() == ".ridgepoint")
                out.push_back(entry.path().string());
        std::sort(out.begin(), out.end());
        return out;
    }
    static std::string example(const std::string& name) { return std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/examples/" + name + ".ridgepoint"; }

    // Parses the output and holds it against the schema that documents it.
    static json checked(const std::string& text, const std::string& schema_name)
    {
        Expected<JsonDocument> document = parse_json(text, schema_name);
        EXPECT_TRUE(document) << document.error().text() << "\n" << text.substr(0, 500);
        if (!document)
            return {};
        Expected<JsonDocument> schema_text = load_json(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/schema/" + schema_name + ".schema.json");
        EXPECT_TRUE(schema_text);
        Expected<Schema> schema = Schema::compile(std::move(*schema_text));
        EXPECT_TRUE(schema) << schema.error().text();
        if (schema)
            if (const auto violation = schema->check(*document))
                ADD_FAILURE() << violation->text();
        return document->root();
    }

    fs::path m_folder;
};

TEST_F(Cli, SearchFindsMergesAndExplains)
{
    const std::string plan = example("llama-3.1-70b-sft-p5");
    const std::vector<std::string> axes = {"--axis", "tp=1,8", "--axis", "pp=1,2", "--axis", "vpp=1", "--axis", "micro_batch=1,2", "--axis", "cp=1", "--quiet"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = {"search", plan};
        all.insert(all.end(), axes.begin(), axes.end());
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    };
    const Result whole = with({"--json"});
    EXPECT_EQ(whole.status, 0) << whole.err;
    json r = checked(whole.out, "search-output");
    ASSERT_FALSE(r["best"].empty());
    EXPECT_EQ(r["points"].get<long long>() > 0, true);

    // Two shards, merged, are the whole.
    const std::string a = (m_folder / "a.json").string(), b = (m_folder / "b.json").string();
    EXPECT_EQ(with({"--shard", "0/2", "--shard-out", a}).status, 0);
    EXPECT_EQ(with({"--shard", "1/2", "--shard-out", b}).status, 0);
    const Result merged = with({"--merge", a, b, "--json"});
    EXPECT_EQ(merged.status, 0) << merged.err;
    json m = checked(merged.out, "search-output");
    EXPECT_EQ(m["best"], r["best"]);
    EXPECT_EQ(m["pareto"], r["pareto"]);
    EXPECT_EQ(m["rejected"], r["rejected"]);
    EXPECT_EQ(with({"--merge", a}).status, 2); // a shard is missing
    EXPECT_EQ(with({"--merge", a, a}).status, 2);
    EXPECT_EQ(with({"--shard", "2/2"}).status, 2);
    EXPECT_EQ(run({"search", plan, "--axis", "colour=red"}).status, 2);

    // The best plan is a plan.
    const std::string best = (m_folder / "best.ridgepoint").string();
    EXPECT_EQ(with({"--save", best, "--csv", (m_folder / "best.csv").string()}).status, 0);
    const json p = checked(run({"plan", best, "--json"}).out, "plan-output");
    EXPECT_DOUBLE_EQ(p["training"]["step_time_s"].get<double>(), r["best"][0]["time_s"].get<double>());
    EXPECT_NE(run({"search", plan, "--list-axes"}).out.find("recompute"), std::string::npos);
    EXPECT_EQ(run({"search", plan, "--neighbours", "--quiet"}).status, 0);
    EXPECT_EQ(with({"--max-days", "0.000001"}).status, 1); // nothing keeps the limit
}

TEST_F(Cli, SweepDrawsCurvesAndMaps)
{
    const std::string plan = example("llama-3.1-70b-sft-p5");
    const json curve = checked(run({"sweep", plan, "--x", "hardware/network=0.25:4", "--count", "5", "--json"}).out, "sweep-output");
    EXPECT_EQ(curve["points"].size(), 5U);
    const json map = checked(run({"sweep", plan, "--x", "hardware/network", "--y", "hardware/compute", "--count", "9", "--json"}).out, "sweep-output");
    EXPECT_EQ(map["cells"].size(), 9U);
    EXPECT_EQ(run({"sweep", plan}).status, 2);
    EXPECT_EQ(run({"sweep", plan, "--x", "hardware/network=x"}).status, 2);
    EXPECT_EQ(run({"sweep", plan, "--x", "hardware/network=0.001"}).status, 2);
    EXPECT_EQ(run({"sweep", plan, "--x", "/model"}).status, 2);
    EXPECT_NE(run({"sweep", plan, "--list"}).out.find("hardware/hbm"), std::string::npos);
}

TEST_F(Cli, SensitivityAndCompareAnswer)
{
    const std::string a = example("llama-3.1-70b-sft-p5"), b = example("llama-3.1-405b-pretrain-p5en");
    checked(run({"sensitivity", a, "--json"}).out, "sensitivity-output");
    const Result r = run({"compare", a, b, "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const json c = checked(r.out, "compare-output");
    double sum = 0;
    for (const json& part : c["parts"])
        sum += part["gain_s"].get<double>();
    EXPECT_NEAR(sum, c["gain_s"].get<double>(), 1e-9 * c["b_time_s"].get<double>());
    EXPECT_EQ(run({"compare", a, example("llama-3.1-8b-serving-p5.4xlarge")}).status, 2);
}

TEST_F(Cli, EveryExampleIsFeasibleAndDocumented)
{
    const auto all = examples();
    EXPECT_GE(all.size(), 8u);
    for (const std::string& file : all) {
        const Result r = run({"plan", file, "--json", "--explain"});
        EXPECT_EQ(r.status, 0) << file << r.err;
        const json j = checked(r.out, "plan-output");
        if (j.is_null())
            continue;
        EXPECT_TRUE(j["feasible"].get<bool>()) << file;
        double shares = 0;
        for (const auto& s : j["time"]["regime_shares"])
            shares += s.get<double>();
        EXPECT_NEAR(shares, 1.0, 1e-9) << file;
        double parts = 0;
        for (const auto& p : j["breakdown"])
            parts += p["seconds"].get<double>();
        EXPECT_NEAR(parts, j["time"]["seconds"].get<double>(), 1e-9 * parts) << file;
        EXPECT_NE(j["cost"]["price"], nullptr) << file << j["cost"]["missing"];
        EXPECT_GT(j["derivation"]["inputs"].size(), 1u);
    }
}

TEST_F(Cli, PlanPrintsTheTableForPeople)
{
    const Result r = run({"plan", example("llama-3.1-405b-pretrain-p5en")});
    EXPECT_EQ(r.status, 0) << r.err;
    for (const char* word : {"Step time", "MFU", "tokens/s", "Pipeline bubble", "GPU memory", "stage 0", "not a quote", "bound by", "16,384 GPUs"})
        EXPECT_THAT(r.out, HasSubstr(word));
    EXPECT_EQ(r.err, "");
    const Result explained = run({"plan", example("llama-3.1-405b-pretrain-p5en"), "--explain"});
    EXPECT_THAT(explained.out, HasSubstr("six_n_causal_attention"));
    EXPECT_THAT(explained.out, HasSubstr("Pipeline bubble ="));
    EXPECT_GT(explained.out.size(), r.out.size());
}

TEST_F(Cli, LoadTellsLatencyLimitsAndSaturation)
{
    const std::string plan = example("llama-3.1-8b-chat-fleet-p5");
    const Result people = run({"load", plan, "--set", "/load/requests=500"});
    EXPECT_EQ(people.status, 0) << people.err;
    for (const char* word : {"Largest rate", "Within limits", "TTFT", "TPOT", "End to end", "goodput", "8 of 1 GPU"})
        EXPECT_THAT(people.out, HasSubstr(word));
    const json j = checked(run({"load", plan, "--json", "--set", "/load/requests=500"}).out, "load-output");
    EXPECT_LE(j["offered"]["ttft"]["p50_s"], j["offered"]["ttft"]["p99_s"]);
    EXPECT_LE(j["at_limits"]["tpot"]["at_limit_share_s"], 0.025);
    const Result beyond = run({"load", plan, "--json", "--set", "/load/requests=500", "--set", "/load/rate=100000"});
    EXPECT_EQ(beyond.status, 1);
    const json saturated = checked(beyond.out, "load-output");
    EXPECT_TRUE(saturated["saturated"].get<bool>());
    EXPECT_EQ(saturated["offered"], nullptr);
    EXPECT_DOUBLE_EQ(saturated["largest_requests_per_second"].get<double>(), j["largest_requests_per_second"].get<double>());
    const Result csv = run({"load", plan, "--csv", "-", "--set", "/load/requests=500"});
    EXPECT_THAT(csv.out, HasSubstr("requests_per_second,utilization,ttft_mean_s"));
}

TEST_F(Cli, LoadReadsLengthsBesideThePlan)
{
    write("lengths.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n0,100,10\n1,300,30\n");
    const std::string plan = write("p.ridgepoint", R"({"ridgepoint": 1, "model": "llama-3.1-8b", "workload": {"kind": "serving"},
        "load": {"lengths": "file", "lengths_file": "lengths.csv", "requests": 500}})");
    const json j = checked(run({"load", plan, "--json"}).out, "load-output");
    EXPECT_NEAR(j["mean_input_tokens"].get<double>(), 200.0, 1.0);
    EXPECT_NEAR(j["mean_output_tokens"].get<double>(), 20.0, 0.1);
    write("lengths.csv", "ContextTokens,GeneratedTokens\n100,ten\n");
    const Result wrong = run({"load", plan});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("lengths.csv:2"));
    const Result training = run({"load", example("llama-3.1-405b-pretrain-p5en")});
    EXPECT_EQ(training.status, 2);
    EXPECT_THAT(training.err, HasSubstr("only a serving plan"));
}

TEST_F(Cli, FleetCountsInstancesMoneyAndEnergy)
{
    const std::string plan = example("llama-3.1-8b-chat-fleet-p5");
    const Result people = run({"fleet", plan, "--set", "/load/requests=500"});
    EXPECT_EQ(people.status, 0) << people.err;
    for (const char* word : {"First month", "Break-even", "kWh", "per million tokens", "per user", "not a quote"})
        EXPECT_THAT(people.out, HasSubstr(word));
    const json j = checked(run({"fleet", plan, "--json", "--set", "/load/requests=500"}).out, "fleet-output");
    double input = 0, output = 0;
    for (const json& m : j["months"]) {
        input += m["input_tokens"].get<double>() / 1e6;
        output += m["output_tokens"].get<double>() / 1e6;
    }
    const double bill = input * j["usd_per_million_input_tokens"].get<double>() + output * j["usd_per_million_output_tokens"].get<double>();
    EXPECT_NEAR(bill / j["cost_usd"].get<double>(), 1.0, 1e-9);
    EXPECT_EQ(j["day"].size(), 24u);
    const Result hopeless = run({"fleet", plan, "--json", "--set", "/load/requests=500", "--set", "/load/tpot_limit_ms=0.1"});
    EXPECT_EQ(hopeless.status, 1);
    EXPECT_THAT(hopeless.err, HasSubstr("no number of instances helps"));
}

TEST_F(Cli, RlDividesTheGpus)
{
    const std::string plan = example("qwen3-32b-grpo-p5en");
    const Result people = run({"rl", plan});
    EXPECT_EQ(people.status, 0) << people.err << people.out;
    for (const char* word : {"Iteration", "bound by", "rollout", "update", "the best division", "Until the last answer"})
        EXPECT_THAT(people.out, HasSubstr(word));
    const json best = checked(run({"rl", plan, "--json"}).out, "rl-output");
    for (const json& d : best["divisions"])
        EXPECT_GE(d["seconds"], best["iteration"]["seconds"]);
    const json turns = checked(run({"rl", plan, "--json", "--set", "/post_training/placement=colocated"}).out, "rl-output");
    EXPECT_TRUE(turns["divisions"].empty());
    const json dpo = checked(run({"rl", plan, "--json", "--set", "/post_training/algorithm=dpo"}).out, "rl-output");
    EXPECT_EQ(dpo["iteration"]["rollout_gpus"], 0);
    const Result wrong = run({"rl", plan, "--set", "/post_training/rollout_gpus=3"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.err, HasSubstr("/post_training/rollout_gpus"));
    const Result serving = run({"rl", example("llama-3.1-8b-chat-fleet-p5")});
    EXPECT_EQ(serving.status, 2);
}

TEST_F(Cli, RunSaysWhenItEndsAndWhatItCosts)
{
    const std::string plan = example("llama-3.1-405b-pretrain-p5en");
    const Result people = run({"run", plan, "--set", "/run/samples=200", "--today", "2026-11-30", "--set", "/run/start=2027-01-01", "--curve"});
    EXPECT_EQ(people.status, 0) << people.err;
    for (const char* word : {"Time to train", "Goodput", "Bound by", "Interval", "work done again", "Storage", "Per EFLOP", "Carbon", "Chinchilla", "2027-", "waste", "not a quote"})
        EXPECT_THAT(people.out, HasSubstr(word));
    const json j = checked(run({"run", plan, "--json", "--set", "/run/samples=200", "--today", "2026-11-30"}).out, "run-output");
    double parts = 0, shares = 0, lines = 0;
    for (const json& p : j["parts"])
        parts += p["seconds"].get<double>();
    for (const json& share : j["resource_shares"])
        shares += share.get<double>();
    for (const json& line : j["cost"]["expected"]["lines"])
        lines += line["usd"].get<double>();
    EXPECT_NEAR(parts / j["wall_s"].get<double>(), 1.0, 1e-9);
    EXPECT_NEAR(shares, 1.0, 1e-9);
    EXPECT_NEAR(lines / j["cost"]["expected"]["usd"].get<double>(), 1.0, 1e-9);
    EXPECT_LE(j["time_to_train"]["p50_s"], j["time_to_train"]["p90_s"]);
    EXPECT_TRUE(j["cost"]["price"]["stale"].get<bool>()) << "a price of July at the end of November";
    const Result wrong = run({"run", plan, "--today", "30.11.2026"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--today"));
    EXPECT_EQ(run({"run", plan, "--set", "/run/mtbf_hours=0.1"}).status, 1);
    EXPECT_EQ(run({"run", example("llama-3.1-8b-chat-fleet-p5")}).status, 2);
}

TEST_F(Cli, CapacityAnswersItsQuestions)
{
    const std::string plan = example("llama-3.1-405b-pretrain-p5en");
    const std::vector<std::string> quick = {"--set", "/run/samples=200", "--set", "/workload/tokens=1e12", "--today", "2026-11-30", "--search-seconds", "20"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), quick.begin(), quick.end());
        return run(arguments);
    };
    const json finish = checked(with({"capacity", plan, "--json", "--finish-by", "2027-06-30", "--budget", "1e9", "--instance", "p5en.48xlarge", "--nodes", "128,512"}).out, "capacity-output");
    ASSERT_EQ(finish["alternatives"].size(), 2u);
    EXPECT_EQ(finish["question"], "finish");
    const json machines = checked(with({"capacity", plan, "--json", "--days", "30", "--instance", "p5en.48xlarge", "--nodes", "256"}).out, "capacity-output");
    EXPECT_GT(machines["models"][0]["tokens_p50"], machines["models"][0]["tokens_p90"]);
    const Result late = with({"capacity", plan, "--finish-by", "2026-12-02", "--instance", "p5en.48xlarge", "--nodes", "128"});
    EXPECT_EQ(late.status, 1) << late.out;
    EXPECT_THAT(late.out, HasSubstr("no: deadline"));
    EXPECT_EQ(run({"capacity", plan}).status, 2);
    EXPECT_EQ(run({"capacity", plan, "--days", "3", "--serve"}).status, 2);
    EXPECT_EQ(run({"capacity", plan, "--finish-by", "soon"}).status, 2);
    EXPECT_EQ(with({"capacity", plan, "--finish-by", "2027-06-30", "--instance", "p9"}).status, 2);
    const json serve = checked(run({"capacity", example("llama-3.1-8b-chat-fleet-p5"), "--serve", "--json", "--set", "/load/requests=300", "--instance", "p5.4xlarge"}).out, "capacity-output");
    EXPECT_EQ(serve["alternatives"][0]["instances_by_hour"].size(), 24u);
}

TEST_F(Cli, SetChangesThePlanInOrder)
{
    const std::string plan = example("llama-3.1-8b-serving-p5.4xlarge");
    const json base = checked(run({"plan", plan, "--json"}).out, "plan-output");
    const json edited = checked(run({"plan", plan, "--json", "--set", "/workload/concurrency=8", "--set", "/workload/concurrency=16"}).out, "plan-output");
    EXPECT_EQ(edited["plan"]["workload"]["concurrency"], 16);
    EXPECT_LT(edited["serving"]["tpot_s"], base["serving"]["tpot_s"]) << "fewer sequences, faster steps";
}

TEST_F(Cli, WhatDoesNotFitEndsWithOne)
{
    const std::string plan = write("big.ridgepoint", R"({"ridgepoint": 1, "model": "llama-3.1-70b", "cluster": {"instance": "p5.48xlarge"}, "layout": {"tp": 8}, "workload": {"kind": "pretraining"}})");
    const Result r = run({"plan", plan});
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_THAT(r.out, HasSubstr("Does not fit"));
    const json j = checked(run({"plan", plan, "--json"}).out, "plan-output");
    EXPECT_FALSE(j["feasible"].get<bool>());
    EXPECT_LT(j["memory"]["headroom_bytes"], 0);
}

TEST_F(Cli, WhatCannotRunEndsWithOneAndSaysWhy)
{
    const std::string plan = write("odd.ridgepoint", "{\"ridgepoint\": 1,\n \"model\": \"llama-3.1-8b\",\n \"layout\": {\n  \"tp\": 3}}");
    const Result r = run({"plan", plan, "--json"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("odd.ridgepoint"));
    const json j = json::parse(r.out);
    EXPECT_EQ(j["error"]["kind"], "infeasible");
    EXPECT_NE(j["error"]["hint"], "");
}

TEST_F(Cli, WrongInputEndsWithTwoAndALocatedMessage)
{
    const struct {
        std::vector<std::string> arguments;
        const char* says;
    } cases[] = {
        {{}, "subcommand"},
        {{"plam"}, "plam"},
        {{"plan"}, "PLAN"},
        {{"plan", "none.ridgepoint"}, "none.ridgepoint"},
        {{"plan", write("a.ridgepoint", "{\"ridgepoint\": 1,\n \"layout\": {\"tp\": \"8\"}}")}, "a.ridgepoint:2 at /layout/tp"},
        {{"plan", write("b.ridgepoint", "{\"ridgepoint\": 1,\n\n \"model\": \"lama\"}")}, "b.ridgepoint:3 at /model"},
        {{"plan", write("c.ridgepoint", "{\"ridgepoint\": 1,\n \"precision\": {\"recipe\":\n \"int8\"}}")}, "/precision/recipe"},
        {{"plan", write("d.ridgepoint", "\x1f\x8b garbage")}, "d.ridgepoint"},
        {{"plan", write("e.ridgepoint", "")}, "e.ridgepoint"},
        {{"plan", m_folder.string()}, "regular file"},
        {{"plan", example("llama-3.1-8b-serving-p5.4xlarge"), "--set", "layout/tp=2"}, "/layout/tp=4"},
        {{"plan", example("llama-3.1-8b-serving-p5.4xlarge"), "--set", "/layout/tp=two"}, "--set at /layout/tp"},
        {{"plan", example("llama-3.1-8b-serving-p5.4xlarge"), "--set", "/layout/ttp=2"}, "/layout/"},
        {{"plan", example("llama-3.1-8b-serving-p5.4xlarge"), "--specs", "nowhere"}, "nowhere"},
        {{"plan", example("llama-3.1-8b-serving-p5.4xlarge"), "--unknown"}, "--unknown"},
        {{"specs", "show", "h100-smx"}, "h100-sxm"},
        {{"specs", "list", "gpus"}, "accelerators"},
        {{"report", example("llama-3.1-8b-serving-p5.4xlarge"), "--format", "pdf"}, "html"},
        {{"report", example("llama-3.1-8b-serving-p5.4xlarge"), "-o", "no/such/folder.html"}, "no/such/folder.html"},
        {{"validate", "none.csv"}, "none.csv"},
        {{"validate", m_folder.string()}, "no measurements"},
        {{"validate", "none.csv", "--record"}, "--page"},
        {{"help", "nothing"}, "accuracy"},
        {{"validate", write("x.csv", "a,b\n1,2\n")}, "x.csv"},
        {{"fit"}, "--measurements"},
        {{"fit", "--measurements", "nowhere"}, "nowhere"},
        {{"fit", "--measurements", "."}, "CSV files with the columns of one of"},
        {{"fit", "--measurements", ".", "--only", "h1000"}, "h1000"},
        {{"fit", "--measurements", ".", "--out", "no/such/folder"}, "no/such/folder"},
        {{"trace", "none.json"}, "none.json"},
        {{"trace", write("t.json", "{\"traceEvents\": 3}")}, "t.json"},
        {{"import", "none.json"}, "none.json"},
        {{"import", write("config.json", "{\"architectures\": [\"WhisperForConditionalGeneration\"]}")}, "Whisper"},
    };
    for (const auto& c : cases) {
        const Result r = run(c.arguments);
        std::string line;
        for (const auto& a : c.arguments)
            line += a + " ";
        EXPECT_EQ(r.status, 2) << line << r.out << r.err;
        EXPECT_THAT(r.err, HasSubstr(c.says)) << line;
    }
}

TEST_F(Cli, HelpAndVersionEndWithZero)
{
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"}, {"--version"}, {"plan", "--help"}, {"specs", "--help"}, {"fields"}, {"help"}, {"help", "accuracy"}, {"help", "plan"}}) {
        const Result r = run(arguments);
        EXPECT_EQ(r.status, 0);
        EXPECT_NE(r.out, "");
    }
}

TEST_F(Cli, RooflineGivesTableCsvAndJson)
{
    const std::string plan = example("deepseek-v3-decode-p6-b300");
    const Result table = run({"roofline", plan});
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("ridge"));
    const json j = checked(run({"roofline", plan, "--json"}).out, "roofline-output");
    EXPECT_GT(j["operators"].size(), 10u);
    const Result csv = run({"roofline", plan, "--csv", "-"});
    EXPECT_EQ(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')), j["operators"].size() + 1);
    for (const json& op : j["operators"]) {
        const double intensity = op["intensity_flop_per_byte"].get<double>(), bytes = op["hbm_bytes"].get<double>();
        if (bytes > 0) {
            EXPECT_NEAR(intensity, op["flop"].get<double>() / bytes, 1e-9 * (1 + intensity));
        }
    }
}

TEST_F(Cli, ReportsAreWholeAndRepeatable)
{
    const std::string plan = example("qwen3-235b-a22b-pretrain-p6-b200");
    for (const char* format : {"html", "md", "csv", "json"}) {
        const std::string file = std::string("r.") + format;
        const Result r = run({"report", plan, "-o", file});
        EXPECT_EQ(r.status, 0) << r.err;
        EXPECT_EQ(r.out, file + "\n");
        const Result again = run({"report", plan, "--format", format}, "LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo");
        EXPECT_EQ(read(m_folder / file), again.out) << format << ": same plan, same bytes";
        EXPECT_THAT(again.out, HasSubstr("Qwen3"));
        EXPECT_FALSE(fs::exists(m_folder / ("." + file + ".writing")));
    }
}

TEST_F(Cli, OutputOntoAPipeIsWrittenNotReplaced)
{
    const fs::path pipe = m_folder / "pipe"; // stands for /dev/null, which a failing test must not touch
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const Result r = run({"report", example("llama-3.1-8b-serving-p5.4xlarge"), "--format", "md", "-o", "pipe"}, "(timeout 60 cat pipe > got &) ;");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_TRUE(fs::is_fifo(pipe));
    for (int i = 0; i < 100 && read(m_folder / "got").find("not a quote") == std::string::npos; ++i)
        usleep(100'000);
    EXPECT_NE(read(m_folder / "got").find("not a quote"), std::string::npos);
    EXPECT_FALSE(fs::exists(m_folder / ".pipe.writing"));
}

TEST_F(Cli, OutputThroughALinkKeepsTheLink)
{
    write("real.md", "old");
    fs::create_symlink(m_folder / "real.md", m_folder / "link.md");
    EXPECT_EQ(run({"report", example("llama-3.1-8b-serving-p5.4xlarge"), "-o", "link.md"}).status, 0);
    EXPECT_TRUE(fs::is_symlink(m_folder / "link.md"));
    EXPECT_NE(read(m_folder / "real.md"), "old");
}

TEST_F(Cli, SpecsAreListedShownAndChecked)
{
    const json list = json::parse(run({"specs", "list", "--json"}).out);
    EXPECT_GT(list["specs"].size(), 100u);
    const Result shown = run({"specs", "show", "h200-sxm"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("/hbm/bandwidth"));
    EXPECT_THAT(shown.out, HasSubstr("not chosen"));
    const json values = json::parse(run({"specs", "show", "h200-sxm", "--json"}).out);
    EXPECT_FALSE(values["specs"][0]["values"].empty());
    const json constants = json::parse(run({"specs", "show", "h100", "--json"}).out)["specs"][0]["values"];
    const auto peak = std::find_if(constants.begin(), constants.end(), [](const json& v) { return v["pointer"] == "/software/tensorrt-llm/gemm/bf16/peak_fraction"; });
    ASSERT_NE(peak, constants.end());
    EXPECT_EQ((*peak)["law"], "/software/tensorrt-llm/gemm/bf16");
    EXPECT_GT((*peak)["fit"]["rows"], 100);
    EXPECT_THAT(run({"specs", "show", "h100"}).out, HasSubstr("gemm.csv: h100_sxm")); // the law's note, once
    EXPECT_EQ(run({"specs", "check"}).status, 0);
}

TEST_F(Cli, AnOverlayGoesBeforeTheInstalledSpecs)
{
    fs::create_directories(m_folder / "overlay" / "instances");
    json node = json::parse(read(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/instances/p5en.48xlarge.json"));
    node["id"] = "mine";
    std::ofstream(m_folder / "overlay" / "instances" / "mine.json") << node.dump();
    const std::string plan = example("llama-3.1-70b-prefill-p5en");
    EXPECT_EQ(run({"plan", plan, "--set", "/cluster/instance=mine"}).status, 2);
    EXPECT_EQ(run({"plan", plan, "--set", "/cluster/instance=mine", "--specs", "overlay"}).status, 0);
    EXPECT_EQ(run({"specs", "check", "overlay"}).status, 0);
    std::ofstream(m_folder / "overlay" / "instances" / "mine.json") << "{\n \"id\": \"mine\",\n \"nmae\": 3\n}";
    const Result broken = run({"specs", "check", "overlay"});
    EXPECT_EQ(broken.status, 2);
    EXPECT_THAT(broken.err, HasSubstr("mine.json"));
}

TEST_F(Cli, FieldsAndSchemaAgree)
{
    const json fields = json::parse(run({"fields", "--json"}).out);
    EXPECT_GT(fields["fields"].size(), 50u);
    EXPECT_EQ(run({"fields", "--schema"}).out, read(std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/schema/plan.schema.json"));
    const Result table = run({"fields"});
    for (const json& f : fields["fields"])
        EXPECT_THAT(table.out, HasSubstr(f["path"].get<std::string>()));
}

TEST_F(Cli, ATraceIsSummedUpAndCompared)
{
    // Two kernels of 10 and 20 us on one stream, 5 us apart, and a collective on another that hides half under the second.
    const std::string trace = write("t.json", R"({"schemaVersion": 1, "deviceProperties": [], "traceEvents": [
 {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 7, "ts": 1000, "dur": 10, "args": {"device": 0, "stream": 7}},
 {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "pid": 0, "tid": 7, "ts": 1015, "dur": 20, "args": {"device": 0, "stream": 7}},
 {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "pid": 0, "tid": 20, "ts": 1025, "dur": 20, "args": {"device": 0, "stream": 20}}]})");
    const Result r = run({"trace", trace, "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const json j = checked(r.out, "trace-output");
    const json& f = j["files"][0];
    EXPECT_EQ(f["kernels"], 3);
    EXPECT_NEAR(f["span_s"].get<double>(), 45e-6, 1e-12);
    EXPECT_NEAR(f["busy_s"].get<double>(), 40e-6, 1e-12); // 45 less the gap of 5
    EXPECT_NEAR(f["overlap_s"].get<double>(), 10e-6, 1e-12);
    EXPECT_NEAR(f["exposed_collective_s"].get<double>(), 10e-6, 1e-12);
    EXPECT_EQ(f["top_kernels"][0]["events"], 2);
    const Result compared = run({"trace", trace, "--json", "--plan", example("llama-3.1-8b-serving-p5.4xlarge")});
    ASSERT_EQ(compared.status, 0) << compared.err;
    EXPECT_FALSE(checked(compared.out, "trace-output")["files"][0]["comparison"]["rows"].empty());
    EXPECT_EQ(run({"trace", trace}).status, 0);
}

TEST_F(Cli, AFolderIsReadAndWhatIsNoMeasurementInItIsTold)
{
    fs::create_directories(m_folder / "job");
    write("job/rank0.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 10, "args": {}}]})");
    write("job/rank1.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 1, "dur": 12, "args": {}}]})");
    write("job/README", "not a measurement");
    const std::string folder = (m_folder / "job").string();
    const Result r = run({"trace", folder, "--json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const json j = checked(r.out, "trace-output");
    ASSERT_EQ(j["files"].size(), 2U);
    ASSERT_EQ(j["left_out"].size(), 1U);
    EXPECT_THAT(j["left_out"][0]["file"].get<std::string>(), HasSubstr("README"));
    EXPECT_THAT(run({"trace", folder}).out, HasSubstr("README"));
    EXPECT_EQ(run({"trace", folder, "--ranks"}).status, 0);
    fs::create_directories(m_folder / "nothing");
    EXPECT_THAT(run({"trace", (m_folder / "nothing").string()}).err, HasSubstr("holds no file"));
}

TEST_F(Cli, AColumnMappingMakesATableAMeasurement)
{
    const std::string table = write("runs.csv", "Nummer,Zeit\n1,250\n2,260\n3,255\n");
    const std::string mapping = write("map.json", R"({"kind": "column-mapping", "version": 1, "target": "training log", "columns": {"Zeit": {"is": "step time", "unit": "ms"}}})");
    const Result plain = run({"trace", table, "--json"});
    ASSERT_EQ(plain.status, 0) << plain.err;
    EXPECT_EQ(json::parse(plain.out)["files"][0]["format"], "table");
    const Result mapped = run({"trace", table, "--mapping", mapping, "--json"});
    ASSERT_EQ(mapped.status, 0) << mapped.err;
    EXPECT_EQ(checked(mapped.out, "trace-output")["files"][0]["format"], "table with a column mapping");
    const Result calibrated = run({"calibrate", example("llama-3.1-405b-pretrain-p5en"), table, "--mapping", mapping, "--json"});
    EXPECT_EQ(calibrated.status, 0) << calibrated.err;
    const std::string other = write("other.json", R"({"kind": "column-mapping", "version": 1, "target": "training log", "columns": {"Dauer": {"is": "step time"}}})");
    const Result absent = run({"trace", table, "--mapping", other});
    EXPECT_NE(absent.status, 0);
    EXPECT_THAT(absent.err, HasSubstr("Dauer"));
    EXPECT_THAT(absent.err, HasSubstr("Zeit"));
    EXPECT_NE(run({"trace", table, "--mapping", "none.json"}).status, 0);
}

TEST_F(Cli, AnImportedModelCanBePlanned)
{
    const std::string config = write("config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
 "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": false, "hidden_act": "silu",
 "max_position_embeddings": 131072, "rms_norm_eps": 1e-05, "attention_bias": false, "torch_dtype": "bfloat16"})");
    fs::create_directories(m_folder / "mine" / "models");
    const Result r = run({"import", config, "--id", "my-model", "-o", "mine/models/my-model.json"});
    ASSERT_EQ(r.status, 0) << r.err;
    const std::string plan = example("llama-3.1-8b-serving-p5.4xlarge");
    const json base = checked(run({"plan", plan, "--json"}).out, "plan-output");
    const json own = checked(run({"plan", plan, "--json", "--specs", "mine", "--set", "/model=my-model"}).out, "plan-output");
    EXPECT_EQ(own["serving"]["tpot_s"], base["serving"]["tpot_s"]) << "it is Llama 3.1 8B by another name";
}

TEST_F(Cli, FitWritesConstantsAndChecksThem)
{
    // 120 products of an H100 at 60 % of its peak and 2 us: not what is shipped.
    fs::create_directories(m_folder / "rows");
    fs::create_directories(m_folder / "out" / "efficiency");
    std::string rows = "system,source_tool,gemm_dtype,m,n,k,latency_us\n";
    for (int m = 1; m <= 16384; m *= 2)
        for (const int n : {1024, 4096, 16384})
            for (const int k : {1024, 8192, 32768}) {
                const double compute = 2.0 * m * n * k / (0.6 * 989.5e12), memory = 2.0 * (1.0 * n * k + 1.0 * m * k + 1.0 * m * n) / (0.7 * 3.35e12);
                rows += "h100_sxm,trtllm 1.0,bfloat16," + std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + ","
                    + std::to_string(2.0 + 1e6 * std::pow(std::pow(compute, 4) + std::pow(memory, 4), 0.25)) + "\n";
            }
    write("rows/gemm.csv", rows);
    const Result shown = run({"fit", "--measurements", "rows", "--only", "h100"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("h100/software/tensorrt-llm/gemm/bf16"));
    EXPECT_THAT(shown.out, HasSubstr("left out"));
    EXPECT_TRUE(fs::is_empty(m_folder / "out" / "efficiency")) << "nothing is written unasked";
    EXPECT_EQ(run({"fit", "--measurements", "rows", "--only", "h100", "--check"}).status, 1);
    EXPECT_EQ(run({"fit", "--measurements", "rows", "--only", "h100", "--check", "--margin", "100"}).status, 0);

    ASSERT_EQ(run({"fit", "--measurements", "rows", "--only", "h100", "--out", "out/efficiency"}).status, 0);
    EXPECT_TRUE(fs::exists(m_folder / "out" / "efficiency" / "h100.json"));
    EXPECT_FALSE(fs::exists(m_folder / "out" / "efficiency" / "b200.json")) << "not asked for";
    const json written = json::parse(read(m_folder / "out" / "efficiency" / "h100.json"));
    EXPECT_NEAR(written["software"]["tensorrt-llm"]["gemm"]["bf16"]["peak_fraction"]["value"].get<double>(), 0.6, 0.01);
    EXPECT_EQ(run({"fit", "--measurements", "rows", "--only", "h100", "--check", "--specs", "out"}).status, 0) << "a refit is no worse than itself";
}

TEST_F(Cli, ValidateCountsEveryRow)
{
    const fs::path file = fs::path(RIDGEPOINT_SHARED_DIR) / "reference" / "measurements" / "training.csv";
    if (!fs::exists(file))
        GTEST_SKIP() << "the published measurements are not here";
    const Result r = run({"validate", file.string(), "--json", "--rows", "rows.csv"});
    ASSERT_EQ(r.status, 0) << r.err;
    const json j = checked(r.out, "validate-output");
    EXPECT_FALSE(j["files"].empty());
    for (const json& q : j["files"]) {
        int left_out = 0;
        for (const auto& [reason, count] : q["not_expressed"].items())
            left_out += count.get<int>();
        EXPECT_EQ(q["rows"].get<int>(), q["predicted"].get<int>() + left_out) << q["quantity"];
    }
    EXPECT_NE(read(m_folder / "rows.csv"), "");
}

TEST_F(Cli, ValidateWritesThePageAndItsHistory)
{
    const std::string header = "system,source_tool,gemm_dtype,m,n,k,latency_us\n";
    fs::create_directories(m_folder / "rows");
    write("rows/products.csv", header + "h100_sxm,vllm,bfloat16,4096,4096,4096,220\nh100_sxm,vllm,bfloat16,16,4096,4096,18\nh100_sxm,vllm,exotic,1,1,1,1\n");
    write("rows/other.csv", "a,b\n1,2\n");
    write("page-notes.md", "## By hand\n");
    const std::vector<std::string> arguments = {"validate", "rows", "--page", "page.md", "--record"};
    const Result r = run(arguments, "SOURCE_DATE_EPOCH=1796083200");
    ASSERT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.err, HasSubstr("other.csv")); // left out, and said
    const std::string page = read(m_folder / "page.md");
    EXPECT_THAT(page, HasSubstr("| Matrix product | 3 | 2 |"));
    EXPECT_THAT(page, HasSubstr("## By hand"));
    EXPECT_THAT(page, HasSubstr("| 2026-12-01 |"));
    EXPECT_THAT(page, Not(HasSubstr(m_folder.string())));
    EXPECT_THAT(read(m_folder / "page-history.csv"), HasSubstr(",2026-12-01,"));
    // The same bytes again, also where the decimal is a comma.
    ASSERT_EQ(run(arguments, "SOURCE_DATE_EPOCH=1796083200 LC_ALL=de_DE.UTF-8").status, 0);
    EXPECT_EQ(read(m_folder / "page.md"), page);
}

} // namespace
} // namespace ridgepoint
