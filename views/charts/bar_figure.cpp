#include "views/charts/bar_figure.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include "views/export/figure_export.h"

namespace ridgepoint {

BarFigure::BarFigure(QWidget* parent)
    : QWidget(parent)
    , m_theme(Theme::from_palette(palette()))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
}

void BarFigure::set_theme(const Theme& theme)
{
    m_own_theme = true;
    m_theme = theme;
    update();
}

void BarFigure::set_current(int box)
{
    const int next = box >= 0 && static_cast<std::size_t>(box) < m_boxes.size() ? box : -1;
    if (next == m_current)
        return;
    m_current = next;
    if (next >= 0) {
        setAccessibleDescription(hover_text(next).plain());
        QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&changed);
    }
    update();
}

void BarFigure::content_changed()
{
    m_hovered = m_current = -1;
    m_boxes.clear();
    lay_out(rect(), pixel_font(font()));
    setAccessibleName(figure_title());
    setAccessibleDescription(accessible_text());
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    updateGeometry();
    update();
}

int BarFigure::box_at(QPointF position) const
{
    for (std::size_t i = m_boxes.size(); i-- > 0;)
        if (m_boxes[i].rect.contains(position))
            return static_cast<int>(i);
    return -1;
}

void BarFigure::paint_figure(QPainter& painter, const QRectF& target, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(target, theme.background);
    painter.translate(target.topLeft());
    const QRectF area(QPointF(), target.size());
    m_boxes.clear();
    lay_out(area, pixel_font(font()));
    painter.setFont(pixel_font(font()));
    draw(painter, area, theme);
    painter.restore();
    lay_out_again();
}

void BarFigure::lay_out_again()
{
    m_boxes.clear();
    lay_out(rect(), pixel_font(font()));
}

void BarFigure::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.background);
    painter.setFont(pixel_font(font()));
    draw(painter, rect(), m_theme);
    draw_pointed(painter);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 1));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void BarFigure::draw_pointed(QPainter& painter)
{
    painter.setBrush(Qt::NoBrush);
    for (const int box : {m_current, m_hovered})
        if (box >= 0 && static_cast<std::size_t>(box) < m_boxes.size()) {
            painter.setPen(QPen(m_theme.accent, 2));
            painter.drawRect(m_boxes[static_cast<std::size_t>(box)].rect.adjusted(-1, -1, 1, 1));
        }
    if (m_hovered >= 0) {
        HoverText text = hover_text(m_hovered);
        text.anchor = m_pointer;
        draw_hover_text(painter, text, rect(), pixel_font(font(), 0.94), m_theme);
    }
}

void BarFigure::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    lay_out_again();
}

void BarFigure::hover(int box, QPointF position)
{
    m_pointer = position;
    if (box != m_hovered) {
        m_hovered = box;
        box_hovered(box);
    }
    update();
}

void BarFigure::mouseMoveEvent(QMouseEvent* event)
{
    hover(box_at(event->position()), event->position());
}

void BarFigure::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const int box = box_at(event->position());
    set_current(box == m_current ? -1 : box);
    if (box >= 0)
        box_clicked(box);
}

void BarFigure::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    hover(-1, {});
}

void BarFigure::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_boxes.size());
    const bool next
        = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down || event->key() == Qt::Key_BracketRight;
    const bool previous
        = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up || event->key() == Qt::Key_BracketLeft;
    if (count > 0 && (next || previous)) {
        set_current(m_current < 0 ? (next ? 0 : count - 1) : (m_current + (next ? 1 : count - 1)) % count);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
        && m_current >= 0) {
        box_clicked(m_current);
    } else if (event->key() == Qt::Key_Escape && m_current >= 0) {
        set_current(-1);
    } else {
        event->ignore();
    }
}

void BarFigure::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    const int box = event->reason() == QContextMenuEvent::Mouse ? box_at(QPointF(event->pos())) : m_current;
    const auto copy = [](const QString& text) { QApplication::clipboard()->setText(text); };
    menu.addAction(tr("Copy &value"), this, [this, box, copy] { copy(hover_text(box).plain()); })->setEnabled(box >= 0);
    menu.addAction(tr("Copy as &CSV"), this, [this, copy] { copy(figure_csv(false)); });
    menu.addSeparator();
    menu.addAction(tr("&Export figure…"), this, [this] { export_figure_dialog(*this, this); });
    menu.exec(event->globalPos());
}

void BarFigure::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_own_theme) {
        m_theme = Theme::from_palette(palette());
        update();
    } else if (event->type() == QEvent::FontChange) {
        lay_out_again();
        updateGeometry();
        update();
    }
}

} // namespace ridgepoint
