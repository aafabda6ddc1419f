#pragma once
// Every action of the window and every field of the plan, found by typing a few letters of it.

#include <functional>

#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace ridgepoint {

struct PaletteEntry {
    QString text; // "File: Save As…"
    QString hint; // shortcut or unit
    std::function<void()> run;
    bool enabled = true;
};

// How well `text` answers `typed`: 0 not at all; letters in order count, whole words and beginnings count more.
int palette_score(const QString& text, const QString& typed);

class CommandPalette final : public QDialog {
    Q_OBJECT

public:
    explicit CommandPalette(QList<PaletteEntry> entries, QWidget* parent = nullptr);
    [[nodiscard]] QStringList shown() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void run_current();

    QList<PaletteEntry> m_entries;
    QLineEdit* m_input;
    QListWidget* m_list;
};

} // namespace ridgepoint
