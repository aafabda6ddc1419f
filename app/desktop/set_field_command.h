#pragma once
// One edit of one field. Keeps the plans before and after: a plan is a small value, and an edit may change more than its
// field (choosing another kind of workload brings other fields), so only the whole former value is exact.

#include <QUndoCommand>

#include "model/project/plan.h"

namespace ridgepoint {

class Document;

class SetFieldCommand final : public QUndoCommand {
public:
    SetFieldCommand(Document* document, QString path, const QString& label, Plan after, int session);

    void undo() override;
    void redo() override;
    [[nodiscard]] int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* next) override; // same field, same stay in it

private:
    Document* m_document;
    QString m_path;
    Plan m_before;
    Plan m_after;
    int m_session;
};

} // namespace ridgepoint
