#include "app/desktop/recovery_bar.h"

#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>

#include "views/widgets/text.h"

namespace ridgepoint {

RecoveryBar::RecoveryBar(QWidget* parent) : QFrame(parent), m_text(new QLabel(this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    m_text->setWordWrap(true);
    layout->addWidget(m_text, 1);
    auto* restore = new QPushButton(tr("Restore"), this);
    auto* discard = new QPushButton(tr("Discard"), this);
    auto* later = new QPushButton(tr("Later"), this);
    restore->setAccessibleName(tr("Restore the unsaved plan"));
    discard->setAccessibleName(tr("Discard the unsaved plan"));
    later->setAccessibleName(tr("Decide later about the unsaved plan"));
    for (QPushButton* button : {restore, discard, later})
        layout->addWidget(button);
    connect(restore, &QPushButton::clicked, this, [this] {
        if (m_lost.empty())
            return;
        const Recovered lost = m_lost.front();
        m_lost.erase(m_lost.begin());
        show_next();
        emit restore_requested(lost);
    });
    connect(discard, &QPushButton::clicked, this, [this] {
        if (m_lost.empty())
            return;
        Session::discard(m_lost.front());
        m_lost.erase(m_lost.begin());
        show_next();
    });
    connect(later, &QPushButton::clicked, this, &QWidget::hide);
    hide();
}

void RecoveryBar::offer(std::vector<Recovered> lost)
{
    m_lost = std::move(lost);
    show_next();
}

void RecoveryBar::show_next()
{
    setVisible(!m_lost.empty());
    if (m_lost.empty())
        return;
    const Recovered& lost = m_lost.front();
    const QString more = m_lost.size() > 1 ? tr(" (%1 in all)").arg(m_lost.size()) : QString();
    m_text->setText(tr("Ridgepoint ended without saving \"%1\", last edited %2%3.")
                        .arg(to_qt(lost.plan.name), QLocale().toString(lost.written, QLocale::ShortFormat), more));
}

} // namespace ridgepoint
