#pragma once
// A titled group that folds. The header says how many of its fields differ from their defaults, so that a folded group
// hides nothing.

#include <QToolButton>
#include <QWidget>

namespace ridgepoint {

class CollapsibleGroup final : public QWidget {
    Q_OBJECT

public:
    explicit CollapsibleGroup(const QString& title, QWidget* parent = nullptr);

    [[nodiscard]] QWidget* body() const { return m_body; }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] bool is_open() const { return m_header->isChecked(); }
    void set_open(bool open) { m_header->setChecked(open); }
    void set_changed_count(int count);

private:
    QString m_title;
    QToolButton* m_header;
    QWidget* m_body;
};

} // namespace ridgepoint
