#include "views/export/svg_figure.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QXmlStreamReader>

#include "views/export/page_flow.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    const QColor ink(0x1b, 0x1f, 0x24);
    const QColor soft(0x57, 0x60, 0x6a);
    const QColor bad(0xb3, 0x26, 0x1e);

    // Okabe and Ito's colours, as the page has them.
    QColor fill_of(const QStringList& classes)
    {
        static const QHash<QString, QColor> colours = [] {
            QHash<QString, QColor> c;
            const auto add = [&](QRgb rgb, std::initializer_list<const char*> names) {
                for (const char* n : names)
                    c.insert(QString::fromLatin1(n), QColor(rgb));
            };
            add(0x0072b2, {"r-compute", "k-gemm", "m-weights"});
            add(0xe69f00, {"r-hbm", "k-memory", "m-activations"});
            add(0x009e73, {"r-nvlink", "k-attention", "m-optimizer"});
            add(0xd55e00, {"r-network", "k-collective", "m-gradients"});
            add(0x8a8f98, {"r-latency", "k-other", "m-reserve"});
            add(0xcc79a7, {"r-storage", "m-kv"});
            add(0xb8a500, {"m-workspace"});
            return c;
        }();
        for (const QString& name : classes)
            if (const auto at = colours.find(name); at != colours.end())
                return *at;
        return soft;
    }

    QPen pen_of(const QStringList& classes, double unit)
    {
        const auto has = [&](const char* name) { return classes.contains(QLatin1String(name)); };
        if (has("grid"))
            return QPen(QColor(0xd0, 0xd7, 0xde), 0.6 * unit);
        if (has("limit"))
            return QPen(bad, 1.5 * unit, Qt::DashLine);
        if (has("ridge"))
            return QPen(soft, unit, Qt::DotLine);
        return has("minor") ? QPen(soft, unit) : QPen(ink, 2 * unit);
    }

    void draw_text(QPainter& painter, const QXmlStreamAttributes& a, const QString& content, double unit, QPointF at)
    {
        const QStringList classes = a.value(QLatin1String("class")).toString().split(QLatin1Char(' '));
        QFont font = PageFlow::font(90, classes.contains(QLatin1String("strong")));
        font.setPixelSize(qMax(1, qRound(12 * unit)));
        painter.setFont(font);
        painter.setPen(classes.contains(QLatin1String("bad")) ? bad : classes.contains(QLatin1String("tick")) || classes.contains(QLatin1String("axis")) ? soft : ink);
        const double width = QFontMetricsF(font, painter.device()).horizontalAdvance(content);
        const auto anchor = a.value(QLatin1String("text-anchor"));
        const double shift = anchor == QLatin1String("middle") ? width / 2 : anchor == QLatin1String("end") ? width : 0;
        painter.save();
        painter.translate(at);
        const QString turn = a.value(QLatin1String("transform")).toString(); // "rotate(-90 16 140)"
        if (turn.startsWith(QLatin1String("rotate(")))
            painter.rotate(turn.mid(7).section(QLatin1Char(' '), 0, 0).toDouble());
        painter.drawText(QPointF(-shift, 0), content);
        painter.restore();
    }

} // namespace

QSizeF svg_figure_size(const std::string& svg)
{
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    if (!xml.readNextStartElement())
        return {};
    const QStringList box = xml.attributes().value(QLatin1String("viewBox")).toString().split(QLatin1Char(' '));
    return box.size() == 4 ? QSizeF(box[2].toDouble(), box[3].toDouble()) : QSizeF();
}

void draw_svg_figure(const std::string& svg, QPainter& painter, const QRectF& area)
{
    const QSizeF size = svg_figure_size(svg);
    if (size.isEmpty())
        return;
    const double unit = area.width() / size.width();
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    painter.save();
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        const QXmlStreamAttributes a = xml.attributes();
        const auto number = [&](const char* name) { return a.value(QLatin1String(name)).toDouble() * unit; };
        const auto point = [&](const char* x, const char* y) { return area.topLeft() + QPointF(number(x), number(y)); };
        const QStringList classes = a.value(QLatin1String("class")).toString().split(QLatin1Char(' '));
        if (xml.name() == QLatin1String("line")) {
            painter.setPen(pen_of(classes, unit));
            painter.drawLine(point("x1", "y1"), point("x2", "y2"));
        } else if (xml.name() == QLatin1String("rect")) {
            painter.fillRect(QRectF(point("x", "y"), QSizeF(number("width"), number("height"))), fill_of(classes));
        } else if (xml.name() == QLatin1String("circle")) {
            painter.setPen(QPen(Qt::white, 0.7 * unit));
            painter.setBrush(fill_of(classes));
            painter.drawEllipse(point("cx", "cy"), number("r"), number("r"));
        } else if (xml.name() == QLatin1String("text")) {
            const QPointF at = point("x", "y");
            draw_text(painter, a, xml.readElementText(QXmlStreamReader::SkipChildElements), unit, at);
        }
    }
    painter.restore();
}

} // namespace ridgepoint
