// Chakra execution traces as JSON: one object with "workload_graph" (Id, Name, NodeType, runtime; 2023), with "nodes", or
// the protocol buffer's messages one after the other as its own JSON writer prints them.

#include <algorithm>

#include <fmt/format.h>

#include "model/measured/graphs/graph_builder.h"
#include "model/measured/graphs/graphs.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool recognises(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return false;
    const std::string_view head = text.substr(0, 65536);
    const auto has = [&](std::string_view what) { return head.find(what) != std::string_view::npos; };
    if (has("\"traceEvents\""))
        return false;
    return has("\"workload_graph\"") || has("_NODE\"") || ((has("\"ctrl_deps\"") || has("\"data_deps\"") || has("\"ctrlDeps\"") || has("\"dataDeps\"")) && (has("\"type\"") || has("\"NodeType\"") || has("\"nodeType\"")));
}

const Json* any_of(const Json& node, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (const auto at = node.find(key); at != node.end())
            return &*at;
    return nullptr;
}

std::optional<double> number_of_any(const Json& node, std::initializer_list<const char*> keys)
{
    const Json* v = any_of(node, keys);
    return v ? number_of(*v) : std::nullopt;
}

// The value of an attribute: {"name": "comm_size", "int64Val": "123"}, {"name": ..., "int64_val": 123}, {"value": 123}.
const Json* attribute(const Json& node, const std::string& name)
{
    const Json* attributes = any_of(node, {"attr", "attrs", "attribute"});
    if (!attributes || !attributes->is_array())
        return nullptr;
    for (const Json& a : *attributes)
        if (a.is_object() && text_at(a, "name") == name)
            for (const auto& [key, value] : a.items())
                if (key != "name" && key != "docString" && key != "doc_string" && key != "type" && !value.is_object() && !value.is_array())
                    return &value;
    return nullptr;
}

struct Reader {
    GraphBuilder builder;
    std::vector<Skipped>& skipped;

    void node(const Json& n, std::size_t index)
    {
        if (!n.is_object()) {
            skip(skipped, "node that is no object", fmt::format("node {}", index));
            return;
        }
        const Json* type_value = any_of(n, {"type", "NodeType", "nodeType", "node_type"});
        std::string type = type_value && type_value->is_string() ? type_value->get<std::string>() : chakra_node_type(type_value ? static_cast<std::int64_t>(std::clamp(number_of(*type_value).value_or(0), -1e9, 1e9)) : 0);
        std::int64_t dependencies = 0;
        for (const char* key : {"ctrl_deps", "data_deps", "ctrlDeps", "dataDeps"})
            if (const auto at = n.find(key); at != n.end() && at->is_array())
                dependencies += static_cast<std::int64_t>(at->size());
        builder.add_node(type, dependencies);
        const Json* name_value = any_of(n, {"name", "Name"});
        const std::string name = name_value && name_value->is_string() ? name_value->get<std::string>() : std::string();
        Seconds duration;
        if (const auto us = number_of_any(n, {"duration_micros", "durationMicros", "runtime"}); us && *us >= 0 && *us < 1e15) {
            duration = Seconds{*us * 1e-6};
            builder.graph.duration += duration;
            ++builder.graph.with_duration;
        }
        if (type.find("COMM_") != std::string::npos)
            communication(n, type, name, duration);
        else if (type == "COMP_NODE" || type.find("MEM_") == std::string::npos) {
            const Json* operations = attribute(n, "num_ops");
            const double flops = operations ? number_of(*operations).value_or(0) : number_of_any(n, {"num_ops"}).value_or(0);
            builder.add_operator(name, duration, Flops{flops > 0 && flops < 1e30 ? flops : 0});
        }
    }

    void communication(const Json& n, const std::string& type, const std::string& name, Seconds duration)
    {
        const Json* kind = attribute(n, "comm_type");
        if (!kind)
            kind = any_of(n, {"comm_type", "commType"});
        const Json* stated = attribute(n, "comm_size");
        const double size = (stated ? number_of(*stated) : number_of_any(n, {"comm_size", "commSize"})).value_or(0);
        const Json* group = attribute(n, "pg_size");
        const double ranks = group ? number_of(*group).value_or(0) : 0;
        std::string what = name; // without a kind, the kernel's or operator's name tells
        if (type.find("SEND") != std::string::npos)
            what = "SEND";
        else if (type.find("RECV") != std::string::npos)
            what = "RECV";
        else if (kind && kind->is_string() && !number_of(*kind))
            what = kind->get<std::string>();
        else if (kind)
            if (const auto v = number_of(*kind); v && *v >= 0 && *v < 1e6)
                what = chakra_collective(static_cast<std::int64_t>(*v));
        builder.add_communication(what, Bytes{size > 0 && size < 1e18 ? size : 0}, ranks > 0 && ranks < 1e7 ? static_cast<int>(ranks) : 0, duration);
    }
};

// Objects one after the other, in any layout: cut where the brackets close.
std::vector<std::string_view> objects_in(std::string_view text)
{
    std::vector<std::string_view> out;
    int depth = 0;
    bool in_string = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' && depth++ == 0) {
            begin = i;
        } else if (c == '}' && depth > 0 && --depth == 0) {
            out.push_back(text.substr(begin, i + 1 - begin));
        }
    }
    if (depth > 0)
        out.push_back(text.substr(begin)); // ends early
    return out;
}

Expected<Measured> read(std::string_view text, const std::string& file)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Measured m;
    m.file = file;
    m.format = "Chakra execution trace (JSON)";
    Reader reader{GraphBuilder(**rules), m.skipped};
    const auto objects = text.find_first_not_of(" \t\r\n") == text.find('[') ? std::vector<std::string_view>{text} : objects_in(text);
    std::size_t index = 0;
    for (const std::string_view object : objects) {
        const auto document = lenient_json(object, file, m.skipped);
        if (!document) {
            if (objects.size() == 1)
                return document.error();
            skip(m.skipped, "object that is no JSON", fmt::format("object {}", index + 1));
            continue;
        }
        const Json& d = *document;
        const Json* list = d.is_array() ? &d : d.is_object() ? any_of(d, {"workload_graph", "nodes", "node"}) : nullptr;
        if (list && list->is_array()) {
            for (const Json& n : *list)
                reader.node(n, ++index);
        } else if (d.is_object() && (d.contains("type") || d.contains("NodeType") || d.contains("nodeType") || d.contains("id"))) {
            reader.node(d, ++index);
        }
        if (d.is_object() && reader.builder.graph.schema.empty()) {
            reader.builder.graph.schema = text_at(d, "schema").empty() ? text_at(d, "version") : text_at(d, "schema");
            if (const Json* schema = attribute(d, "schema"); schema && schema->is_string())
                reader.builder.graph.schema = schema->get<std::string>();
        }
    }
    if (reader.builder.graph.nodes == 0)
        return bad_input("this Chakra file has no nodes", Place{file, 0, {}}, {}, "an execution trace with its nodes");
    ExecutionGraph graph = reader.builder.take();
    m.notes.push_back("Durations are taken as microseconds, as the schema says.");
    m.facts = graph_facts(graph);
    m.facts["bytes"] = text.size();
    m.content = std::move(graph);
    return m;
}

} // namespace

TextFormat chakra_json_format() { return {"Chakra execution trace (JSON)", recognises, read}; }

} // namespace ridgepoint
