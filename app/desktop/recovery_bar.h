#pragma once
// "Unsaved work was found": a bar, not a dialog, so that starting is never blocked.

#include <vector>

#include <QFrame>

#include "app/desktop/session.h"

class QLabel;

namespace ridgepoint {

class RecoveryBar final : public QFrame {
    Q_OBJECT

public:
    explicit RecoveryBar(QWidget* parent = nullptr);
    void offer(std::vector<Recovered> lost); // none: hides

signals:
    void restore_requested(const ridgepoint::Recovered& lost);

private:
    void show_next();

    std::vector<Recovered> m_lost;
    QLabel* m_text;
};

} // namespace ridgepoint
