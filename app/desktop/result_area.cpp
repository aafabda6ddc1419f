#include "app/desktop/result_area.h"

#include <algorithm>

#include <QPainter>
#include <QResizeEvent>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ridgepoint {
namespace {

    class Veil final : public QWidget {
    public:
        explicit Veil(QWidget* parent) : QWidget(parent)
        {
            setAttribute(Qt::WA_TransparentForMouseEvents);
            hide();
        }
        QString text;

    protected:
        void paintEvent(QPaintEvent*) override
        {
            QPainter painter(this);
            QColor cover = palette().color(QPalette::Window);
            cover.setAlpha(150);
            painter.fillRect(rect(), cover);
            if (text.isEmpty())
                return;
            QFont bold = font();
            bold.setBold(true);
            painter.setFont(bold);
            QRect box = QFontMetrics(bold).boundingRect(text).adjusted(-12, -6, 12, 6);
            box.moveCenter(QPoint(width() / 2, 60));
            painter.setPen(palette().color(QPalette::Mid));
            painter.setBrush(palette().color(QPalette::Base));
            painter.drawRoundedRect(box, 4, 4);
            painter.setPen(palette().color(QPalette::Text));
            painter.drawText(box, Qt::AlignCenter, text);
        }
    };

    const QList<Page> order = {Page::Roofline, Page::Ridgeline, Page::Step, Page::Memory, Page::Operators, Page::Trace, Page::Search, Page::Map, Page::WhatIf, Page::Compare,
        Page::Load, Page::Interactivity, Page::Fleet, Page::BatchContext, Page::Passes, Page::PostTraining, Page::Run, Page::Capacity};
    const QList<Page> alone = {Page::Search, Page::Map, Page::WhatIf, Page::Compare};
    const QList<Page> operation = {Page::Load, Page::Interactivity, Page::Fleet, Page::BatchContext, Page::Passes, Page::PostTraining, Page::Run, Page::Capacity};

} // namespace

QStringList page_names()
{
    return {QStringLiteral("roofline"), QStringLiteral("ridgeline"), QStringLiteral("step"), QStringLiteral("memory"), QStringLiteral("operators"), QStringLiteral("trace"),
        QStringLiteral("search"), QStringLiteral("map"), QStringLiteral("whatif"), QStringLiteral("compare"), QStringLiteral("load"), QStringLiteral("interactivity"),
        QStringLiteral("fleet"), QStringLiteral("batch"), QStringLiteral("passes"), QStringLiteral("rl"), QStringLiteral("run"), QStringLiteral("capacity")};
}

ResultArea::ResultArea(QWidget* parent)
    : QWidget(parent)
    , m_rows(new QSplitter(Qt::Vertical, this))
    , m_columns(new QSplitter(Qt::Horizontal, m_rows))
    , m_main(new QTabWidget(m_columns))
    , m_beside(new QSplitter(Qt::Vertical, m_columns))
    , m_side(new QTabWidget(m_beside))
    , m_under_side(new QTabWidget(m_beside))
    , m_table(new QTabWidget(m_rows))
    , m_operation(new QTabWidget(m_main))
    , m_withheld(operation.begin(), operation.end())
    , m_veil(new Veil(this))
{
    m_main->setAccessibleName(tr("Charts"));
    m_side->setAccessibleName(tr("Step"));
    m_under_side->setAccessibleName(tr("Memory"));
    m_table->setAccessibleName(tr("Tables"));
    m_operation->setAccessibleName(tr("Operation"));
    connect(m_main, &QTabWidget::currentChanged, this, &ResultArea::give_room); // before page_shown: what is in sight then is refreshed
    for (QTabWidget* tabs : {m_main, m_side, m_under_side, m_table, m_operation}) {
        tabs->setDocumentMode(true);
        connect(tabs, &QTabWidget::currentChanged, this, &ResultArea::page_shown);
    }
    m_rows->addWidget(m_columns);
    m_rows->addWidget(m_table);
    m_rows->setStretchFactor(0, 5);
    m_rows->setStretchFactor(1, 2);
    m_rows->setSizes({440, 190});
    m_beside->setStretchFactor(0, 2);
    m_beside->setStretchFactor(1, 3);
    m_beside->setChildrenCollapsible(false);
    m_columns->setStretchFactor(0, 3);
    m_columns->setStretchFactor(1, 2);
    m_rows->setChildrenCollapsible(true);
    m_columns->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_rows);
}

