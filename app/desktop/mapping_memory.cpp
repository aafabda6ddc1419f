#include "app/desktop/mapping_memory.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QStandardPaths>

#include "model/measured/tables/mapping_check.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr qint64 largest_mapping = 16 * 1024 * 1024;

    QString file_of(const std::vector<std::string>& header)
    {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const std::string& column : header) {
            hash.addData(QByteArray::number(static_cast<qulonglong>(column.size())) + ':'); // "a","bc" is not "ab","c"
            hash.addData(QByteArray::fromStdString(column));
        }
        return MappingMemory::folder() + QLatin1Char('/') + QString::fromLatin1(hash.result().toHex().left(32)) + QStringLiteral(".json");
    }

} // namespace

QString MappingMemory::folder() { return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/column-mappings"); }

std::optional<ColumnMapping> MappingMemory::find(const std::vector<std::string>& header)
{
    QFile file(file_of(header));
    if (!file.open(QIODevice::ReadOnly) || file.size() > largest_mapping)
        return std::nullopt;
    Expected<ColumnMapping> mapping = read_mapping(file.readAll().toStdString(), to_std(file.fileName()));
    return mapping ? std::optional(std::move(*mapping)) : std::nullopt;
}

Status MappingMemory::keep(const std::vector<std::string>& header, const ColumnMapping& mapping)
{
    const QString name = file_of(header);
    QSaveFile file(name);
    const QByteArray text = QByteArray::fromStdString(write_mapping(mapping));
    if (!QDir().mkpath(folder()) || !file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        return io_error("The column mapping cannot be remembered: " + to_std(file.errorString()), to_std(name));
    return Done{};
}

void MappingMemory::forget(const std::vector<std::string>& header) { QFile::remove(file_of(header)); }

MeasuredView remembered_view(std::shared_ptr<const Measured> measured)
{
    if (const auto* table = std::get_if<MeasuredTable>(&measured->content))
        if (const auto mapping = MappingMemory::find(table->columns); mapping && has_columns(*table, *mapping))
            if (Expected<MeasuredView> view = mapped_view(measured, *mapping))
                return std::move(*view);
    return view_of(std::move(measured));
}

} // namespace ridgepoint
