#pragma once
// What a dropped or opened file is, told by its content rather than its name.

#include <QString>

namespace ridgepoint {

enum class FileKind { Plan, Trace, ModelConfig, Unknown };

FileKind kind_of_file(const QString& file);

} // namespace ridgepoint
