// Chakra execution traces (.et): messages one after the other, each behind its length. The first is GlobalMetadata, the
// others are nodes. Source: schema/protobuf/et_def.proto of mlcommons/chakra; the field numbers below are its.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/graphs/graph_builder.h"
#include "model/measured/graphs/graphs.h"
#include "model/trace/protobuf_wire.h"

namespace ridgepoint {
namespace {

constexpr std::uint32_t metadata_version = 1, metadata_attributes = 2;
constexpr std::uint32_t node_id = 1, node_name = 2, node_type = 3, node_control = 4, node_data = 5, node_start = 6, node_duration = 7, node_attributes = 10, last_field = 15;
constexpr std::uint32_t attribute_name = 1, attribute_string = 29;
constexpr std::int64_t send = 5, receive = 6, collective = 7, compute = 4;

struct Attribute {
    std::string_view name, text;
    std::int64_t whole = 0;
    double number = 0;
};

Attribute attribute_of(std::string_view bytes)
{
    Attribute a;
    WireReader reader(bytes);
    while (const auto f = reader.next())
        switch (f->number) {
        case attribute_name: a.name = f->bytes; break;
        case attribute_string: a.text = f->bytes; break;
        case 3: // double and float; the even numbers are lists
        case 5:
            a.number = f->as_double();
            a.whole = std::abs(a.number) < 9e18 ? static_cast<std::int64_t>(a.number) : 0;
            break;
        case 15: // zigzag
        case 17:
            a.whole = f->as_zigzag();
            a.number = static_cast<double>(a.whole);
            break;
        default:
            if (f->number >= 7 && f->number <= 27 && f->number % 2 == 1) {
                a.whole = f->as_int();
                a.number = static_cast<double>(a.whole);
            }
        }
    return a;
}

// Packed numbers, or a single one.
std::int64_t numbers_in(const WireField& f)
{
    if (f.type != WireField::Type::bytes)
        return 1;
    return std::count_if(f.bytes.begin(), f.bytes.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; });
}

struct Reader {
    GraphBuilder builder;
    std::int64_t messages = 0;
    bool first_is_metadata = false;

    void metadata(std::string_view bytes)
    {
        first_is_metadata = true;
        WireReader reader(bytes);
        while (const auto f = reader.next()) {
            // The first schema had attributes where the version stands now: messages, which begin with the tag of their name.
            if (f->number == metadata_version && f->bytes.starts_with('\x0a')) {
                if (const Attribute a = attribute_of(f->bytes); a.name == "schema")
                    builder.graph.schema = a.text.substr(0, 256);
            } else if (f->number == metadata_version && builder.graph.schema.empty())
                builder.graph.schema = f->bytes.substr(0, 256);
            else if (f->number == metadata_attributes)
                if (const Attribute a = attribute_of(f->bytes); a.name == "schema")
                    builder.graph.schema = a.text.substr(0, 256);
        }
    }

    void node(std::string_view bytes)
    {
        std::int64_t type = 0, dependencies = 0, duration_us = -1;
        std::string name;
        double operations = 0, size = 0;
        std::int64_t kind = -1;
        int group = 0;
        WireReader reader(bytes);
        while (const auto f = reader.next())
            switch (f->number) {
            case node_name: name = f->bytes.substr(0, 4096); break;
            case node_type: type = f->as_int(); break;
            case node_control:
            case node_data: dependencies += numbers_in(*f); break;
            case node_duration: duration_us = f->as_int(); break;
            case node_attributes: {
                const Attribute a = attribute_of(f->bytes);
                if (a.name == "num_ops" && a.number > 0)
                    operations = a.number;
                else if (a.name == "comm_size" && a.number > 0)
                    size = a.number;
                else if (a.name == "comm_type")
                    kind = a.whole;
                else if (a.name == "pg_size" && a.whole > 0 && a.whole < (1 << 24))
                    group = static_cast<int>(a.whole);
                break;
            }
            default: break;
            }
        builder.add_node(chakra_node_type(type), dependencies);
        Seconds duration;
        if (duration_us >= 0) {
            duration = Seconds{static_cast<double>(duration_us) * 1e-6};
            builder.graph.duration += duration;
            ++builder.graph.with_duration;
        }
        if (type == collective || type == send || type == receive)
            builder.add_communication(type == send ? "SEND" : type == receive ? "RECV" : kind < 0 ? name : chakra_collective(kind), Bytes{size}, group, duration);
        else if (type == compute || operations > 0)
            builder.add_operator(name, duration, Flops{operations});
    }
};

// A message is a node if it has what only nodes have: an id or a type as a number, or times.
bool looks_like_node(std::string_view bytes)
{
    WireReader reader(bytes);
    while (const auto f = reader.next())
        if (f->type == WireField::Type::varint && (f->number == node_id || f->number == node_type || f->number == node_start || f->number == node_duration))
            return true;
    return false;
}

// Nodes of the first schema (eg_def.proto, .eg) number types and collectives otherwise, and have operations and message sizes in
// fields of their own, where later nodes have none.
bool is_first_schema(std::string_view node)
{
    WireReader reader(node);
    while (const auto f = reader.next())
        if (f->number > node_attributes && f->number <= 20 && f->type == WireField::Type::varint)
            return true;
    return false;
}

bool recognises(std::string_view text)
{
    WireReader reader(text);
    bool any_node = false;
    for (int i = 0; i < 3 && !reader.at_end(); ++i) {
        const auto size = reader.varint();
        if (!size || *size > text.size())
            return false;
        const auto message = reader.take(*size);
        if (!message) // cut inside this message: what came before decides
            return i > 0 && any_node;
        if (message->empty() && i > 0)
            return false;
        if (!is_message(*message, last_field))
            return false;
        any_node = any_node || looks_like_node(*message);
    }
    return any_node;
}

Expected<Measured> read(std::string_view text, const std::string& file)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Measured m;
    m.file = file;
    m.format = "Chakra execution trace (protocol buffer)";
    Reader reader{GraphBuilder(**rules)};
    WireReader stream(text);
    while (!stream.at_end()) {
        const std::size_t at = stream.offset();
        const auto size = stream.varint();
        const auto message = size ? stream.take(*size) : std::nullopt;
        if (!message) {
            skip(m.skipped, "the file ends inside a message; the messages before are kept", fmt::format("byte {}", at));
            break;
        }
        ++reader.messages;
        if (!is_message(*message, 0x1FFF'FFFF))
            skip(m.skipped, "message that is no protocol buffer", fmt::format("byte {}", at));
        else if (reader.messages == 1 && !looks_like_node(*message))
            reader.metadata(*message);
        else if (is_first_schema(*message))
            return bad_input("an execution graph of Chakra's first schema (.eg)", Place{file, 0, {}}, fmt::format("a node at byte {} with fields of that schema", at), "an execution trace (.et) of schema 0.0.4 or later");
        else
            reader.node(*message);
    }
    ExecutionGraph graph = reader.builder.take();
    m.notes.push_back("Durations are in microseconds by the schema; some producers before 1.0 wrote nanoseconds.");
    m.facts = graph_facts(graph);
    m.facts["bytes"] = text.size();
    m.facts["length_delimited_messages"] = reader.messages;
    m.facts["first_is_GlobalMetadata"] = reader.first_is_metadata;
    m.content = std::move(graph);
    return m;
}

} // namespace

TextFormat chakra_protobuf_format() { return {"Chakra execution trace (protocol buffer)", recognises, read}; }

} // namespace ridgepoint
