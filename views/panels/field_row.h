#pragma once
// One field of the plan in the editor: label, editor fit for its type, reset arrow, information button.

#include <QObject>
#include <QList>
#include <QPair>
#include <QString>

#include "model/project/fields.h"

class QGridLayout;
class QLabel;
class QToolButton;
class QWidget;

namespace ridgepoint {

class FieldRow final : public QObject {
    Q_OBJECT

public:
    // `choices` of model and instance fields: id and label of everything in the catalogue.
    using Choices = QList<QPair<QString, QString>>;

    FieldRow(const PlanField& field, QGridLayout* grid, int row, QWidget* parent);

    [[nodiscard]] const PlanField& field() const { return m_field; }
    [[nodiscard]] QString path() const { return m_path; }
    [[nodiscard]] QWidget* editor() const { return m_editor; }
    [[nodiscard]] QToolButton* reset_button() const { return m_reset; }
    [[nodiscard]] QToolButton* info_button() const { return m_info; }
    [[nodiscard]] bool is_changed() const; // differs from its default
    [[nodiscard]] bool is_shown() const { return m_shown; }
    [[nodiscard]] QString value_text() const { return m_value; }

    void set_choices(const Choices& choices);
    void restrict_choices(const std::vector<std::string>& values); // those that make sense for the plan
    void set_value(const QString& value, const QString& default_value); // as in the file; emits nothing
    void set_error(const QString& error); // under the editor until the next value; empty: none
    void set_shown(bool shown);
    [[nodiscard]] bool matches(const QString& search) const;

signals:
    void edited(const QString& path, const QString& value); // by the user, after every key or click
    void finished(); // the user left the field or chose an item: the next edit is a new one

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void make_editor(QWidget* parent);
    void report(const QString& value);
    void update_reset();
    void update_tips();
    [[nodiscard]] bool same(const QString& a, const QString& b) const; // as values, not as text
    [[nodiscard]] QString describe() const; // rich text: help, range, unit, default, source

    PlanField m_field;
    QString m_path;
    QString m_value;
    QString m_default;
    bool m_shown = true;
    QLabel* m_label = nullptr;
    QWidget* m_editor = nullptr;
    QToolButton* m_reset = nullptr;
    QToolButton* m_info = nullptr;
    QLabel* m_error = nullptr;
};

} // namespace ridgepoint
