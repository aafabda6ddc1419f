#include "views/panels/field_row.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <QCheckBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QToolButton>
#include <QToolTip>

#include "views/widgets/choice_box.h"
#include "views/widgets/icon.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    // Zero means "you decide" in these fields; a bare 0 would read as nothing.
    QString word_for_zero(const QString& path)
    {
        if (path == QStringLiteral("/layout/dp"))
            return FieldRow::tr("auto");
        if (path == QStringLiteral("/cluster/gpus"))
            return FieldRow::tr("all");
        if (path == QStringLiteral("/layout/shard_group"))
            return FieldRow::tr("one node");
        if (path == QStringLiteral("/workload/chunk"))
            return FieldRow::tr("whole prompts");
        if (path == QStringLiteral("/workload/tokens"))
            return FieldRow::tr("not set");
        return {};
    }

    bool counts_in_powers_of_two(const PlanField& field)
    {
        static const std::array<std::string_view, 7> units = {"GPUs", "instances", "stages", "replicas", "sequences", "prompts", "tokens"};
        return field.type == FieldType::whole && field.maximum > 64 && std::ranges::find(units, field.unit) != units.end();
    }

    QToolButton* small_button(const QString& icon, const QString& name, QWidget* parent)
    {
        auto* button = new QToolButton(parent);
        button->setIcon(themed_icon(icon));
        button->setAutoRaise(true);
        button->setFixedSize(24, 24);
        button->setAccessibleName(name);
        button->setToolTip(name);
        return button;
    }

} // namespace

FieldRow::FieldRow(const PlanField& field, QGridLayout* grid, int row, QWidget* parent)
    : QObject(parent), m_field(field), m_path(to_qt(field.path))
{
    const QString name = to_qt(field.label);
    make_editor(parent);
    if (field.type != FieldType::flag) { // a check box carries its own label
        m_label = new QLabel(name, parent);
        m_label->setWordWrap(true);
        m_label->setBuddy(m_editor);
    }
    m_editor->setAccessibleName(field.unit.empty() ? name : tr("%1 in %2").arg(name, to_qt(field.unit)));
    m_editor->setAccessibleDescription(to_qt(field.help));
    m_editor->setObjectName(m_path);

    m_reset = small_button(QStringLiteral("reset"), tr("Reset %1").arg(name), parent);
    m_info = small_button(QStringLiteral("info"), tr("About %1").arg(name), parent);
    m_error = new QLabel(parent);
    m_error->setWordWrap(true);
    m_error->hide();

    if (m_label) {
        grid->addWidget(m_label, 2 * row, 0);
        grid->addWidget(m_editor, 2 * row, 1);
    } else {
        grid->addWidget(m_editor, 2 * row, 0, 1, 2);
    }
    grid->addWidget(m_reset, 2 * row, 2);
    grid->addWidget(m_info, 2 * row, 3);
    grid->addWidget(m_error, 2 * row + 1, 0, 1, 4);

    connect(m_reset, &QToolButton::clicked, this, [this] {
        emit edited(m_path, m_default);
        emit finished();
    });
    connect(m_info, &QToolButton::clicked, this, [this] {
        QToolTip::showText(m_info->mapToGlobal(QPoint(0, m_info->height())), describe(), m_info, m_info->rect(), 60000);
    });
    m_editor->installEventFilter(this);
    update_tips();
    update_reset();
}

void FieldRow::make_editor(QWidget* parent)
{
    switch (m_field.type) {
    case FieldType::text: {
        auto* edit = new QLineEdit(parent);
        connect(edit, &QLineEdit::textEdited, this, [this](const QString& text) { report(text); });
        connect(edit, &QLineEdit::editingFinished, this, &FieldRow::finished);
        m_editor = edit;
        break;
    }
    case FieldType::whole:
    case FieldType::number: {
        const bool whole = m_field.type == FieldType::whole;
        auto* box = new NumberBox(whole, counts_in_powers_of_two(m_field) ? NumberBox::Step::Ladder : NumberBox::Step::One, parent);
        box->setRange(m_field.minimum, m_field.maximum);
        if (!m_field.unit.empty())
            box->setSuffix(QStringLiteral(" ") + to_qt(m_field.unit));
        if (m_field.minimum == 0.0 && !word_for_zero(m_path).isEmpty())
            box->setSpecialValueText(word_for_zero(m_path));
        connect(box, &QDoubleSpinBox::valueChanged, this, [this, box] { report(box->plain_value()); });
        connect(box, &QDoubleSpinBox::editingFinished, this, &FieldRow::finished);
        m_editor = box;
        break;
    }
    case FieldType::flag: {
        auto* check = new QCheckBox(to_qt(m_field.label), parent);
        connect(check, &QCheckBox::clicked, this, [this](bool on) {
            report(on ? QStringLiteral("true") : QStringLiteral("false"));
            emit finished();
        });
        m_editor = check;
        break;
    }
    case FieldType::choice:
    case FieldType::model:
    case FieldType::instance: {
        auto* box = m_field.type == FieldType::choice ? new ChoiceBox(parent) : new SearchPicker(parent);
        for (std::size_t i = 0; i < m_field.choices.size(); ++i) {
            const bool labelled = i < m_field.choice_labels.size();
            box->addItem(to_qt(labelled ? m_field.choice_labels[i] : m_field.choices[i]), to_qt(m_field.choices[i]));
        }
        connect(box, &ChoiceBox::picked, this, [this](const QString& value) {
            report(value);
            emit finished();
        });
        m_editor = box;
        break;
    }
    }
    m_editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_editor->setMinimumHeight(24);
    if (m_field.type != FieldType::flag) // one width for all: the columns of the groups line up
        m_editor->setFixedWidth(m_editor->fontMetrics().horizontalAdvance(QStringLiteral("0")) * 12 + 56);
}

