#include "views/panels/axes_editor.h"

#include <algorithm>

#include <QCheckBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "model/project/fields.h"
#include "model/search/axes.h"
#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    const PlanField* field_of(const std::string& axis) { return find_field(field_of_axis(axis)); }

    QStringList values_in(const QString& text)
    {
        QStringList out;
        for (const QString& v : text.split(QLatin1Char(','), Qt::SkipEmptyParts))
            if (const QString value = v.trimmed(); !value.isEmpty())
                out << value;
        return out;
    }

    QString text_of(const std::vector<std::string>& values)
    {
        QStringList out;
        for (const std::string& v : values)
            out << to_qt(v);
        return out.join(QStringLiteral(", "));
    }

} // namespace

QString axis_label(const std::string& axis)
{
    const PlanField* f = field_of(axis);
    return f ? to_qt(f->label) : to_qt(axis);
}

AxesEditor::AxesEditor(QWidget* parent)
    : QWidget(parent)
    , m_body(new QWidget)
    , m_form(new QFormLayout(m_body))
    , m_points(new QLabel(this))
    , m_error(new QLabel(this))
{
    m_form->setContentsMargins(6, 4, 6, 4);
    m_form->setVerticalSpacing(3);
    m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_body);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_error->setWordWrap(true);
    m_error->hide();
    auto* back = new QToolButton(this);
    back->setText(tr("Reset"));
    back->setToolTip(tr("All axes to their sensible values"));
    back->setAccessibleName(tr("Reset the axes"));
    back->setMinimumHeight(24);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_points, 1);
    foot->addWidget(back);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_error);
    layout->addLayout(foot);
    connect(back, &QToolButton::clicked, this, &AxesEditor::reset);
}

void AxesEditor::set_instances(const QStringList& ids) { m_instances = ids; }

void AxesEditor::set_plan(const Plan& plan, const SearchSpace& sensible)
{
    m_plan = plan;
    m_sensible = sensible;
    build_rows();
    check();
}

void AxesEditor::build_rows()
{
    // Rows only come and go with the kind of workload: what has the focus keeps it.
    for (const std::string& axis : axis_names()) {
        const bool wanted = axis_applies(*m_plan, axis);
        if (const auto found = m_lines.find(axis); found != m_lines.end() && !wanted) {
            m_form->removeRow(found->second->parentWidget());
            m_lines.erase(found);
        } else if (found == m_lines.end() && wanted) {
            auto* row = new QWidget(m_body);
            auto* line = new QLineEdit(row);
            const PlanField* field = field_of(axis);
            line->setToolTip(field ? to_qt(field->help) : QString());
            line->setAccessibleName(tr("Values of %1").arg(axis_label(axis)));
            auto* across = new QHBoxLayout(row);
            across->setContentsMargins(0, 0, 0, 0);
            across->setSpacing(1);
            across->addWidget(line, 1);
            if (axis == "instance" || (field && (field->type == FieldType::choice || field->type == FieldType::flag))) {
                auto* pick = new QToolButton(row);
                pick->setArrowType(Qt::DownArrow);
                pick->setAutoRaise(true);
                pick->setMinimumSize(24, 24);
                pick->setAccessibleName(tr("Choose values of %1").arg(axis_label(axis)));
                across->addWidget(pick);
                connect(pick, &QToolButton::clicked, this, [this, axis, pick] { show_menu(axis, pick); });
            }
            auto* label = new QLabel(axis_label(axis), m_body);
            label->setBuddy(line);
            label->setToolTip(to_qt(axis));
            m_form->addRow(label, row);
            m_lines.emplace(axis, line);
            connect(line, &QLineEdit::textChanged, this, &AxesEditor::check);
        }
    }
    for (const auto& [axis, line] : m_lines)
        line->setPlaceholderText(text_of(axis_values(m_sensible, *m_plan, axis)));
}

void AxesEditor::show_menu(const std::string& axis, QWidget* at)
{
    const PlanField* field = field_of(axis);
    QStringList values = axis == "instance" ? m_instances : QStringList{};
    QStringList labels = values;
    if (field && field->type == FieldType::flag) {
        values = {QStringLiteral("false"), QStringLiteral("true")};
        labels = {tr("off"), tr("on")};
    } else if (field && field->type == FieldType::choice) {
        for (const std::string& v : choices_for(*field, *m_plan)) {
            values << to_qt(v);
            const auto k = std::ranges::find(field->choices, v) - field->choices.begin();
            labels << (static_cast<std::size_t>(k) < field->choice_labels.size() ? to_qt(field->choice_labels[static_cast<std::size_t>(k)]) : to_qt(v));
        }
    }
    QLineEdit* line = m_lines.at(axis);
    const QStringList chosen = values_in(line->text().isEmpty() ? line->placeholderText() : line->text());
    QMenu menu(this);
    QList<QCheckBox*> boxes;
    for (qsizetype i = 0; i < values.size(); ++i) {
        auto* box = new QCheckBox(labels[i], &menu);
        box->setChecked(chosen.contains(values[i]));
        auto* action = new QWidgetAction(&menu); // a menu of checkable actions closes at the first click
        action->setDefaultWidget(box);
        menu.addAction(action);
        boxes << box;
        connect(box, &QCheckBox::toggled, &menu, [&boxes, &values, line] {
            QStringList now;
            for (qsizetype k = 0; k < boxes.size(); ++k)
                if (boxes[k]->isChecked())
                    now << values[k];
            line->setText(now.join(QStringLiteral(", ")));
        });
    }
    menu.exec(at->mapToGlobal(QPoint(0, at->height())));
}

Expected<SearchSpace> AxesEditor::space() const
{
    SearchSpace space = m_sensible;
    for (const auto& [axis, line] : m_lines) {
        const QStringList typed = values_in(line->text());
        if (typed.isEmpty())
            continue;
        std::vector<std::string> values;
        for (const QString& v : typed)
            values.push_back(to_std(v));
        if (Status s = set_axis(space, *m_plan, axis, values); !s)
            return s.error();
    }
    return space;
}

void AxesEditor::check()
{
    if (!m_plan)
        return;
    const Expected<SearchSpace> now = space();
    m_error->setVisible(!now);
    if (now)
        m_points->setText(now->points() == 1 ? tr("1 point") : tr("%1 points").arg(to_qt(group_thousands(static_cast<double>(now->points())))));
    else
        m_error->setText(to_qt(now.error().text()));
    emit changed();
}

QLineEdit* AxesEditor::line(const QString& axis) const
{
    const auto found = m_lines.find(to_std(axis));
    return found == m_lines.end() ? nullptr : found->second;
}

void AxesEditor::set_values(const QString& axis, const QString& values)
{
    if (QLineEdit* l = line(axis))
        l->setText(values);
}

void AxesEditor::reset()
{
    for (const auto& [axis, line] : m_lines)
        line->clear();
}

} // namespace ridgepoint
