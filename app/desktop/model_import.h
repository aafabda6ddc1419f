#pragma once
// A Hugging Face config.json as a model of the session's catalogue.

#include <string>

#include <QString>

#include "model/base/error.h"

namespace ridgepoint {

struct ImportedModel {
    std::string id;
    std::string spec; // JSON text of the model spec
};
Expected<ImportedModel> import_config(const QString& file);

} // namespace ridgepoint
