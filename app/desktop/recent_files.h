#pragma once
// The plans and traces opened last, newest first, kept in the settings.

#include <QStringList>

namespace ridgepoint {

class RecentFiles {
public:
    static constexpr int limit = 10;
    static QStringList list();
    static void add(const QString& file);
    static void remove(const QString& file);
    static void clear();
};

} // namespace ridgepoint
