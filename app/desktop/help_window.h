#pragma once
// A page of the program's own help in a window: Markdown, with its sections at the side and tables that can be read in
// both themes.

#include <QDialog>

class QListWidget;
class QTextBrowser;

namespace ridgepoint {

class HelpWindow final : public QDialog {
    Q_OBJECT

public:
    HelpWindow(const QString& markdown, const QString& title, QWidget* parent = nullptr);
    [[nodiscard]] QTextBrowser* browser() const { return m_browser; }
    [[nodiscard]] QListWidget* sections() const { return m_sections; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void render();
    void list_sections();

    QString m_markdown;
    QListWidget* m_sections = nullptr;
    QTextBrowser* m_browser = nullptr;
};

// The installed page of this name ("accuracy"), or a line that says that it is missing. Deletes itself when closed.
HelpWindow* make_help_window(const QString& page, const QString& title, QWidget* parent);

} // namespace ridgepoint
