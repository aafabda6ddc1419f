#include "views/items/cell_table_model.h"

#include <utility>

namespace ridgepoint {

void CellTableModel::set_table(std::vector<TableColumn> columns, std::vector<Row> rows, std::vector<quint64> ids)
{
    beginResetModel();
    m_columns = std::move(columns);
    m_rows = std::move(rows);
    m_ids = std::move(ids);
    for (Row& row : m_rows)
        row.resize(m_columns.size());
    while (m_ids.size() < m_rows.size())
        m_ids.push_back(m_ids.size());
    endResetModel();
}

QVariant CellTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_rows.size())
        return {};
    const auto row = static_cast<std::size_t>(index.row()), column = static_cast<std::size_t>(index.column());
    const TableCell& cell = m_rows[row][column];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return cell.text;
    case sort_role:
        return cell.key.isValid() ? cell.key : QVariant(cell.text);
    case id_role:
        return QVariant::fromValue(m_ids[row]);
    case Qt::TextAlignmentRole:
        return QVariant((m_columns[column].right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant CellTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || static_cast<std::size_t>(section) >= m_columns.size())
        return {};
    const TableColumn& column = m_columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return column.title;
    case sort_role:
        return column.raw_title.isEmpty() ? column.title : column.raw_title;
    case Qt::TextAlignmentRole:
        return QVariant((column.right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

} // namespace ridgepoint
