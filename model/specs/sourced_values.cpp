#include "model/specs/sourced_values.h"

#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

class Collector {
public:
    Collector(const SpecStore& store, SpecKind kind, const std::string& id) : m_store(store), m_kind(kind), m_id(id) {}

    void walk(const json& object, const std::string& pointer, std::vector<SourcedValues>& out) const
    {
        if (object.contains("source") && !object.contains("value"))
            if (auto p = m_store.provenance(m_kind, m_id, pointer))
                out.push_back({pointer, std::move(*p), values(object, pointer)});
        for (const auto& [key, child] : object.items())
            if (child.is_object() && key != "sources" && !child.contains("value"))
                walk(child, pointer + "/" + escape_pointer_token(key), out);
    }

private:
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> values(const json& object, const std::string& pointer) const
    {
        std::vector<std::pair<std::string, std::string>> out;
        for (const auto& [key, child] : object.items()) {
            if (!child.is_object() || !child.contains("value") || key == "rows" || key.starts_with("residual_"))
                continue;
            if (const auto p = m_store.provenance(m_kind, m_id, pointer + "/" + escape_pointer_token(key)))
                out.emplace_back(key, p->value);
        }
        return out;
    }

    const SpecStore& m_store;
    SpecKind m_kind;
    const std::string& m_id;
};

} // namespace

std::vector<SourcedValues> sourced_values(const SpecStore& store, SpecKind kind, const std::string& id)
{
    std::vector<SourcedValues> out;
    if (const Expected<const json*> document = store.document(kind, id); document && (*document)->is_object())
        Collector(store, kind, id).walk(**document, {}, out);
    return out;
}

} // namespace ridgepoint