void ResultArea::add_page(Page page, const QString& title, QWidget* widget)
{
    m_pages.insert(page, widget);
    m_titles.insert(page, title);
    m_arranged = false;
    arrange(m_wide);
}

QTabWidget* ResultArea::tabs_of(Page page) const
{
    if (page == Page::Operators)
        return m_table;
    if (operation.contains(page))
        return m_operation;
    if (m_wide && page == Page::Step)
        return m_side;
    return m_wide && page == Page::Memory ? m_under_side : m_main;
}

void ResultArea::arrange(bool wide)
{
    if (m_arranged && wide == m_wide)
        return;
    m_wide = wide;
    m_arranged = true;
    QWidget* shown = m_main->currentWidget();
    QWidget* shown_operation = m_operation->currentWidget();
    for (QTabWidget* tabs : {m_main, m_side, m_under_side, m_table, m_operation}) {
        const QSignalBlocker blocker(tabs);
        while (tabs->count() > 0)
            tabs->removeTab(0);
    }
    for (const Page page : order)
        if (QWidget* widget = m_pages.value(page); widget && m_withheld.contains(page)) {
            widget->hide();
        } else if (widget) {
            QTabWidget* tabs = tabs_of(page);
            const QSignalBlocker blocker(tabs);
            tabs->addTab(widget, m_titles.value(page));
        }
    if (m_operation->count() > 0) {
        const QSignalBlocker blocker(m_main);
        m_main->insertTab(m_main->indexOf(m_pages.value(Page::Trace)), m_operation, tr("Operation"));
    } else {
        m_operation->hide();
    }
    if (shown_operation && m_operation->indexOf(shown_operation) >= 0)
        m_operation->setCurrentWidget(shown_operation);
    if (shown && m_main->indexOf(shown) >= 0)
        m_main->setCurrentWidget(shown);
    give_room();
    emit page_shown();
}

void ResultArea::give_room()
{
    QWidget* shown = m_main->currentWidget();
    const bool whole = shown && (shown == m_operation || alone.contains(m_pages.key(shown)));
    m_beside->setVisible(!whole && m_side->count() + m_under_side->count() > 0);
    m_table->setVisible(!whole && m_table->count() > 0);
}

void ResultArea::offer_operation(const QSet<Page>& pages)
{
    const QSet<Page> withheld = QSet<Page>(operation.begin(), operation.end()) - pages;
    if (withheld == m_withheld)
        return;
    m_withheld = withheld;
    m_arranged = false;
    arrange(m_wide);
    if (m_wanted && is_page_offered(*m_wanted))
        show_page(*m_wanted);
}

void ResultArea::show_page(Page page)
{
    QTabWidget* tabs = tabs_of(page);
    m_wanted.reset();
    if (!is_page_offered(page)) {
        m_wanted = page;
    } else if (QWidget* widget = m_pages.value(page)) {
        if (tabs == m_operation) {
            m_operation->setCurrentWidget(widget); // first: what comes into sight is computed
            m_main->setCurrentWidget(m_operation);
        } else if (tabs != m_main && (m_main->currentWidget() == m_operation || alone.contains(m_pages.key(m_main->currentWidget())))) {
            m_main->setCurrentWidget(m_pages.value(Page::Roofline)); // where the step, the memory and the table are in sight
        }
        tabs->setCurrentWidget(widget);
        widget->setFocus(Qt::OtherFocusReason);
    }
}

bool ResultArea::is_page_visible(Page page) const
{
    QWidget* widget = m_pages.value(page);
    return widget && !m_withheld.contains(page) && tabs_of(page)->currentWidget() == widget && tabs_of(page)->isVisibleTo(this);
}

void ResultArea::set_stale(bool stale, const QString& reason)
{
    m_stale = stale;
    auto* veil = static_cast<Veil*>(m_veil);
    veil->text = reason;
    veil->setAccessibleName(reason);
    place_veil();
    veil->setVisible(stale);
    veil->raise();
    veil->update();
}

void ResultArea::place_veil() { m_veil->setGeometry(rect()); }

void ResultArea::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange(event->size().width() >= wide_from);
    place_veil();
}

} // namespace ridgepoint
