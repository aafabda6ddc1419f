#include "views/widgets/collapsible_group.h"

#include <QVBoxLayout>

namespace ridgepoint {

CollapsibleGroup::CollapsibleGroup(const QString& title, QWidget* parent)
    : QWidget(parent), m_title(title), m_header(new QToolButton(this)), m_body(new QWidget(this))
{
    m_header->setCheckable(true);
    m_header->setChecked(true);
    m_header->setArrowType(Qt::DownArrow);
    m_header->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_header->setAutoRaise(true);
    m_header->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_header->setMinimumHeight(26);
    QFont bold = m_header->font();
    bold.setBold(true);
    m_header->setFont(bold);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_header);
    layout->addWidget(m_body);
    connect(m_header, &QToolButton::toggled, this, [this](bool open) {
        m_header->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_body->setVisible(open);
    });
    set_changed_count(0);
}

void CollapsibleGroup::set_changed_count(int count)
{
    const QString text = count == 0 ? m_title : tr("%1  ·  %n changed", nullptr, count).arg(m_title);
    m_header->setText(text);
    m_header->setAccessibleName(text);
}

} // namespace ridgepoint
