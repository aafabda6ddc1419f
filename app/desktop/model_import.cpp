#include "app/desktop/model_import.h"

#include <QFile>

#include <nlohmann/json.hpp>

#include "model/transformer/import_hf.h"
#include "model/transformer/read.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr qint64 largest_config = 4 * 1024 * 1024;

} // namespace

Expected<ImportedModel> import_config(const QString& name, const SpecStore& specs)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return io_error("The file cannot be read: " + to_std(file.errorString()), to_std(name));
    if (file.size() > largest_config)
        return bad_input("The file is too large for a model's configuration", Place{to_std(name), 0, {}}, std::to_string(file.size()) + " bytes", "at most 4 MiB");
    Expected<Transformer> model = import_hf_config(file.readAll().toStdString(), to_std(name));
    if (!model)
        return model.error();
    const std::string wanted = model->id;
    for (int i = 1; specs.contains(SpecKind::model, model->id); ++i)
        model->id = wanted + "-imported" + (i > 1 ? std::to_string(i) : std::string());
    if (model->id != wanted)
        model->name += " (imported)";
    return ImportedModel{model->id, to_spec_json(*model).dump(2)};
}

} // namespace ridgepoint
