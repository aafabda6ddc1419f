#include "model/project/migrations.h"

namespace ridgepoint {

// Version 1 is the first: nothing to do yet. When the format changes, raise plan_format_version and add a step here.
Expected<JsonDocument> migrate(JsonDocument document) { return migrate(std::move(document), {}); }

Expected<JsonDocument> migrate(JsonDocument document, std::span<const MigrationStep> steps)
{
    const nlohmann::json* version = document.find("/ridgepoint");
    if (version == nullptr || !version->is_number_integer())
        return document;
    const auto from = version->get<std::int64_t>();
    if (from < 1 || from > static_cast<std::int64_t>(steps.size()))
        return document;
    nlohmann::json root = document.root();
    for (auto i = static_cast<std::size_t>(from - 1); i < steps.size(); ++i)
        steps[i](root);
    root["ridgepoint"] = static_cast<std::int64_t>(steps.size()) + 1;
    return parse_json(root.dump(2), document.file());
}

} // namespace ridgepoint
