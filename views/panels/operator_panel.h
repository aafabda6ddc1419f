#pragma once
// The operators as a table with a filter, linked to the charts by the index of the operator.

#include <QWidget>

#include "views/items/operator_table_model.h"

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace ridgepoint {

class OperatorPanel final : public QWidget {
    Q_OBJECT

public:
    explicit OperatorPanel(QWidget* parent = nullptr);

    void set_operators(const OperatorList& operators, const RooflineModel& roofline, const QStringList& layer_names);
    void set_selection(const QList<int>& operators); // emits nothing
    [[nodiscard]] QList<int> selection() const;
    [[nodiscard]] QTableView* table() const { return m_table; }
    [[nodiscard]] OperatorTableModel* model() const { return m_model; }

signals:
    void selection_changed(const QList<int>& operators); // by the user

private:
    void copy(bool only_selected);
    void save_csv();
    void show_menu(QPoint position);

    OperatorTableModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QLineEdit* m_filter;
    QTableView* m_table;
    bool m_quiet = false;
};

} // namespace ridgepoint
