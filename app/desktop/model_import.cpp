#include "app/desktop/model_import.h"

#include "views/widgets/text.h"

namespace ridgepoint {

Expected<ImportedModel> import_config(const QString& file)
{
    return bad_input("Importing a config.json is not wired up yet", Place{to_std(file), 0, {}});
}

} // namespace ridgepoint
