#include "views/items/preview_model.h"

#include <algorithm>

#include <QGuiApplication>
#include <QPalette>

#include "views/theme/theme.h"
#include "views/widgets/text.h"

namespace ridgepoint {

PreviewModel::PreviewModel(std::shared_ptr<const MeasuredTable> table, QObject* parent)
    : QAbstractTableModel(parent), m_table(std::move(table)), m_meanings(m_table->columns.size())
{
}

void PreviewModel::set_wrong(std::map<std::pair<int, int>, QString> wrong, std::vector<QString> meanings)
{
    beginResetModel();
    m_wrong = std::move(wrong);
    m_meanings = std::move(meanings);
    m_meanings.resize(m_table->columns.size());
    endResetModel();
}

int PreviewModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(std::min<std::size_t>(m_table->rows.size(), most_rows));
}

int PreviewModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_table->columns.size()); }

QVariant PreviewModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto wrong = m_wrong.find({index.row(), index.column()});
    const auto column = static_cast<std::size_t>(index.column());
    switch (role) {
    case Qt::DisplayRole: {
        const auto& row = m_table->rows[static_cast<std::size_t>(index.row())];
        const QString text = column < row.size() ? to_qt(row[column]).left(200) : QString();
        return wrong == m_wrong.end() ? text : QStringLiteral("⚠ ") + text; // never by colour alone
    }
    case Qt::ToolTipRole:
        return wrong == m_wrong.end() ? QVariant() : QVariant(wrong->second);
    case Qt::ForegroundRole: {
        const QPalette palette = QGuiApplication::palette();
        if (wrong != m_wrong.end())
            return Theme::from_palette(palette).danger;
        return m_meanings[column].isEmpty() ? QVariant(palette.color(QPalette::PlaceholderText)) : QVariant();
    }
    default:
        return {};
    }
}

QVariant PreviewModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    const auto column = static_cast<std::size_t>(section);
    if (section < 0 || column >= m_table->columns.size())
        return {};
    if (role == Qt::DisplayRole) {
        const QString name = to_qt(m_table->columns[column]);
        return QStringLiteral("%1\n%2").arg(name, m_meanings[column].isEmpty() ? tr("left out") : m_meanings[column]);
    }
    return {};
}

} // namespace ridgepoint
