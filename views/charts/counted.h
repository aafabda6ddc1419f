#pragma once
// "1 operator", "12 operators", "20,000 kernels": plural forms without a translation of the source language.

#include <QLocale>
#include <QString>

namespace ridgepoint {

// `many` has %1 for the number.
inline QString counted(qint64 n, const QString& one, const QString& many)
{
    return n == 1 ? one : many.arg(QLocale().toString(n));
}

} // namespace ridgepoint
