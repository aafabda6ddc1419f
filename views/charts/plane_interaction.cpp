// Mouse, wheel, touch pad and keyboard of a log-log plane, and its context menu.

#include <cmath>

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QWheelEvent>

#include "views/charts/plane_chart.h"
#include "views/export/figure_export.h"

namespace ridgepoint {
namespace {

constexpr double click_distance = 4; // pixels: less is a click, more a drag
constexpr double notch = 1.2;
constexpr double pan_step = 0.1; // of the span

} // namespace

void PlaneChart::wheelEvent(QWheelEvent* event)
{
    const QPoint delta = event->angleDelta();
    const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / 120.0;
    if (notches == 0)
        return;
    const QPointF at = event->position();
    const bool on_y_axis = at.x() < m_plot.left();
    const bool on_x_axis = at.y() > m_plot.bottom();
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const bool control = event->modifiers() & Qt::ControlModifier;
    zoom(std::pow(notch, notches), at, !on_y_axis && !(control && !shift), !on_x_axis && !(shift && !control));
    event->accept();
}

bool PlaneChart::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoom(1.0 + gesture->value(), gesture->position(), true, true);
            return true;
        }
    }
    return QChartView::viewportEvent(event);
}

void PlaneChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton)
        return;
    m_press = m_pointer = event->position();
    m_press_frame = m_frame;
    const bool pans = event->button() == Qt::MiddleButton || (event->modifiers() & Qt::ShiftModifier);
    // Above the plot lies the legend: it can be clicked, but no box starts there.
    m_drag = pans ? Drag::pan : m_press.y() < m_plot.bottom() ? Drag::undecided : Drag::none;
    if (m_drag == Drag::pan)
        viewport()->setCursor(Qt::ClosedHandCursor);
    event->accept();
}

void PlaneChart::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    m_pointer_inside = true;
    if (m_drag == Drag::undecided && (m_pointer - m_press).manhattanLength() >= click_distance)
        m_drag = m_plot.contains(m_press) ? Drag::box : Drag::none;
    if (m_drag == Drag::pan && !m_plot.isEmpty()) {
        m_moving = true;
        const QPointF by = m_pointer - m_press;
        show_frame(
            {panned(m_press_frame.x, -by.x() / m_plot.width()), panned(m_press_frame.y, by.y() / m_plot.height())},
            false);
    } else if (m_drag == Drag::none || m_drag == Drag::undecided) {
        update_hover();
    }
    viewport()->update();
    event->accept();
}

void PlaneChart::update_hover()
{
    if (!m_pinned)
        m_hover = m_plot.contains(m_pointer) ? hover_at(m_pointer) : HoverText{};
    if (m_plot.contains(m_pointer))
        emit status_changed(value_text(to_plane(m_pointer)));
}

void PlaneChart::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag drag = m_drag;
    m_drag = Drag::none;
    m_pointer = event->position();
    viewport()->unsetCursor();
    if (m_moving) {
        m_moving = false;
        redraw();
    }
    if (drag == Drag::pan) {
        if ((m_pointer - m_press).manhattanLength() >= click_distance)
            remember_frame();
        else if (event->button() == Qt::LeftButton)
            click_at(m_press, event->modifiers());
    } else if (drag == Drag::box) {
        const QRectF box = QRectF(m_press, m_pointer).normalized() & m_plot;
        if (box.width() >= click_distance && box.height() >= click_distance) {
            const LogPoint low = to_plane(box.bottomLeft());
            const LogPoint high = to_plane(box.topRight());
            show_frame({{low.x, high.x}, {low.y, high.y}});
        }
    } else if (drag == Drag::undecided && event->button() == Qt::LeftButton) {
        click_at(m_press, event->modifiers());
    }
    viewport()->update();
    event->accept();
}

void PlaneChart::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && hover_at(event->position()).empty())
        reset_frame();
    event->accept();
}

void PlaneChart::leaveEvent(QEvent* event)
{
    QChartView::leaveEvent(event);
    m_pointer_inside = false;
    if (!m_pinned)
        m_hover = {};
    emit status_changed({});
    viewport()->update();
}

