#pragma once
// A page whose figures take a while: what was found in one line, a bar while it is computed, charts over a table. Computes
// nothing; who owns it starts, cancels and shows.

#include <QWidget>

class QLabel;
class QProgressBar;
class QSplitter;
class QToolButton;

namespace ridgepoint {

class CellTable;

class OperationPage final : public QWidget {
    Q_OBJECT

public:
    // `charts`: side by side where there are two. Without a table the charts have the page to themselves.
    OperationPage(const QList<QWidget*>& charts, CellTable* table, Qt::Orientation chart_order = Qt::Horizontal, QWidget* parent = nullptr);

    void show_started(); // what is shown is of an earlier plan
    void show_done(const QString& summary, const QString& details = {}); // details: tool tip
    void show_error(const QString& text);
    void show_cancelled();
    [[nodiscard]] bool is_computing() const { return m_computing; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QToolButton* button() const { return m_button; } // Cancel, or Compute after that

signals:
    void cancel_requested();
    void compute_requested();

private:
    void set_computing(bool computing);

    QLabel* m_summary;
    QProgressBar* m_progress;
    QToolButton* m_button;
    bool m_computing = false;
    bool m_cancelled = false;
};

} // namespace ridgepoint
