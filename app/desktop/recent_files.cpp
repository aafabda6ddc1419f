#include "app/desktop/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace ridgepoint {
namespace {

    const QString key = QStringLiteral("recent_files");

} // namespace

QStringList RecentFiles::list() { return QSettings().value(key).toStringList(); }

void RecentFiles::add(const QString& file)
{
    const QString path = QFileInfo(file).absoluteFilePath();
    QStringList files = list();
    files.removeAll(path);
    files.prepend(path);
    while (files.size() > limit)
        files.removeLast();
    QSettings().setValue(key, files);
}

void RecentFiles::remove(const QString& file)
{
    QStringList files = list();
    files.removeAll(file);
    QSettings().setValue(key, files);
}

void RecentFiles::clear() { QSettings().remove(key); }

} // namespace ridgepoint
