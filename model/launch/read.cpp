#include "model/launch/read.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include <fmt/format.h>

#include "model/hardware/read.h"
#include "model/launch/given.h"
#include "model/project/field_table.h"

namespace ridgepoint {
namespace {

bool ends_with_any(const std::string& word, std::initializer_list<std::string_view> endings)
{
    return std::ranges::any_of(endings, [&](std::string_view e) { return word.ends_with(e); });
}

// Where the options of a framework begin in a command; none: it is another program.
std::optional<std::size_t> start_of(const ShellCommand& c, LaunchFramework f)
{
    for (std::size_t i = 0; i < c.size(); ++i) {
        const std::string& w = c[i].text;
        const bool next = i + 1 < c.size();
        if (f == LaunchFramework::megatron_lm && ends_with_any(w, {"pretrain_gpt.py"}))
            return i + 1;
        if (f == LaunchFramework::vllm && ((w == "vllm" || w.ends_with("/vllm")) && next && c[i + 1].text == "serve"))
            return i + 2;
        if (f == LaunchFramework::vllm && ends_with_any(w, {"vllm.entrypoints.openai.api_server"}))
            return i + 1;
        if (f == LaunchFramework::sglang && (w == "sglang.launch_server" || (w == "sglang" && next && c[i + 1].text == "serve")))
            return i + (w == "sglang" ? 2 : 1);
        if (f == LaunchFramework::tensorrt_llm && ends_with_any(w, {"trtllm-serve"}))
            return i + (next && c[i + 1].text == "serve" ? 2 : 1);
    }
    return std::nullopt;
}

struct Found {
    LaunchFramework framework = LaunchFramework::megatron_lm;
    std::vector<ShellWord> words; // options
    std::vector<ShellWord> before; // the launcher
};

constexpr LaunchFramework commands[] = {LaunchFramework::megatron_lm, LaunchFramework::vllm, LaunchFramework::sglang, LaunchFramework::tensorrt_llm};

// The command of a known program; or, where there is none, bare options: of the framework that knows most of them.
Expected<Found> find_command(const std::vector<ShellCommand>& all, const std::string& file, const FlagTables& tables, std::optional<LaunchFramework> wanted)
{
    for (const ShellCommand& c : all)
        for (const LaunchFramework f : commands)
            if (!wanted || *wanted == f)
                if (const auto at = start_of(c, f))
                    return Found{f, {c.begin() + static_cast<std::ptrdiff_t>(*at), c.end()}, {c.begin(), c.begin() + static_cast<std::ptrdiff_t>(*at)}};
    Found best;
    std::size_t most = 0;
    for (const LaunchFramework f : commands) {
        const auto table = tables.find(f);
        if ((wanted && *wanted != f) || table == tables.end())
            continue;
        std::vector<ShellWord> words; // one option a line, with or without a backslash
        std::size_t known = 0;
        for (const ShellCommand& c : all)
            for (const ShellWord& w : c) {
                words.push_back(w);
                known += w.text.starts_with("-") && table->second.find(w.text.substr(0, w.text.find('='))) ? 1 : 0;
            }
        if (known > most) {
            most = known;
            best = {f, std::move(words), {}};
        }
    }
    if (most == 0)
        return bad_input("no command or option of a known framework", Place{file, 0, {}}, {},
            "pretrain_gpt.py, vllm serve, sglang.launch_server or trtllm-serve with options, or a TOML of torchtitan");
    return best;
}

std::optional<int> number_after(const std::string& word, std::string_view name, const std::string* next)
{
    std::string value;
    if (word.starts_with(std::string(name) + "="))
        value = word.substr(name.size() + 1);
    else if (word == name && next)
        value = *next;
    int n = 0;
    const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), n);
    return ec == std::errc() && end == value.data() + value.size() && n > 0 && n <= 100'000 ? std::optional(n) : std::nullopt;
}

// GPUs of the job by torchrun or Slurm; 0: not said.
int gpus_of(const Found& found, const std::string& text)
{
    int nodes = 0;
    int each = 0;
    for (std::size_t i = 0; i < found.before.size(); ++i) {
        const std::string* next = i + 1 < found.before.size() ? &found.before[i + 1].text : nullptr;
        for (const char* name : {"--nnodes"})
            nodes = number_after(found.before[i].text, name, next).value_or(nodes);
        for (const char* name : {"--nproc-per-node", "--nproc_per_node"})
            each = number_after(found.before[i].text, name, next).value_or(each);
    }
    if (nodes == 0) {
        static const std::regex slurm(R"(#SBATCH\s+(?:--nodes=|-N\s*)(\d{1,6}))");
        std::smatch match;
        const std::string head = text.substr(0, 20'000);
        if (std::regex_search(head, match, slurm))
            nodes = std::stoi(match[1]);
    }
    return nodes > 0 && each > 0 ? static_cast<int>(std::min(10'000'000LL, static_cast<long long>(nodes) * each)) : 0;
}

bool looks_like_toml(const std::string& text)
{
    static const std::regex table(R"(^\s*\[[A-Za-z_][A-Za-z0-9_.]{0,60}\]\s*(#.*)?$)");
    std::size_t at = 0;
    for (int i = 0; i < 200 && at < text.size(); ++i) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, std::min<std::size_t>(end - at, 200));
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        if (std::regex_match(line, table))
            return true;
        at = end + 1;
    }
    return false;
}