bool PlaneChart::handle_key(QKeyEvent* event)
{
    const QPointF middle = m_plot.center();
    const bool alt = event->modifiers() & Qt::AltModifier;
    if (event->modifiers() & (Qt::ControlModifier | Qt::MetaModifier))
        return false;
    switch (event->key()) {
    case Qt::Key_Left:
        alt ? go_back() : pan(-pan_step, 0);
        return true;
    case Qt::Key_Right:
        alt ? go_forward() : pan(pan_step, 0);
        return true;
    case Qt::Key_Up:
        pan(0, pan_step);
        return true;
    case Qt::Key_Down:
        pan(0, -pan_step);
        return true;
    case Qt::Key_A:
        pan(-pan_step, 0);
        return true;
    case Qt::Key_D:
        pan(pan_step, 0);
        return true;
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(notch, middle, true, true);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoom(1.0 / notch, middle, true, true);
        return true;
    case Qt::Key_0:
    case Qt::Key_Home:
        reset_frame();
        return true;
    case Qt::Key_F:
        fit_selection();
        return true;
    case Qt::Key_BracketRight:
        return step_selection(1);
    case Qt::Key_BracketLeft:
        return step_selection(-1);
    case Qt::Key_P:
        m_pinned = !m_pinned && !m_hover.empty();
        if (!m_pinned)
            update_hover();
        viewport()->update();
        return true;
    case Qt::Key_Escape:
        if (m_drag != Drag::none) {
            m_drag = Drag::none;
            m_moving = false;
            viewport()->unsetCursor();
            redraw();
            return true;
        }
        if (m_pinned) {
            m_pinned = false;
            set_hover({});
            return true;
        }
        if (selection_frame()) {
            click_at(QPointF(-1e6, -1e6), Qt::NoModifier);
            return true;
        }
        return false;
    default:
        return false;
    }
}

void PlaneChart::keyPressEvent(QKeyEvent* event)
{
    if (handle_key(event))
        event->accept();
    else
        event->ignore();
}

bool PlaneChart::event(QEvent* event)
{
    // Tab walks the marks once one is chosen, so that a chart without a selection is no trap for the keyboard.
    if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool forward = key->key() == Qt::Key_Tab;
        if ((forward || key->key() == Qt::Key_Backtab) && selection_frame() && step_selection(forward ? 1 : -1)) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        viewport()->update();
    return QChartView::event(event);
}

void PlaneChart::add_menu_actions(QMenu*, QPointF) { }

void PlaneChart::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    const QPointF at = event->reason() == QContextMenuEvent::Mouse ? QPointF(event->pos()) : m_hover.anchor;
    const HoverText here = event->reason() == QContextMenuEvent::Mouse ? hover_at(at) : m_hover;
    const auto copy = [](const QString& text) { QApplication::clipboard()->setText(text); };
    QAction* value = menu.addAction(tr("Copy &value"), this,
        [copy, here, this, at] { copy(here.empty() ? value_text(to_plane(at)) : here.plain()); });
    value->setEnabled(!here.empty() || m_plot.contains(at));
    menu.addAction(tr("Copy visible points as &CSV"), this, [copy, this] { copy(figure_csv(true)); });
    menu.addAction(tr("Copy &all points as CSV"), this, [copy, this] { copy(figure_csv(false)); });
    menu.addSeparator();
    add_menu_actions(&menu, at);
    menu.addAction(tr("&Reset view"), this, &PlaneChart::reset_frame)->setShortcut(Qt::Key_Home);
    QAction* fit = menu.addAction(tr("&Fit selection"), this, &PlaneChart::fit_selection);
    fit->setShortcut(Qt::Key_F);
    fit->setEnabled(selection_frame().has_value());
    QAction* back = menu.addAction(tr("View &back"), this, &PlaneChart::go_back);
    back->setShortcut(Qt::ALT | Qt::Key_Left);
    back->setEnabled(can_go_back());
    QAction* forward = menu.addAction(tr("View f&orward"), this, &PlaneChart::go_forward);
    forward->setShortcut(Qt::ALT | Qt::Key_Right);
    forward->setEnabled(can_go_forward());
    menu.addSeparator();
    menu.addAction(tr("&Export figure…"), this, [this] { export_figure_dialog(*this, this); });
    menu.exec(event->globalPos());
    event->accept();
}

} // namespace ridgepoint
