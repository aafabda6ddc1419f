#include "views/panels/plan_editor.h"

#include <algorithm>

#include <QAction>
#include <QGridLayout>
#include <QLineEdit>
#include <QScrollBar>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>

#include "views/panels/field_row.h"
#include "views/widgets/collapsible_group.h"
#include "views/widgets/icon.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    // "Llama 3.1 405B" for people, the id for the file; equal names keep the id so that they can be told apart.
    FieldRow::Choices catalogue_choices(const SpecStore& specs, SpecKind kind)
    {
        FieldRow::Choices choices;
        for (const std::string& id : specs.ids(kind)) {
            QString label = to_qt(id);
            if (const auto document = specs.document(kind, id)) {
                const nlohmann::json& json = **document;
                if (const auto name = json.find("name"); name != json.end() && name->is_string())
                    label = to_qt(name->get_ref<const std::string&>());
            }
            choices.append({to_qt(id), label});
        }
        std::stable_sort(choices.begin(), choices.end(),
            [](const auto& a, const auto& b) { return QString::localeAwareCompare(a.second, b.second) < 0; });
        for (qsizetype i = 0; i < choices.size(); ++i) {
            const bool twin = (i > 0 && choices[i - 1].second.startsWith(choices[i].second))
                || (i + 1 < choices.size() && choices[i + 1].second == choices[i].second);
            if (twin && !choices[i].second.contains(choices[i].first))
                choices[i].second += QStringLiteral("  (%1)").arg(choices[i].first);
        }
        return choices;
    }

    bool starts_folded(const QString& group)
    {
        static const QStringList folded = {QStringLiteral("Plan"), QStringLiteral("Load"), QStringLiteral("Fleet"), QStringLiteral("Post-training"),
            QStringLiteral("Run"), QStringLiteral("Costs"), QStringLiteral("Assumptions"), QStringLiteral("Calibration")};
        return folded.contains(group);
    }

} // namespace

PlanEditor::PlanEditor(QWidget* parent) : QWidget(parent) { build(); }

void PlanEditor::build()
{
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(6, 6, 0, 0);
    outer->setSpacing(4);
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Find a field"));
    m_search->setAccessibleName(tr("Find a field of the plan"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themed_icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    connect(m_search, &QLineEdit::textChanged, this, &PlanEditor::show_rows);
    outer->addWidget(m_search);

    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 6, 6);
    layout->setSpacing(6);

    // The questions in the order in which people ask them; a group that is not named here follows.
    static const QStringList asked_first = {QStringLiteral("Model"), QStringLiteral("Workload"), QStringLiteral("Cluster"), QStringLiteral("Layout"),
        QStringLiteral("Precision"), QStringLiteral("Price"), QStringLiteral("Run"), QStringLiteral("Costs"), QStringLiteral("Assumptions"), QStringLiteral("Calibration")};
    std::vector<const PlanField*> fields;
    for (const PlanField& field : plan_fields())
        fields.push_back(&field);
    const auto rank = [](const PlanField* field) {
        const qsizetype at = asked_first.indexOf(to_qt(field->group));
        return at < 0 ? asked_first.size() : at;
    };
    std::stable_sort(fields.begin(), fields.end(), [&](const PlanField* a, const PlanField* b) { return rank(a) < rank(b); });

    QHash<QString, QGridLayout*> grids;
    QHash<QString, std::size_t> places;
    for (const PlanField* entry : fields) {
        const PlanField& field = *entry;
        const QString name = to_qt(field.group);
        if (!grids.contains(name)) {
            auto* group = new CollapsibleGroup(name, content);
            auto* grid = new QGridLayout(group->body());
            grid->setContentsMargins(10, 0, 0, 4);
            grid->setHorizontalSpacing(4);
            grid->setVerticalSpacing(3);
            grid->setColumnStretch(0, 1);
            grids.insert(name, grid);
            places.insert(name, m_groups.size());
            m_groups.emplace_back(group, std::vector<FieldRow*>{});
            layout->addWidget(group);
        }
        auto& [group, rows] = m_groups[places.value(name)];
        auto* row = new FieldRow(field, grids.value(name), static_cast<int>(rows.size()), group->body());
        connect(row, &FieldRow::edited, this, &PlanEditor::field_edited);
        connect(row, &FieldRow::finished, this, &PlanEditor::editing_finished);
        rows.push_back(row);
        m_order.push_back(row);
        m_rows.insert(row->path(), row);
    }
    for (auto& [group, rows] : m_groups)
        group->set_open(!starts_folded(group->title()));
    layout->addStretch(1);
    m_scroll->setWidget(content);
    outer->addWidget(m_scroll, 1);
}

void PlanEditor::set_catalogue(const SpecStore& specs)
{
    const FieldRow::Choices models = catalogue_choices(specs, SpecKind::model);
    const FieldRow::Choices instances = catalogue_choices(specs, SpecKind::instance);
    for (FieldRow* row : m_order) {
        if (row->field().type == FieldType::model)
            row->set_choices(models);
        else if (row->field().type == FieldType::instance)
            row->set_choices(instances);
    }
}

void PlanEditor::set_plan(const Plan& plan)
{
    m_shown = plan;
    for (FieldRow* row : m_order) {
        if (!applies(row->field(), plan))
            continue;
        if (row->field().type == FieldType::choice)
            row->restrict_choices(choices_for(row->field(), plan));
        row->set_value(to_qt(field_value(plan, row->field().path)), to_qt(field_default(plan, row->field().path)));
    }
    show_rows();
}

void PlanEditor::show_rows()
{
    const QString search = m_search->text().trimmed();
    for (auto& [group, rows] : m_groups) {
        int shown = 0;
        int changed = 0;
        for (FieldRow* row : rows) {
            const bool relevant = applies(row->field(), m_shown);
            const bool visible = relevant && row->matches(search);
            if (visible != row->is_shown())
                row->set_shown(visible);
            shown += visible ? 1 : 0;
            changed += relevant && row->is_changed() ? 1 : 0;
        }
        group->setVisible(shown > 0);
        group->set_changed_count(changed);
        if (!search.isEmpty() && shown > 0)
            group->set_open(true);
    }
}

void PlanEditor::show_error(const QString& path, const QString& error)
{
    if (FieldRow* row = m_rows.value(path))
        row->set_error(error);
}

void PlanEditor::focus_field(const QString& path)
{
    FieldRow* row = m_rows.value(path);
    if (!row)
        return;
    m_search->clear();
    for (auto& [group, rows] : m_groups)
        if (std::find(rows.begin(), rows.end(), row) != rows.end())
            group->set_open(true);
    m_scroll->ensureWidgetVisible(row->editor(), 0, 80);
    row->editor()->setFocus(Qt::OtherFocusReason);
}

void PlanEditor::focus_search()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

} // namespace ridgepoint
