#include "views/widgets/choice_box.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QWheelEvent>

namespace ridgepoint {

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
    connect(this, &QComboBox::activated, this, [this] { emit picked(value()); });
}

void ChoiceBox::set_value(const QString& value)
{
    const QSignalBlocker blocker(this);
    int index = findData(value);
    if (index < 0) {
        addItem(tr("%1 (unknown)").arg(value), value);
        index = count() - 1;
    }
    setCurrentIndex(index);
    if (lineEdit())
        lineEdit()->setCursorPosition(0); // a long name shows its beginning
}

void ChoiceBox::wheelEvent(QWheelEvent* event)
{
    if (hasFocus())
        QComboBox::wheelEvent(event);
    else
        event->ignore();
}

SearchPicker::SearchPicker(QWidget* parent) : ChoiceBox(parent)
{
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setMaxVisibleItems(16);
    auto* search = new QCompleter(model(), this);
    search->setFilterMode(Qt::MatchContains);
    search->setCaseSensitivity(Qt::CaseInsensitive);
    search->setCompletionMode(QCompleter::PopupCompletion);
    search->setMaxVisibleItems(12);
    setCompleter(search);
    lineEdit()->setPlaceholderText(tr("Type to search"));
    connect(this, &QComboBox::currentIndexChanged, this, [this] { lineEdit()->setCursorPosition(0); });
}

void SearchPicker::focusOutEvent(QFocusEvent* event)
{
    ChoiceBox::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason)
        restore_text();
}

void SearchPicker::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        restore_text();
        lineEdit()->selectAll();
        return;
    }
    ChoiceBox::keyPressEvent(event);
}

void SearchPicker::restore_text()
{
    setEditText(itemText(currentIndex()));
    lineEdit()->setCursorPosition(0);
}

} // namespace ridgepoint
