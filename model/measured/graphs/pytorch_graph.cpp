// PyTorch execution traces (ExecutionTraceObserver): {"schema": "1.0.1" or "1.1.1-chakra.0.0.4", "nodes": [...]}. Schema 1.0
// has a node's fields at its top, 1.1 has them under inputs, outputs and attrs. No node has a duration: what ran, with
// which shapes, under which operator.

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "model/measured/graphs/graph_builder.h"
#include "model/measured/graphs/graphs.h"
#include "model/measured/lenient_json.h"
#include "model/trace/op_arguments.h"
#include "model/trace/op_work.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

constexpr int highest_climb = 64; // levels of operators inside operators

bool recognises(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{')
        return false;
    const std::string_view head = text.substr(0, 65536);
    const auto has = [&](std::string_view what) { return head.find(what) != std::string_view::npos; };
    return has("\"schema\"") && has("\"nodes\"") && !has("\"traceEvents\"") && (has("\"rf_id\"") || has("\"op_schema\"") || has("execution_graph") || has("execution_trace") || has("\"start_ts\""));
}

const Json* at(const Json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

const Json* attribute(const Json& node, std::string_view name)
{
    if (const Json* top = at(node, std::string(name).c_str()))
        return top; // schema 1.0
    const Json* attributes = at(node, "attrs");
    if (!attributes || !attributes->is_array())
        return nullptr;
    for (const Json& a : *attributes)
        if (a.is_object() && text_at(a, "name") == name)
            return at(a, "value");
    return nullptr;
}

// Shapes, types or values of the inputs in either schema.
const Json* inputs(const Json& node, const char* of_1_1, const char* of_1_0)
{
    const Json* in = at(node, "inputs");
    return in && in->is_object() ? at(*in, of_1_1) : at(node, of_1_0);
}

// "Tensor(float)" -> "float"; lists and scalars stay.
Json plain_types(const Json& types)
{
    Json out = Json::array();
    for (const Json& t : types) {
        std::string text = t.is_string() ? t.get<std::string>() : std::string();
        if (text.starts_with("Tensor(") && text.ends_with(')'))
            text = text.substr(7, text.size() - 8);
        out.push_back(std::move(text));
    }
    return out;
}

// Scalars as the profiler's "Concrete Inputs" has them; tensors are empty.
Json concrete_of(const Json& values, const Json& types)
{
    Json out = Json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool tensor = i < types.size() && types[i].is_string() && types[i].get_ref<const std::string&>().find("Tensor(") != std::string::npos;
        const Json& v = values[i];
        if (tensor || v.is_null())
            out.push_back("");
        else if (v.is_boolean())
            out.push_back(v.get<bool>() ? "True" : "False");
        else
            out.push_back(v.is_string() ? v.get<std::string>() : v.dump());
    }
    return out;
}

class Reader {
public:
    Reader(const KernelRules& rules, std::vector<Skipped>& skipped) : m_builder(rules), m_skipped(skipped) {}

    ExecutionGraph read(const Json& document)
    {
        const Json& nodes = document["nodes"];
        std::unordered_map<std::int64_t, std::int64_t> parents;
        bool described = false; // record_param_comms tells type and size: the nccl: nodes below it would count twice
        for (const Json& n : nodes) {
            if (!n.is_object())
                continue;
            if (const auto id = integer_at(n, "id"))
                parents.emplace(*id, parent_of(n));
            described = described || (text_at(n, "name") == "record_param_comms" && attribute(n, "collective_name"));
        }
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].is_object())
                add(nodes[i], described);
            else
                skip(m_skipped, "node that is no object", fmt::format("/nodes/{}", i));
        // An operator whose work is also that of an operator inside it counts once, as the inner one.
        std::unordered_set<std::int64_t> outer;
        for (const Worked& w : m_worked) {
            std::int64_t up = w.id;
            for (int climbed = 0; climbed < highest_climb; ++climbed) {
                const auto parent = parents.find(up);
                if (parent == parents.end() || parent->second < 0 || parent->second == up)
                    break;
                outer.insert(up = parent->second);
            }
        }
        for (const Worked& w : m_worked)
            m_builder.add_operator(w.name, {}, outer.contains(w.id) ? Flops{} : Flops{w.flops});
        return m_builder.take();
    }
    [[nodiscard]] std::int64_t linked() const { return m_linked; }

