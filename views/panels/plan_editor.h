#pragma once
// The plan, every field of it, drawn from plan_fields(). Shows values and reports edits; holds no plan of its own.

#include <vector>

#include <QHash>
#include <QScrollArea>
#include <QWidget>

#include "model/project/fields.h"

class QLineEdit;

namespace ridgepoint {

class CollapsibleGroup;
class FieldRow;

class PlanEditor final : public QWidget {
    Q_OBJECT

public:
    explicit PlanEditor(QWidget* parent = nullptr);

    void set_catalogue(const SpecStore& specs); // models and instances to choose from
    void set_plan(const Plan& plan);
    void show_error(const QString& path, const QString& error); // an edit that was refused

    [[nodiscard]] FieldRow* row(const QString& path) const { return m_rows.value(path); }
    [[nodiscard]] const std::vector<FieldRow*>& rows() const { return m_order; }
    void focus_field(const QString& path); // opens its group and scrolls to it
    void focus_search();

signals:
    void field_edited(const QString& path, const QString& value);
    void editing_finished();

private:
    void build();
    void show_rows();

    std::vector<FieldRow*> m_order;
    QHash<QString, FieldRow*> m_rows;
    std::vector<std::pair<CollapsibleGroup*, std::vector<FieldRow*>>> m_groups;
    QLineEdit* m_search = nullptr;
    QScrollArea* m_scroll = nullptr;
    Plan m_shown;
};

} // namespace ridgepoint
