#pragma once
// The tables of sources: "source": "nvidia-h100" in a spec is a key into the document's own "sources" or into the shared
// specs/sources.json; a text that is no key stands for itself ("our vendor's quote of May 2026").

#include <map>
#include <optional>
#include <string>

#include "model/specs/json_document.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct Source {
    std::string title;
    std::string url;
    std::string date;
};

class SourceTable {
public:
    // Adds the object at `pointer` + "/sources": key -> {title, url, date, ...}. Later tables win.
    Status read(const JsonDocument& document, const std::string& pointer);
    // The document's own table, if it has one.
    Status read_inline(const JsonDocument& document);

    // For the value at `pointer`, or the nearest object around it that names a source.
    [[nodiscard]] std::optional<Provenance> provenance(const JsonDocument& document, const std::string& pointer) const;

private:
    [[nodiscard]] const Source* find(const std::string& key) const;
    void describe(const nlohmann::json& source, const SourceTable& own, Provenance& out) const;

    std::map<std::string, Source> m_sources;
};

} // namespace ridgepoint