private:
    struct Worked {
        std::int64_t id;
        std::string name;
        double flops;
    };

    static std::int64_t parent_of(const Json& n)
    {
        const auto control = integer_at(n, "ctrl_deps");
        return control ? *control : integer_at(n, "parent").value_or(-1);
    }

    void add(const Json& n, bool described)
    {
        const std::string name = text_at(n, "name");
        m_builder.add_node(name, parent_of(n) >= 0 ? 1 : 0);
        if (const Json* link = attribute(n, "rf_id"); link && number_of(*link).value_or(0) > 0)
            ++m_linked;
        const bool message = name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with("rccl:") || name.starts_with("ucc:");
        if (name == "record_param_comms") {
            if (const Json* kind = attribute(n, "collective_name"); kind && kind->is_string())
                add_described(n, kind->get<std::string>());
            return;
        }
        if (message) {
            if (!described)
                m_builder.add_communication(name.substr(name.find(':') + 1), Bytes{tensor_bytes(n)}, 0, {});
            return;
        }
        double flops = 0;
        if (const OpRule* rule = op_rule(name))
            flops = flops_of(n, *rule);
        if (flops > 0)
            m_worked.push_back({integer_at(n, "id").value_or(-1), name, flops});
        else
            m_builder.add_operator(name, {});
    }

    void add_described(const Json& n, const std::string& kind)
    {
        const auto number = [&](const char* key) {
            const Json* v = attribute(n, key);
            return v ? number_of(*v).value_or(0) : 0.0;
        };
        const Json* dtype = attribute(n, "dtype");
        const double element = dtype && dtype->is_string() ? bytes_of_dtype(dtype->get_ref<const std::string&>()) : 0;
        const double elements = std::max(number("in_msg_nelems"), number("out_msg_nelems")), ranks = number("pg_size");
        const double size = elements * element;
        m_builder.add_communication(kind, Bytes{size > 0 && size < 1e18 ? size : 0}, ranks > 0 && ranks < 1e7 ? static_cast<int>(ranks) : 0, {});
    }

    // Of the tensors among the inputs: [id, storage, offset, elements, bytes of one, device].
    static double tensor_bytes(const Json& n)
    {
        const Json* values = inputs(n, "values", "inputs");
        double bytes = 0;
        if (values && values->is_array())
            for (const Json& v : *values)
                if (v.is_array() && v.size() == 6 && v[3].is_number() && v[4].is_number())
                    bytes += v[3].get<double>() * v[4].get<double>();
        return bytes > 0 && bytes < 1e18 ? bytes : 0;
    }

    static double flops_of(const Json& n, const OpRule& rule)
    {
        const Json *shapes = inputs(n, "shapes", "input_shapes"), *types = inputs(n, "types", "input_types"), *values = inputs(n, "values", "inputs");
        if (!shapes || !types || !values || !shapes->is_array() || !types->is_array() || !values->is_array())
            return 0;
        const auto text = [](const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); };
        const OpWork w = work_of(rule, text(*shapes), text(plain_types(*types)), text(concrete_of(*values, *types)));
        return w.work.known && w.work.flops > 0 && w.work.flops < 1e30 ? w.work.flops : 0;
    }

    GraphBuilder m_builder;
    std::vector<Skipped>& m_skipped;
    std::vector<Worked> m_worked;
    std::int64_t m_linked = 0;
};

Expected<Measured> read(std::string_view text, const std::string& file)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Measured m;
    m.file = file;
    m.format = "PyTorch execution trace";
    auto document = lenient_json(text, file, m.skipped);
    if (!document)
        return document.error();
    const Json* nodes = at(*document, "nodes");
    if (!nodes || !nodes->is_array())
        return bad_input("this execution trace has no list of nodes", Place{file, 0, "/nodes"}, {}, "the file of torch.profiler.ExecutionTraceObserver");
    Reader reader(**rules, m.skipped);
    ExecutionGraph graph = reader.read(*document);
    graph.schema = text_at(*document, "schema");
    m.notes.push_back("An execution trace has no durations: a profiler trace of the same run, joined by the Record function id (rf_id), has them.");
    if (reader.linked() == 0)
        m.notes.push_back("No node has an rf_id: this trace cannot be joined with a profiler trace.");
    m.facts = graph_facts(graph);
    m.facts["pid"] = at(*document, "pid") ? *at(*document, "pid") : Json();
    m.content = std::move(graph);
    return m;
}

} // namespace

TextFormat pytorch_graph_format() { return {"PyTorch execution trace", recognises, read}; }

} // namespace ridgepoint
