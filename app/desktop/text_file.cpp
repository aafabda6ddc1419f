#include "app/desktop/text_file.h"

#include <QSaveFile>

#include "views/widgets/text.h"

namespace ridgepoint {

Status write_text_file(const std::string& text, const QString& file, const std::string& what)
{
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0 || !out.commit())
        return io_error(what + " cannot be written: " + to_std(out.errorString()), to_std(file));
    return Done{};
}

} // namespace ridgepoint
