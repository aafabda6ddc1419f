#pragma once
// A Hugging Face config.json as a model of the session's catalogue.

#include <string>

#include <QString>

#include "model/base/error.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct ImportedModel {
    std::string id; // one that the catalogue does not have yet: an import never replaces a built-in model
    std::string spec; // JSON text of the model spec
};
Expected<ImportedModel> import_config(const QString& file, const SpecStore& specs);

} // namespace ridgepoint
