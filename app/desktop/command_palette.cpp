#include "app/desktop/command_palette.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace ridgepoint {

int palette_score(const QString& text, const QString& typed)
{
    if (typed.isEmpty())
        return 1;
    const qsizetype at = text.indexOf(typed, 0, Qt::CaseInsensitive);
    if (at >= 0) {
        const bool word_start = at == 0 || !text[at - 1].isLetterOrNumber();
        return 1000 - static_cast<int>(std::min<qsizetype>(at, 200)) + (word_start ? 500 : 0);
    }
    int score = 0;
    qsizetype from = 0;
    qsizetype before = -2;
    for (const QChar letter : typed) {
        if (letter.isSpace())
            continue;
        const qsizetype found = text.indexOf(letter, from, Qt::CaseInsensitive);
        if (found < 0)
            return 0;
        const bool word_start = found == 0 || !text[found - 1].isLetterOrNumber();
        score += found == before + 1 ? 12 : word_start ? 10 : 1;
        before = found;
        from = found + 1;
    }
    return score;
}

CommandPalette::CommandPalette(QList<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent), m_entries(std::move(entries)), m_input(new QLineEdit(this)), m_list(new QListWidget(this))
{
    setWindowTitle(tr("Commands"));
    setModal(true);
    resize(560, 420);
    m_input->setPlaceholderText(tr("Type a command or a field of the plan"));
    m_input->setAccessibleName(tr("Search commands"));
    m_input->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Commands"));
    m_list->setUniformItemSizes(true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_input);
    layout->addWidget(m_list, 1);
    m_input->installEventFilter(this);
    connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::refresh);
    connect(m_input, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
    connect(m_list, &QListWidget::itemActivated, this, &CommandPalette::run_current);
    refresh();
    m_input->setFocus();
}

void CommandPalette::refresh()
{
    const QString typed = m_input->text().trimmed();
    std::vector<std::pair<int, int>> order; // score, index
    for (int i = 0; i < static_cast<int>(m_entries.size()); ++i)
        if (const int score = palette_score(m_entries[i].text, typed); score > 0)
            order.emplace_back(score, i);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    m_list->clear();
    for (const auto& [score, index] : order) {
        const PaletteEntry& entry = m_entries[index];
        auto* item = new QListWidgetItem(entry.hint.isEmpty() ? entry.text : QStringLiteral("%1    %2").arg(entry.text, entry.hint), m_list);
        item->setData(Qt::UserRole, index);
        if (!entry.enabled)
            item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->flags() & Qt::ItemIsEnabled) {
            m_list->setCurrentRow(row);
            break;
        }
}

QStringList CommandPalette::shown() const
{
    QStringList texts;
    for (int row = 0; row < m_list->count(); ++row)
        texts << m_list->item(row)->text();
    return texts;
}

void CommandPalette::run_current()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled))
        return;
    const auto run = m_entries[item->data(Qt::UserRole).toInt()].run;
    accept();
    QTimer::singleShot(0, parentWidget() ? parentWidget() : nullptr, run); // after this dialog is gone
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_input && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown || key == Qt::Key_PageUp) {
            QCoreApplication::sendEvent(m_list, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace ridgepoint
