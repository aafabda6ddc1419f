#pragma once
// A small table of ready-made cells: what is shown, what it is sorted by, and which thing a row stands for.

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>

#include <vector>

namespace ridgepoint {

struct TableCell {
    QString text;
    QVariant key; // sorted and exported by; invalid: the text
};

struct TableColumn {
    QString title;
    bool right = false; // numbers
    QString raw_title; // of CSV, with the unit; empty: the title
};

class CellTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int sort_role = Qt::UserRole;
    static constexpr int id_role = Qt::UserRole + 1;

    using Row = std::vector<TableCell>;
    using QAbstractTableModel::QAbstractTableModel;

    // `ids`: one a row, so that a selection survives new contents; empty: rows are numbered.
    void set_table(std::vector<TableColumn> columns, std::vector<Row> rows, std::vector<quint64> ids = {});

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::vector<TableColumn> m_columns;
    std::vector<Row> m_rows;
    std::vector<quint64> m_ids;
};

} // namespace ridgepoint
