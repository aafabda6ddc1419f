#include "views/items/csv.h"

#include <charconv>
#include <cmath>

namespace ridgepoint {

QString csv_cell(const QString& text)
{
    if (!text.contains(QLatin1Char('"')) && !text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('\n'))
        && !text.contains(QLatin1Char('\r')))
        return text;
    QString quoted = text;
    quoted.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    return QLatin1Char('"') + quoted + QLatin1Char('"');
}

QString csv_number(double value)
{
    if (!std::isfinite(value))
        return {};
    char buffer[64];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
    return QString::fromLatin1(buffer, end.ptr - buffer);
}

QString csv_line(const QStringList& cells)
{
    QStringList quoted;
    quoted.reserve(cells.size());
    for (const QString& c : cells)
        quoted << csv_cell(c);
    return quoted.join(QLatin1Char(',')) + QStringLiteral("\r\n");
}

QString to_csv(const QAbstractItemModel& model, int raw_role, const QModelIndexList& rows)
{
    QStringList header;
    for (int c = 0; c < model.columnCount(); ++c)
        header << model.headerData(c, Qt::Horizontal, raw_role).toString();
    QString out = csv_line(header);
    QList<int> chosen;
    for (const QModelIndex& i : rows)
        if (!chosen.contains(i.row()))
            chosen << i.row();
    std::sort(chosen.begin(), chosen.end());
    if (rows.isEmpty())
        for (int r = 0; r < model.rowCount(); ++r)
            chosen << r;
    for (const int r : chosen) {
        QStringList cells;
        for (int c = 0; c < model.columnCount(); ++c) {
            const QVariant raw = model.index(r, c).data(raw_role);
            cells << (raw.typeId() == QMetaType::Double ? csv_number(raw.toDouble()) : raw.toString());
        }
        out += csv_line(cells);
    }
    return out;
}

} // namespace ridgepoint
