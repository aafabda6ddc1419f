#include "model/calibration/infer_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/calibration/infer_layout.h"
#include "model/project/fields.h"
#include "model/trace/queries.h"

namespace ridgepoint {
namespace {

std::string lower(std::string_view text)
{
    std::string out;
    for (const char c : text)
        out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

// Letters and digits only, without the owner and without what names a variant of the same network.
std::string bare_model_name(std::string_view stated)
{
    std::string text = lower(stated.substr(stated.rfind('/') == std::string_view::npos ? 0 : stated.rfind('/') + 1));
    for (const char* variant : {"-instruct", "-chat", "-base", "-hf", "-fp8-kv", "-fp8-dynamic", "-fp8", "-fp4", "-nvfp4", "-mxfp4", "-bf16", "-awq", "-gptq", "-int4", "-int8", "-w8a8", "-w4a16", "meta-",
             "nvidia-", "-it"})
        for (std::size_t at; (at = text.find(variant)) != std::string::npos;)
            text.erase(at, std::string_view(variant).size());
    std::string out;
    for (const char c : text)
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            out += c;
    return out;
}

class Inference {
public:
    Inference(const Plan& base, const SpecStore& specs) : m_specs(specs) { m_out.plan = base; }

    Expected<InferredPlan> run(const std::vector<Measured>& measured)
    {
        for (const Measured& m : measured)
            note_kind(m);
        if (m_trains && m_serves)
            return bad_input("these files are of a training run and of a server", {}, {}, "files of one run");
        if (m_trains && !std::holds_alternative<Training>(m_out.plan.workload))
            set("/workload/kind", "pretraining", "the files are of a training run");
        if (m_serves && !std::holds_alternative<Serving>(m_out.plan.workload))
            set("/workload/kind", "serving", "the files are of a server");
        for (const Measured& m : measured) {
            if (const auto* t = std::get_if<Timeline>(&m.content))
                from_timeline(*t);
            else if (const auto* c = std::get_if<CollectiveBenchmark>(&m.content))
                from_benchmark(*c);
            else if (const auto* s = std::get_if<ServingBenchmark>(&m.content))
                from_serving(*s);
            else if (const auto* l = std::get_if<TrainingLog>(&m.content))
                from_log(*l);
        }
        set_cluster();
        if (m_out.fields.empty())
            return bad_input("the files tell nothing of the plan they were run with", {}, {}, "a profiler trace, a benchmark's results or a training log");
        say_open();
        return std::move(m_out);
    }

private:
    void set(const std::string& path, const std::string& value, const std::string& evidence)
    {
        if (!set_field(m_out.plan, path, value))
            return; // not of this kind of plan, or out of its range
        std::erase_if(m_out.fields, [&](const InferredField& f) { return f.path == path; });
        m_out.fields.push_back({path, field_value(m_out.plan, path), evidence});
    }

    void note_kind(const Measured& m)
    {
        m_serves = m_serves || std::holds_alternative<ServingBenchmark>(m.content);
        m_trains = m_trains || std::holds_alternative<TrainingLog>(m.content);
        if (const auto* t = std::get_if<Timeline>(&m.content))
            for (const std::string& name : t->names) {
                const std::string n = lower(name);
                // Backward kernels and optimizers run in training only.
                m_trains = m_trains || n.find("bwd") != std::string::npos || n.find("backward") != std::string::npos || n.find("adam") != std::string::npos;
                m_serves = m_serves || n.find("paged") != std::string::npos || n.find("reshape_and_cache") != std::string::npos;
            }
    }

    void set_device(const std::string& device, const std::string& where)
    {
        if (device.empty() || !m_instance.empty())
            return;
        m_instance = instance_of_device(m_specs, device);
        m_device_evidence = fmt::format("{} names {}", where, device);
        if (m_instance.empty())
            m_out.open.push_back(fmt::format("the node: {} is in no node of the catalogue", device));
    }

    void set_ranks(int ranks, const std::string& evidence)
    {
        if (ranks > m_ranks) {
            m_ranks = ranks;
            m_ranks_evidence = evidence;
        }
    }

    void from_timeline(const Timeline& t)
    {
        set_device(t.device_name, "the trace");
        set_ranks(t.world_size, fmt::format("the trace is of a job of {} ranks", t.world_size));
        for (const InferredField& f : layout_of(t))
            set(f.path, f.value, f.evidence);
        if (const auto recipe = recipe_of(t))
            set(recipe->path, recipe->value, recipe->evidence);
        for (const InferredField& f : shapes_of(t, m_specs))
            set(f.path, f.value, f.evidence);
    }

    void from_benchmark(const CollectiveBenchmark& c)
    {
        if (!c.devices.empty())
            set_device(c.devices.front(), "the benchmark");
        for (const CollectiveSweep& s : c.sweeps)
            set_ranks(s.ranks, fmt::format("the benchmark ran on {} ranks", s.ranks));
    }

    void from_serving(const ServingBenchmark& s)
    {
        const auto last = std::max_element(s.runs.begin(), s.runs.end(), [](const ServingRun& a, const ServingRun& b) { return a.completed < b.completed; });
        if (last == s.runs.end())
            return;
        const ServingRun& r = *last;
        set_model(r.model);
        const std::string tool = lower(r.backend + " " + r.tool);
        for (const auto& [word, framework] : {std::pair{"sglang", "sglang"}, {"tensorrt", "tensorrt_llm"}, {"trt", "tensorrt_llm"}, {"vllm", "vllm"}})
            if (tool.find(word) != std::string::npos) {
                set("/assumptions/framework", framework, fmt::format("the results are of {}", r.tool));
                break;
            }
        if (r.tp)
            set("/layout/tp", std::to_string(*r.tp), "stated with the results");
        if (r.ep)
            set("/layout/ep", std::to_string(*r.ep), "stated with the results");
        if (r.gpus)
            set_ranks(*r.gpus, fmt::format("the results state {} GPUs", *r.gpus));
        if (r.completed > 0 && r.input_tokens)
            set("/workload/input_length", std::to_string(std::max<std::int64_t>(1, *r.input_tokens / r.completed)), "mean of the run's requests");
        if (r.completed > 0 && r.output_tokens)
            set("/workload/output_length", std::to_string(std::max<std::int64_t>(1, *r.output_tokens / r.completed)), "mean of the run's requests");
        if (r.max_concurrency)
            set("/workload/concurrency", std::to_string(*r.max_concurrency), "the run's bound");
        else if (const auto n = r.in_flight(); n && *n >= 1 && *n < 1e6)
            set("/workload/concurrency", std::to_string(std::lround(*n)), "requests per second times mean end-to-end time (Little's law)");
        const std::string name = lower(r.model);
        for (const auto& [word, recipe] : {std::pair{"nvfp4", "nvfp4"}, {"fp4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"fp8", "fp8"}, {"awq", "w4a16"}, {"gptq", "w4a16"}, {"int8", "int8"}})
            if (name.find(word) != std::string::npos) {
                set("/precision/recipe", recipe, fmt::format("the model's name says {}", word));
                break;
            }
    }

    void from_log(const TrainingLog& l)
    {
        if (l.global_batch)
            set("/workload/global_batch", std::to_string(*l.global_batch), fmt::format("stated in the log of {}", l.framework));
        if (l.sequence_length)
            set("/workload/sequence_length", std::to_string(*l.sequence_length), fmt::format("stated in the log of {}", l.framework));
        if (l.gpus)
            set_ranks(*l.gpus, fmt::format("the log of {} states {} GPUs", l.framework, *l.gpus));
        const std::string f = lower(l.framework);
        if (f.find("torchtitan") != std::string::npos || f.find("foundry") != std::string::npos || f.find("composer") != std::string::npos)
            set("/assumptions/framework", "fsdp", fmt::format("the log is of {}", l.framework));
        else if (f.find("deepspeed") != std::string::npos)
            set("/assumptions/framework", "deepspeed", "the log is of DeepSpeed");
        else if (f.find("megatron") != std::string::npos || f.find("nemo") != std::string::npos)
            set("/assumptions/framework", "megatron", fmt::format("the log is of {}", l.framework));
    }

    void set_model(const std::string& stated)
    {
        if (const std::string id = model_named(m_specs, stated); !id.empty())
            set("/model", id, fmt::format("the results name {}", stated));
        else if (!stated.empty())
            m_out.open.push_back(fmt::format("the model: {} is not in the catalogue (import its config.json)", stated));
    }

    void set_cluster()
    {
        if (!m_instance.empty())
            set("/cluster/instance", m_instance, m_device_evidence);
        if (m_ranks <= 0)
            return;
        int per_node = 8;
        if (const auto document = m_specs.document(SpecKind::instance, m_out.plan.instance))
            if (const auto at = (*document)->find("accelerators"); at != (*document)->end())
                per_node = at->is_object() ? (*at)["value"].get<int>() : at->get<int>();
        const int nodes = (m_ranks + per_node - 1) / std::max(1, per_node);
        set("/cluster/nodes", std::to_string(nodes), m_ranks_evidence);
        set("/cluster/gpus", m_ranks == nodes * per_node ? "0" : std::to_string(m_ranks), m_ranks_evidence);
    }

    void say_open()
    {
        const auto known = [&](const char* path) { return std::any_of(m_out.fields.begin(), m_out.fields.end(), [&](const InferredField& f) { return f.path == path; }); };
        for (const auto& [path, what] : {std::pair{"/model", "the model"}, {"/cluster/instance", "the GPU and its node"}, {"/cluster/nodes", "how many GPUs took part"},
                 {"/layout/tp", "the tensor-parallel group"}, {"/precision/recipe", "the precision"}})
            if (!known(path) && std::none_of(m_out.open.begin(), m_out.open.end(), [&](const std::string& o) { return o.starts_with(what); }))
                m_out.open.push_back(what);
        if (m_trains && !known("/workload/global_batch"))
            m_out.open.push_back("the global batch");
    }

    const SpecStore& m_specs;
    InferredPlan m_out;
    bool m_trains = false, m_serves = false;
    std::string m_instance, m_device_evidence, m_ranks_evidence;
    int m_ranks = 0;
};

} // namespace

Expected<InferredPlan> infer_plan(const std::vector<Measured>& measured, const Plan& base, const SpecStore& specs)
{
    return Inference(base, specs).run(measured);
}

std::string model_named(const SpecStore& specs, const std::string& stated)
{
    const std::string wanted = bare_model_name(stated);
    if (wanted.empty())
        return {};
    for (const std::string& id : specs.ids(SpecKind::model))
        if (bare_model_name(id) == wanted)
            return id;
    for (const std::string& id : specs.ids(SpecKind::model))
        if (const auto document = specs.document(SpecKind::model, id); document && bare_model_name((*document)->value("name", std::string())) == wanted)
            return id;
    return {};
}

std::string instance_of_device(const SpecStore& specs, const std::string& device)
{
    // The node that one rents on AWS where there is one, else the plain server with these GPUs.
    struct Known {
        std::array<std::string_view, 2> words; // all of them, in lower case
        std::string_view instance;
    };
    static constexpr std::array known{Known{{"gb300", ""}, "gb300-nvl72"}, Known{{"gb200", ""}, "u-p6e-gb200x72"}, Known{{"b300", ""}, "p6-b300.48xlarge"}, Known{{"b200", ""}, "p6-b200.48xlarge"},
        Known{{"h200", ""}, "p5en.48xlarge"}, Known{{"h800", ""}, "hgx-h800"}, Known{{"h100", ""}, "p5.48xlarge"}, Known{{"a100", "80gb"}, "p4de.24xlarge"}, Known{{"a100", ""}, "p4d.24xlarge"}};
    const std::string name = lower(device);
    for (const Known& k : known)
        if (name.find(k.words[0]) != std::string::npos && name.find(k.words[1]) != std::string::npos && specs.contains(SpecKind::instance, std::string(k.instance)))
            return std::string(k.instance);
    return {};
}

} // namespace ridgepoint
