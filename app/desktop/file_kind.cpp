#include "app/desktop/file_kind.h"

#include <QFile>
#include <QFileInfo>

namespace ridgepoint {
namespace {

    constexpr qint64 looked_at = 256 * 1024;

} // namespace

FileKind kind_of_file(const QString& name)
{
    if (QFileInfo(name).suffix().compare(QStringLiteral("ridgepoint"), Qt::CaseInsensitive) == 0)
        return FileKind::Plan; // also a broken one: its errors are those of a plan
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return FileKind::Unknown;
    const QByteArray head = file.read(looked_at);
    if (head.startsWith("\x1f\x8b") || head.contains("\"traceEvents\"") || head.contains("\"deviceProperties\"") || head.contains("\"ph\""))
        return FileKind::Trace;
    if (head.contains("\"ridgepoint\""))
        return FileKind::Plan;
    if (head.contains("\"model_type\"") || head.contains("\"architectures\"") || head.contains("\"hidden_size\""))
        return FileKind::ModelConfig;
    constexpr qint64 shortest = 16; // bytes; no measured file is shorter
    return file.size() >= shortest ? FileKind::Trace : FileKind::Unknown; // the readers of measured files say what they know
}

} // namespace ridgepoint
