#include "model/launch/script.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/estimate/worker_groups.h"
#include "model/launch/environment.h"
#include "model/launch/shell.h"

namespace ridgepoint {
namespace {

constexpr int rendezvous_port = 29500; // torchrun's default
constexpr const char* heredoc = "RIDGEPOINT_CONFIG";

// What a script asks for by name, and how it says so.
std::string meaning_of(const std::string& variable)
{
    static const std::pair<const char*, const char*> known[] = {{"LEARNING_RATE", "the learning rate, which no capacity plan knows"},
        {"TRAIN_STEPS", "the number of steps; the plan names no tokens"}, {"DATA_PATH", "the prefix of the tokenized data"},
        {"CHECKPOINT", "the folder of the weights to start from"}, {"TOKENIZER", "the tokenizer: a folder or a repository"},
        {"MODEL", "the model: a folder or a repository"}, {"TRAIN_SCRIPT", "the training script"}, {"RECIPE", "the name of the recipe to start from"},
        {"OUTPUT_FOLDER", "the folder of the outputs"}};
    const auto* it = std::ranges::find_if(known, [&](const auto& k) { return variable == k.first; });
    return it == std::end(known) ? variable : it->second;
}

std::string words_of(const Argument& a, bool equals)
{
    std::string value;
    for (const std::string& v : a.values)
        value += (value.empty() ? "" : equals ? "," : " ") + (a.variable ? "\"$" + v + "\"" : equals ? v : shell_quote(v));
    if (!equals)
        return value.empty() ? a.name : a.name + " " + value;
    if (a.variable)
        return a.name + "=" + value;
    return shell_quote(a.name + "=" + (a.values.size() > 1 ? "[" + value + "]" : value));
}

class Builder {
public:
    Builder(const LaunchContext& c, PoolRole role)
        : m_context(c)
        , m_hosts(hosts_of(c.job))
        , m_role(role)
    {
    }

    HostScript run()
    {
        arguments();
        std::string command = "exec " + start();
        for (const std::string& line : m_command)
            command += " \\\n    " + line;
        head();
        m_script.text += m_prelude;
        m_script.text += command + " </dev/null\n";
        return std::move(m_script);
    }

private:
    void take(const Arguments& a, bool into_command, bool equals = false)
    {
        m_script.arguments.insert(m_script.arguments.end(), a.items().begin(), a.items().end());
        for (const NotExpressed& n : a.missing())
            if (std::ranges::find(m_script.not_expressed, n) == m_script.not_expressed.end())
                m_script.not_expressed.push_back(n);
        for (const Argument& item : a.items()) {
            if (item.variable)
                ask(item.values.front());
            if (into_command)
                m_command.push_back(words_of(item, equals));
        }
    }

    void config(const Arguments& a, const char* name, bool toml)
    {
        take(a, false);
        m_script.config_name = name;
        m_script.config = toml ? to_toml(a.items(), m_context.table) : to_yaml(a.items(), m_context.table);
        // In a folder of the host's own: hosts that share a file system would read what another is writing. What is written is
        // what was checked; a quoted text holds no newline, so no line of it can be the end.
        m_prelude += fmt::format("CONFIG_FOLDER=\"$(mktemp -d)\"\ncat >\"$CONFIG_FOLDER/{}\" <<'{}'\n{}{}\n", name, heredoc, m_script.config, heredoc);
    }

    void ask(const std::string& variable)
    {
        if (m_asked.insert(variable).second)
            m_script.placeholders.push_back(fmt::format("{}: {}", variable, meaning_of(variable)));
    }

    void arguments()
    {
        switch (m_context.table.framework) {
        case LaunchFramework::megatron_lm:
            m_command.push_back("pretrain_gpt.py");
            return take(megatron_arguments(m_context), true);
        case LaunchFramework::megatron_bridge:
            ask("RECIPE");
            m_command.push_back("scripts/training/run_recipe.py --recipe \"$RECIPE\" --mode pretrain");
            return take(bridge_arguments(m_context), true, true);
        case LaunchFramework::torchtitan:
            config(torchtitan_entries(m_context), "train.toml", true);
            m_command.push_back("-m torchtitan.train --job.config_file \"$CONFIG_FOLDER/train.toml\"");
            return;
        case LaunchFramework::accelerate_fsdp:
            config(accelerate_entries(m_context), "fsdp.yaml", false);
            ask("TRAIN_SCRIPT");
            m_command.push_back("\"$TRAIN_SCRIPT\"");
            return take(accelerate_script_arguments(m_context), true);
        case LaunchFramework::maxtext:
            m_command.push_back("src/MaxText/configs/base.yml");
            return take(maxtext_arguments(m_context), true, true);
        case LaunchFramework::vllm:
            return vllm();
        case LaunchFramework::sglang:
            return sglang();
        case LaunchFramework::tensorrt_llm:
            return tensorrt();
        }
    }