bool FieldRow::is_changed() const { return !same(m_value, m_default); }

bool FieldRow::same(const QString& a, const QString& b) const
{
    if (a == b)
        return true;
    const bool numeric = m_field.type == FieldType::whole || m_field.type == FieldType::number;
    return numeric && !a.isEmpty() && !b.isEmpty() && a.toDouble() == b.toDouble();
}

void FieldRow::report(const QString& value)
{
    if (!same(value, m_value))
        emit edited(m_path, value);
}

void FieldRow::set_choices(const Choices& choices)
{
    auto* box = qobject_cast<ChoiceBox*>(m_editor);
    if (!box)
        return;
    const QSignalBlocker blocker(box);
    box->clear();
    for (const auto& [value, label] : choices)
        box->addItem(label, value);
    if (!m_value.isEmpty())
        box->set_value(m_value);
}

void FieldRow::restrict_choices(const std::vector<std::string>& values)
{
    auto* box = qobject_cast<ChoiceBox*>(m_editor);
    if (!box)
        return;
    bool same_list = box->count() == static_cast<int>(values.size());
    for (int i = 0; same_list && i < box->count(); ++i)
        same_list = box->itemData(i).toString() == to_qt(values[static_cast<std::size_t>(i)]);
    if (same_list)
        return;
    Choices choices;
    for (const std::string& value : values) {
        const auto at = std::ranges::find(m_field.choices, value);
        const auto index = static_cast<std::size_t>(at - m_field.choices.begin());
        choices.append({to_qt(value), to_qt(index < m_field.choice_labels.size() ? m_field.choice_labels[index] : value)});
    }
    set_choices(choices);
}

void FieldRow::set_value(const QString& value, const QString& default_value)
{
    set_error({});
    const bool new_default = m_default != default_value;
    m_default = default_value;
    if (value != m_value || !m_editor->hasFocus()) {
        m_value = value;
        const QSignalBlocker blocker(m_editor);
        if (auto* edit = qobject_cast<QLineEdit*>(m_editor)) {
            if (edit->text() != value)
                edit->setText(value);
        } else if (auto* box = qobject_cast<NumberBox*>(m_editor)) {
            const double number = value.toDouble();
            if (box->value() != number) // a half-typed text that means the same stays as it is
                box->setValue(number);
        } else if (auto* check = qobject_cast<QCheckBox*>(m_editor)) {
            check->setChecked(value == QStringLiteral("true"));
        } else if (auto* choice = qobject_cast<ChoiceBox*>(m_editor)) {
            choice->set_value(value);
        }
    }
    if (new_default)
        update_tips();
    update_reset();
}

void FieldRow::set_error(const QString& error)
{
    m_error->setText(error);
    m_error->setVisible(!error.isEmpty() && m_shown);
}

void FieldRow::set_shown(bool shown)
{
    m_shown = shown;
    if (m_label)
        m_label->setVisible(shown);
    m_editor->setVisible(shown);
    m_reset->setVisible(shown);
    m_info->setVisible(shown);
    m_error->setVisible(shown && !m_error->text().isEmpty());
}

bool FieldRow::matches(const QString& search) const
{
    return search.isEmpty() || to_qt(m_field.label).contains(search, Qt::CaseInsensitive)
        || to_qt(m_field.help).contains(search, Qt::CaseInsensitive) || m_path.contains(search, Qt::CaseInsensitive);
}

void FieldRow::update_reset()
{
    // Kept in place when there is nothing to reset, so that the columns do not jump.
    const bool changed = is_changed();
    m_reset->setEnabled(changed);
    m_reset->setIcon(changed ? themed_icon(QStringLiteral("reset")) : QIcon());
    m_reset->setToolTip(changed ? tr("Reset to %1").arg(m_default.isEmpty() ? tr("nothing") : m_default) : QString());
    QWidget* text = m_label ? static_cast<QWidget*>(m_label) : m_editor;
    QFont font = text->font();
    if (font.bold() != changed) {
        font.setBold(changed);
        text->setFont(font);
    }
}

void FieldRow::update_tips()
{
    const QString tip = describe();
    m_info->setToolTip(tip);
    if (m_label)
        m_label->setToolTip(tip);
    m_editor->setToolTip(tip);
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_editor && event->type() == QEvent::FocusOut)
        emit finished();
    return QObject::eventFilter(watched, event);
}

QString FieldRow::describe() const
{
    QString text = QStringLiteral("<p><b>%1</b><br>%2</p>").arg(to_qt(m_field.label).toHtmlEscaped(), to_qt(m_field.help).toHtmlEscaped());
    QStringList facts;
    const QString unit = m_field.unit.empty() ? QString() : QStringLiteral(" ") + to_qt(m_field.unit).toHtmlEscaped();
    if (m_field.type == FieldType::whole || m_field.type == FieldType::number) {
        if (const auto* box = qobject_cast<const NumberBox*>(m_editor))
            facts << tr("Range: %1 to %2%3").arg(box->textFromValue(m_field.minimum), box->textFromValue(m_field.maximum), unit);
    }
    if (!m_default.isEmpty())
        facts << tr("Default: %1%2").arg(m_default.toHtmlEscaped(), unit);
    if (!m_field.source.empty())
        facts << tr("Source: %1").arg(to_qt(m_field.source).toHtmlEscaped());
    facts << tr("In the file: %1").arg(m_path);
    return text + QStringLiteral("<p>%1</p>").arg(facts.join(QStringLiteral("<br>")));
}

} // namespace ridgepoint
