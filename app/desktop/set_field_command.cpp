#include "app/desktop/set_field_command.h"

#include <utility>

#include <QCoreApplication>

#include "app/desktop/document.h"

namespace ridgepoint {

SetFieldCommand::SetFieldCommand(Document* document, QString path, const QString& label, Plan after, int session)
    : QUndoCommand(QCoreApplication::translate("SetFieldCommand", "change of %1").arg(label))
    , m_document(document)
    , m_path(std::move(path))
    , m_before(document->plan())
    , m_after(std::move(after))
    , m_session(session)
{
}

void SetFieldCommand::undo() { m_document->assign(m_before); }

void SetFieldCommand::redo() { m_document->assign(m_after); }

bool SetFieldCommand::mergeWith(const QUndoCommand* next)
{
    const auto* other = dynamic_cast<const SetFieldCommand*>(next);
    if (!other || other->m_path != m_path || other->m_session != m_session)
        return false;
    m_after = other->m_after;
    setObsolete(m_after == m_before); // typed forth and back: nothing happened
    return true;
}

} // namespace ridgepoint