// As many nodes as the GPUs need; experts may need more than tp x pp x cp.
Status choose_cluster(ReadState& s, const ReadRequest& request)
{
    Plan& p = s.plan;
    if (!request.instance.empty())
        p.instance = request.instance;
    const Expected<Node> node = read_node(s.specs, p.instance);
    if (!node)
        return node.error();
    if (request.instance.empty())
        s.notes.push_back(fmt::format("The text names no machine; {} is taken, --instance names another", p.instance));
    const Layout& l = p.layout;
    const long long dense = static_cast<long long>(l.tp) * l.pp * l.cp;
    const long long sparse = static_cast<long long>(l.ep) * l.etp * l.pp;
    const int each = std::max(1, node->accelerators);
    if (request.nodes > 0) {
        p.nodes = request.nodes;
        if (s.gpus > 0 && s.gpus < p.nodes * each)
            p.gpus = s.gpus;
        return Done{};
    }
    long long gpus = s.gpus;
    if (gpus == 0) {
        gpus = dense;
        while (gpus % std::max(1LL, sparse) != 0 && gpus < 1'000'000)
            gpus += dense;
        s.notes.push_back(fmt::format("The text does not say how many GPUs run; {} are taken, the fewest that the degrees allow", gpus));
    }
    if (gpus > 1'000'000)
        return bad_input("more GPUs than a plan can have", {}, std::to_string(gpus), "at most 1000000");
    p.nodes = static_cast<int>((gpus + each - 1) / each);
    p.gpus = gpus == static_cast<long long>(p.nodes) * each ? 0 : static_cast<int>(gpus);
    return Done{};
}

} // namespace

Expected<ReadPlan> plan_from_launch_text(const std::string& text, const std::string& file, const FlagTables& tables, const SpecStore& specs, const ReadRequest& request)
{
    if (text.size() > most_shell_bytes)
        return bad_input("the text is too long", Place{file, 0, {}}, fmt::format("{} bytes", text.size()), fmt::format("at most {}", most_shell_bytes));
    ReadPlan out;
    Found found;
    const bool toml = request.framework ? *request.framework == LaunchFramework::torchtitan : looks_like_toml(text);
    if (toml) {
        found.framework = LaunchFramework::torchtitan;
    } else {
        Expected<std::vector<ShellCommand>> words = split_shell(text, file);
        if (!words)
            return words.error();
        Expected<Found> command = find_command(*words, file, tables, request.framework);
        if (!command)
            return command.error();
        found = std::move(*command);
    }
    out.framework = found.framework;
    const auto table = tables.find(found.framework);
    if (table == tables.end())
        return bad_input("there is no table of this framework", Place{file, 0, {}}, std::string(name_of(found.framework)));
    out.plan = default_plan(trains(found.framework) ? "pretraining" : "serving");
    out.plan.name = "From " + std::string(name_of(found.framework));
    Given given(table->second, file);
    if (toml) {
        const Expected<std::vector<TomlEntry>> entries = parse_toml(text, file);
        if (!entries)
            return entries.error();
        if (Status s = given.take_toml(*entries, out.notes); !s)
            return s.error();
    } else if (Status s = given.take_words(found.words, out.notes); !s) {
        return s.error();
    }
    ReadState state{out.plan, given, specs, out.notes, toml ? 0 : gpus_of(found, text)};
    if (state.gpus == 0 && request.nodes > 0)
        if (const Expected<Node> node = read_node(specs, request.instance.empty() ? out.plan.instance : request.instance))
            state.gpus = toml || trains(found.framework) ? request.nodes * node->accelerators : 0;
    Status status = found.framework == LaunchFramework::megatron_lm ? read_megatron(state, request.model)
        : toml                                                        ? read_torchtitan(state, table->second, request.model)
        : found.framework == LaunchFramework::vllm                    ? read_vllm(state, request.model)
        : found.framework == LaunchFramework::sglang                  ? read_sglang(state, request.model)
                                                                      : read_tensorrt(state, request.model);
    if (!status)
        return status.error();
    if (Status s = choose_cluster(state, request); !s)
        return s.error();
    return out;
}

} // namespace ridgepoint
