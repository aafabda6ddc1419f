#pragma once
// Between the engine's UTF-8 strings and Qt's.

#include <string>
#include <string_view>

#include <QString>

namespace ridgepoint {

inline QString to_qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
inline std::string to_std(const QString& text) { return text.toStdString(); }

} // namespace ridgepoint
