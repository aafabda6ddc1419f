#pragma once
// The open plan: its file, its undo history and the catalogue it is read against. Every change of the plan passes
// through here as one undo step.

#include <string>
#include <utility>
#include <vector>

#include <QObject>
#include <QUndoStack>

#include "model/project/fields.h"
#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint {

class Document final : public QObject {
    Q_OBJECT

public:
    explicit Document(SpecStore specs, QObject* parent = nullptr);

    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] const SpecStore& specs() const { return m_specs; }
    [[nodiscard]] QString file() const { return m_file; } // empty: never saved
    [[nodiscard]] QString title() const; // file name, else the plan's name
    [[nodiscard]] bool is_modified() const;
    QUndoStack* undo_stack() { return &m_stack; }

    // One edit. Consecutive edits of one field are one undo step until end_edit(). Refused edits change nothing.
    Status set_field(const QString& path, const QString& value);
    // Several fields as one undo step of their own, all or none.
    Status set_fields(const std::vector<std::pair<std::string, std::string>>& edits, const QString& label);
    void change_plan(const Plan& plan, const QString& label); // as a whole, one undo step
    void end_edit() { ++m_edit_session; }

    void start(const Plan& plan); // a new, unsaved document
    Status open(const QString& file);
    Status save_as(const QString& file);
    void restore(const Plan& plan, const QString& file); // after a crash: modified from the start

    // Adds a model to this session's catalogue (an imported config.json), without choosing it.
    Status add_model(const std::string& text, const std::string& file);

signals:
    void plan_changed(); // any way: edit, undo, open
    void document_replaced(); // another document than before
    void title_changed();
    void specs_changed();

private:
    friend class SetFieldCommand;
    void assign(const Plan& plan);
    void replace(const Plan& plan, const QString& file);

    SpecStore m_specs;
    Plan m_plan;
    QString m_file;
    QUndoStack m_stack;
    int m_edit_session = 0;
    bool m_restored = false; // unsaved work of an earlier session: modified though the history is empty
};

} // namespace ridgepoint
