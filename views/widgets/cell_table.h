#pragma once
// A read-only table to sort, walk by keyboard and copy from. New contents keep the selected row, the order and the widths.

#include <optional>

#include <QTableView>

#include "views/items/cell_table_model.h"

class QSortFilterProxyModel;

namespace ridgepoint {

class CellTable final : public QTableView {
    Q_OBJECT

public:
    explicit CellTable(const QString& name, QWidget* parent = nullptr);

    void set_table(std::vector<TableColumn> columns, std::vector<CellTableModel::Row> rows, std::vector<quint64> ids = {});
    void set_even(bool even) { m_even = even; } // all columns but the first share the width
    void select_id(std::optional<quint64> id); // emits nothing
    [[nodiscard]] std::optional<quint64> selected_id() const;
    [[nodiscard]] QString csv() const; // all rows, in the order shown

signals:
    void row_selected(quint64 id); // by the user
    void row_activated(quint64 id); // double click, Enter

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void show_menu(QPoint position);
    void save_csv();
    void widen();

    CellTableModel* m_model;
    QSortFilterProxyModel* m_proxy;
    int m_columns = 0; // for which the widths were chosen; negative: without rows
    bool m_even = false;
    bool m_quiet = false;
};

} // namespace ridgepoint
