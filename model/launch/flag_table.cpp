#include "model/launch/flag_table.h"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, launch_framework_count> names = {"megatron-lm", "megatron-bridge", "torchtitan", "accelerate-fsdp", "maxtext",
    "vllm", "sglang", "tensorrt-llm"};
constexpr std::array<std::string_view, 6> types = {"flag", "boolean", "whole", "number", "text", "choice"};
constexpr std::size_t most_flags = 5000;

std::string dashed(std::string_view name)
{
    std::string out(name);
    if (out.starts_with("--"))
        std::ranges::replace(out, '_', '-');
    return out;
}

class Reader {
public:
    explicit Reader(const JsonDocument& document)
        : m_document(document)
    {
    }

    std::string text(const std::string& pointer)
    {
        const nlohmann::json* v = m_document.find(pointer);
        if (v && v->is_string())
            return v->get<std::string>();
        fail(pointer, "a text is missing");
        return {};
    }
    std::vector<std::string> texts(const std::string& pointer)
    {
        std::vector<std::string> out;
        const nlohmann::json* v = m_document.find(pointer);
        if (!v)
            return out;
        if (!v->is_array() || v->size() > 200)
            fail(pointer, "not a list of at most 200 texts");
        else
            for (const nlohmann::json& item : *v)
                item.is_string() ? out.push_back(item.get<std::string>()) : fail(pointer, "not a list of texts");
        return out;
    }
    void fail(const std::string& pointer, std::string message, std::string found = {}, std::string expected = {})
    {
        if (!m_error)
            m_error = bad_input(std::move(message), m_document.place_of(pointer), std::move(found), std::move(expected));
    }

    FlagSpec flag(const nlohmann::json& row, const std::string& at)
    {
        FlagSpec f;
        f.name = text(at + "/flag");
        f.meaning = text(at + "/meaning");
        f.aliases = texts(at + "/aliases");
        f.allowed = texts(at + "/allowed");
        const std::string type = text(at + "/type");
        const auto* known = std::ranges::find(types, type);
        if (known == types.end())
            fail(at + "/type", "unknown type", type, "flag, boolean, whole, number, text or choice");
        else
            f.type = static_cast<FlagType>(known - types.begin());
        if (f.type == FlagType::choice && f.allowed.empty())
            fail(at, "a choice without allowed values");
        if (const auto it = row.find("minimum"); it != row.end() && it->is_number())
            f.minimum = it->get<double>();
        if (const auto it = row.find("many"); it != row.end() && it->is_boolean())
            f.many = it->get<bool>();
        if (const auto it = row.find("megatron_lm"); it != row.end() && it->is_string())
            f.megatron_lm = it->get<std::string>();
        if (const auto it = row.find("negated"); it != row.end() && it->is_boolean())
            f.negated = it->get<bool>();
        return f;
    }

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    const JsonDocument& m_document;
    std::optional<Error> m_error;
};

} // namespace

std::string_view name_of(LaunchFramework f) { return names[static_cast<std::size_t>(f)]; }

std::optional<LaunchFramework> parse_launch_framework(std::string_view name)
{
    const auto* it = std::ranges::find(names, name);
    return it == names.end() ? std::nullopt : std::optional(static_cast<LaunchFramework>(it - names.begin()));
}

bool trains(LaunchFramework f) { return f < LaunchFramework::vllm; }

const FlagSpec* FlagTable::find(std::string_view name) const
{
    const bool either = framework == LaunchFramework::vllm || framework == LaunchFramework::sglang;
    const std::string wanted = either ? dashed(name) : std::string(name);
    const auto it = std::ranges::find_if(flags, [&](const FlagSpec& f) { return f.name == wanted || std::ranges::find(f.aliases, wanted) != f.aliases.end(); });
    return it == flags.end() ? nullptr : &*it;
}

Expected<FlagTable> flag_table_from_json(const std::string& text, const std::string& file)
{
    Expected<JsonDocument> document = parse_json(text, file);
    if (!document)
        return document.error();
    Reader r(*document);
    FlagTable t;
    const std::string framework = r.text("/framework");
    const std::optional<LaunchFramework> known = parse_launch_framework(framework);
    if (!known)
        r.fail("/framework", "unknown framework", framework);
    t.framework = known.value_or(LaunchFramework::megatron_lm);
    t.title = r.text("/title");
    t.version = r.text("/version");
    t.source = r.text("/sources/0/url");
    r.text("/sources/0/date");
    const nlohmann::json* flags = document->find("/flags");
    if (!flags || !flags->is_array() || flags->size() > most_flags)
        return bad_input("no list of flags", document->place_of("/flags"), {}, "at most 5000");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < flags->size() && !r.error(); ++i) {
        const std::string at = "/flags/" + std::to_string(i);
        t.flags.push_back(r.flag((*flags)[i], at));
        std::vector<std::string> all = t.flags.back().aliases;
        all.push_back(t.flags.back().name);
        for (const std::string& name : all)
            if (!seen.insert(name).second)
                r.fail(at, "a name is given twice", name);
    }
    if (const nlohmann::json* flavors = document->find("/flavors"); flavors && flavors->is_array())
        for (std::size_t i = 0; i < flavors->size() && i < most_flags; ++i) {
            const std::string at = "/flavors/" + std::to_string(i);
            t.flavors[r.text(at + "/model")] = {r.text(at + "/name"), r.text(at + "/flavor")};
        }
    if (r.error())
        return *r.error();
    return t;
}

} // namespace ridgepoint