    std::string checkpoint()
    {
        if (!m_context.checkpoint.empty())
            return shell_quote(m_context.checkpoint);
        ask("MODEL");
        return "\"$MODEL\"";
    }

    void vllm()
    {
        const ServingGroups g = serving_groups(m_context.job);
        m_command.push_back(checkpoint());
        take(vllm_arguments(m_context, m_role), true);
        if (m_role != PoolRole::whole)
            m_prelude += "export VLLM_NIXL_SIDE_CHANNEL_HOST=\"$(hostname -i | cut -d ' ' -f 1)\" # where the other pool asks for keys and values\n";
        if (m_hosts.count == 1)
            return;
        const int ranks = g.attention_groups * g.replicas;
        if (g.layout.tp * g.layout.pp > m_hosts.gpus || ranks % m_hosts.count != 0) {
            // A rank over several hosts: Ray joins them, the head starts the engine.
            m_command.push_back("--distributed-executor-backend ray");
            m_prelude += fmt::format("if [ \"$NODE_RANK\" != 0 ]; then\n    exec ray start --address=\"$HEAD_ADDRESS:6379\" --num-gpus={} --block </dev/null\nfi\nray start --head --port=6379 --num-gpus={}\n", m_hosts.gpus, m_hosts.gpus);
            return;
        }
        const int local = ranks / m_hosts.count;
        m_command.push_back(fmt::format("--data-parallel-size-local {} --data-parallel-start-rank \"$((NODE_RANK * {}))\"", local, local));
        m_command.push_back("--data-parallel-address \"$HEAD_ADDRESS\" --data-parallel-rpc-port 13345");
        m_command.push_back("\"$@\"");
        m_prelude += "set --\nif [ \"$NODE_RANK\" != 0 ]; then\n    set -- --headless # the first host serves the API\nfi\n";
    }

    void sglang()
    {
        const ServingGroups g = serving_groups(m_context.job);
        m_command.push_back("--model-path " + checkpoint());
        take(sglang_arguments(m_context, m_role), true);
        m_command.push_back("--host 0.0.0.0 --port 30000");
        if (m_hosts.count > 1 && g.gpus_per_replica > m_hosts.gpus)
            m_command.push_back(fmt::format("--nnodes {} --node-rank \"$NODE_RANK\" --dist-init-addr \"$HEAD_ADDRESS:5000\"", m_hosts.count));
    }

    void tensorrt()
    {
        m_command.push_back(checkpoint());
        take(tensorrt_arguments(m_context, m_role), true);
        config(tensorrt_entries(m_context, m_role), "extra.yaml", false);
        m_command.push_back("--extra_llm_api_options \"$CONFIG_FOLDER/extra.yaml\" --host 0.0.0.0 --port 8000");
    }

    std::string start() const
    {
        switch (m_context.table.framework) {
        case LaunchFramework::megatron_lm:
        case LaunchFramework::megatron_bridge:
        case LaunchFramework::torchtitan:
            return fmt::format("torchrun --nnodes={} --nproc-per-node={} --node-rank=\"$NODE_RANK\" --master-addr=\"$HEAD_ADDRESS\" --master-port={}",
                m_hosts.count, m_hosts.gpus, rendezvous_port);
        case LaunchFramework::accelerate_fsdp:
            return fmt::format("accelerate launch --config_file \"$CONFIG_FOLDER/fsdp.yaml\" --num_machines {} --num_processes {} --machine_rank \"$NODE_RANK\""
                               " --main_process_ip \"$HEAD_ADDRESS\" --main_process_port {}",
                m_hosts.count, m_context.job.cluster.gpus, rendezvous_port);
        case LaunchFramework::maxtext:
            return fmt::format("env JAX_COORDINATOR_IP=\"$HEAD_ADDRESS\" JAX_COORDINATOR_PORT={} NNODES={} NODE_RANK=\"$NODE_RANK\" python3 -m MaxText.train", rendezvous_port, m_hosts.count);
        case LaunchFramework::vllm:
            return "vllm serve";
        case LaunchFramework::sglang:
            return "python3 -m sglang.launch_server";
        case LaunchFramework::tensorrt_llm:
            return m_hosts.count > 1 ? "trtllm-llmapi-launch trtllm-serve" : "trtllm-serve";
        }
        return {};
    }

