#include "views/widgets/icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

namespace ridgepoint {
namespace {

    class SvgIconEngine final : public QIconEngine {
    public:
        SvgIconEngine(QByteArray svg, QColor colour) : m_svg(std::move(svg)), m_colour(std::move(colour)) {}

        void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
        {
            QByteArray svg = m_svg;
            svg.replace("currentColor", colour_of(mode).name().toLatin1());
            QSvgRenderer renderer(svg);
            renderer.setAspectRatioMode(Qt::KeepAspectRatio);
            renderer.render(painter, rect);
        }

        QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
        {
            QPixmap pixmap(size);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            paint(&painter, QRect(QPoint(0, 0), size), mode, state);
            return pixmap;
        }

        [[nodiscard]] QIconEngine* clone() const override { return new SvgIconEngine(*this); }

    private:
        [[nodiscard]] QColor colour_of(QIcon::Mode mode) const
        {
            const QPalette palette = QApplication::palette();
            if (mode == QIcon::Disabled)
                return palette.color(QPalette::Disabled, QPalette::WindowText);
            if (mode == QIcon::Selected)
                return palette.color(QPalette::HighlightedText);
            return m_colour.isValid() ? m_colour : palette.color(QPalette::WindowText);
        }

        QByteArray m_svg;
        QColor m_colour;
    };

} // namespace

QIcon themed_icon(const QString& name) { return coloured_icon(name, QColor()); }

QIcon coloured_icon(const QString& name, const QColor& colour)
{
    QFile file(QStringLiteral(":/ridgepoint/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QIcon(new SvgIconEngine(file.readAll(), colour));
}

} // namespace ridgepoint
