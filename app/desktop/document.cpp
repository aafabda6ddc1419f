#include "app/desktop/document.h"

#include <utility>

#include <QFileInfo>

#include "app/desktop/set_field_command.h"
#include "views/widgets/text.h"

namespace ridgepoint {

Document::Document(SpecStore specs, QObject* parent) : QObject(parent), m_specs(std::move(specs)), m_plan(example_plan())
{
    m_stack.setUndoLimit(1000);
    connect(&m_stack, &QUndoStack::cleanChanged, this, &Document::title_changed);
}

QString Document::title() const
{
    if (!m_file.isEmpty())
        return QFileInfo(m_file).fileName();
    return m_plan.name.empty() ? tr("Untitled") : to_qt(m_plan.name);
}

bool Document::is_modified() const { return m_restored || !m_stack.isClean(); }

Status Document::set_field(const QString& path, const QString& value)
{
    Plan after = m_plan;
    if (Status status = ridgepoint::set_field(after, to_std(path), to_std(value)); !status)
        return status;
    if (after == m_plan)
        return Done{};
    const PlanField* field = find_field(to_std(path));
    m_stack.push(new SetFieldCommand(this, path, field ? to_qt(field->label) : path, after, m_edit_session));
    return Done{};
}

Status Document::set_fields(const std::vector<std::pair<std::string, std::string>>& edits, const QString& label)
{
    Plan after = m_plan;
    for (const auto& [path, value] : edits)
        if (Status status = ridgepoint::set_field(after, path, value); !status)
            return status;
    change_plan(after, label);
    return Done{};
}

void Document::change_plan(const Plan& plan, const QString& label)
{
    if (plan == m_plan)
        return;
    end_edit();
    m_stack.push(new SetFieldCommand(this, label, label, plan, m_edit_session));
    end_edit();
}

void Document::start(const Plan& plan) { replace(plan, {}); }

Status Document::open(const QString& file)
{
    Expected<Plan> plan = load_plan(to_std(file));
    if (!plan)
        return plan.error();
    replace(*plan, QFileInfo(file).absoluteFilePath());
    return Done{};
}

Status Document::save_as(const QString& file)
{
    if (Status status = save_plan(m_plan, to_std(file)); !status)
        return status;
    m_file = QFileInfo(file).absoluteFilePath();
    m_restored = false;
    end_edit();
    m_stack.setClean();
    emit title_changed();
    return Done{};
}

void Document::restore(const Plan& plan, const QString& file)
{
    replace(plan, file);
    m_restored = true;
    emit title_changed();
}

Status Document::add_model(const std::string& text, const std::string& file)
{
    if (Status status = m_specs.add(SpecKind::model, text, file, "session"); !status)
        return status;
    emit specs_changed();
    return Done{};
}

void Document::assign(const Plan& plan)
{
    const bool renamed = plan.name != m_plan.name;
    m_plan = plan;
    emit plan_changed();
    if (renamed)
        emit title_changed();
}

void Document::replace(const Plan& plan, const QString& file)
{
    m_stack.clear();
    end_edit();
    m_restored = false;
    m_file = file;
    m_plan = plan;
    emit document_replaced();
    emit plan_changed();
    emit title_changed();
}

} // namespace ridgepoint