    void head()
    {
        std::string& t = m_script.text;
        t += "set -euo pipefail\n# Whoever starts this script on several hosts sets both; what stands here is right for one.\n";
        t += ": \"${HEAD_ADDRESS:=127.0.0.1}\" \"${NODE_RANK:=0}\"\n";
        for (const std::string& variable : m_asked)
            t += fmt::format(": \"${{{}:?{}}}\"\n", variable, meaning_of(variable));
        t += "\n";
        for (const Variable& v : environment_of(m_context))
            t += fmt::format("# {}\nexport {}={}\n", v.why, v.name, shell_quote(v.value));
        t += "\n";
    }

    const LaunchContext& m_context;
    Hosts m_hosts;
    PoolRole m_role;
    std::vector<std::string> m_command; // continued lines
    std::string m_prelude;
    std::set<std::string> m_asked;
    HostScript m_script;
};

} // namespace

HostScript host_script(const LaunchContext& c, PoolRole role) { return Builder(c, role).run(); }

std::string argument_text(const LaunchContext& c, const HostScript& script)
{
    if (c.table.framework == LaunchFramework::torchtitan || c.table.framework == LaunchFramework::accelerate_fsdp)
        return script.config;
    const bool equals = c.table.framework == LaunchFramework::megatron_bridge || c.table.framework == LaunchFramework::maxtext;
    std::string out;
    if (!trains(c.table.framework)) {
        const char* program = c.table.framework == LaunchFramework::vllm ? "vllm serve" : c.table.framework == LaunchFramework::sglang ? "python3 -m sglang.launch_server --model-path" : "trtllm-serve";
        out += fmt::format("{} {} \\\n", program, c.checkpoint.empty() ? "\"$MODEL\"" : shell_quote(c.checkpoint));
    }
    for (const Argument& a : script.arguments)
        if (equals || a.name.starts_with("--"))
            out += words_of(a, equals) + " \\\n";
    return out.substr(0, out.size() - 3) + "\n";
}

std::string one_line(std::string_view text)
{
    std::string out;
    for (char c : text) {
        c = c == '{' ? '(' : c == '}' ? ')' : c; // {{ }} in a label of Prometheus is a template
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : static_cast<unsigned char>(c) >= 0x80 ? '?' : c; // no byte that YAML might refuse
    }
    return out;
}

std::string comments(const LaunchContext& c, const HostScript& script)
{
    std::string out = fmt::format("# {}: {} on {} x {}\n", one_line(c.plan.name), one_line(c.model().name), c.job.cluster.nodes, one_line(c.job.cluster.node.id));
    out += fmt::format("# Options of {}, {}\n# {}\n", c.table.title, c.table.version, c.table.source);
    if (!script.not_expressed.empty())
        out += "#\n# What the plan says and these options do not:\n";
    for (const NotExpressed& n : script.not_expressed)
        out += fmt::format("#   {}: {}. Instead: {}\n", n.field, one_line(n.what), one_line(n.instead));
    if (!script.placeholders.empty())
        out += "#\n# To be filled in:\n";
    for (const std::string& p : script.placeholders)
        out += fmt::format("#   {}\n", one_line(p));
    return out;
}

std::string label_of(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool capital = c >= 'A' && c <= 'Z';
        if (good || capital)
            out += static_cast<char>(capital ? c - 'A' + 'a' : c);
        else if (!out.empty() && out.back() != '-')
            out += '-';
        if (out.size() == 40)
            break;
    }
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    if (out.empty() || (out.front() >= '0' && out.front() <= '9'))
        out = "plan" + (out.empty() ? out : "-" + out);
    return out;
}

} // namespace ridgepoint
