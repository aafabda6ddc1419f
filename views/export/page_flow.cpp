#include "views/export/page_flow.h"

#include <algorithm>
#include <numeric>
#include <cmath>
#include <memory>

#include <QFontMetricsF>
#include <QPainter>
#include <QRegularExpression>
#include <QTextLayout>

namespace ridgepoint {
namespace {

    constexpr double cell_padding = 30;
    constexpr double cell_sizes[] = {80, 72, 65, 60}; // tenths of a point, the largest that fits
    const QColor rule_colour(0xb9, 0xbe, 0xc6);
    const QColor header_colour(0xe3, 0xe9, 0xf0);
    const QColor shade_colour(0xf6, 0xf8, 0xfa);

    using TextLayout = std::shared_ptr<QTextLayout>;

    TextLayout lay_out(const QString& text, const QFont& font, double width, Qt::Alignment alignment)
    {
        auto layout = std::make_shared<QTextLayout>(text, font);
        QTextOption option(alignment);
        option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
        option.setUseDesignMetrics(true);
        layout->setTextOption(option);
        layout->beginLayout();
        double y = 0;
        for (QTextLine line = layout->createLine(); line.isValid(); line = layout->createLine()) {
            line.setLineWidth(width);
            line.setPosition({0, y});
            y += std::ceil(line.height());
        }
        layout->endLayout();
        return layout;
    }

    double height_of(const TextLayout& layout, int from, int to) // lines [from, to)
    {
        double height = 0;
        for (int i = from; i < to && i < layout->lineCount(); ++i)
            height += std::ceil(layout->lineAt(i).height());
        return height;
    }

    int lines_that_fit(const TextLayout& layout, int from, double room)
    {
        int to = from;
        while (to < layout->lineCount() && height_of(layout, from, to + 1) <= room)
            ++to;
        return to;
    }

    void draw_lines(QPainter& painter, const TextLayout& layout, int from, int to, QPointF at)
    {
        if (from >= to)
            return;
        const double shift = layout->lineAt(from).y();
        for (int i = from; i < to; ++i)
            layout->lineAt(i).draw(&painter, at - QPointF(0, shift));
    }

    // "3.57 TFLOP" and "50.7 %" stay on one line.
    QString bind_units(QString text)
    {
        static const QRegularExpression number_and_unit(QStringLiteral("(?<=\\d) (?=[%A-Za-zµ/]{1,8}\\b|%)"));
        return text.size() <= 20 ? text.replace(number_and_unit, QString(QChar(0x00a0))) : text;
    }

    bool looks_numeric(const QString& text)
    {
        static const QRegularExpression pattern(QStringLiteral("^[-+±<>≈$(]*\\d"));
        return text.isEmpty() || text == QStringLiteral("-") || text == QStringLiteral("–") || pattern.match(text).hasMatch();
    }

} // namespace

PageFlow::PageFlow(QSizeF page, QMarginsF margins)
    : m_page(page)
    , m_content(margins.left(), margins.top(), page.width() - margins.left() - margins.right(), page.height() - margins.top() - margins.bottom())
{
    new_page();
}

QFont PageFlow::font(double size, bool bold)
{
    QFont f(QStringLiteral("DejaVu Sans"));
    f.setStyleHint(QFont::SansSerif);
    f.setPixelSize(static_cast<int>(std::lround(size)));
    f.setBold(bold);
    f.setHintingPreference(QFont::PreferNoHinting);
    return f;
}

void PageFlow::new_page()
{
    m_pages.emplace_back();
    m_y = m_content.top();
}

void PageFlow::add_text(const QString& text, const TextStyle& style)
{
    const bool at_top = m_y <= m_content.top();
    if (!at_top)
        m_y += style.space_before;
    const TextLayout layout = lay_out(text, font(style.size, style.bold), m_content.width(), Qt::AlignLeft);
    const double needed = height_of(layout, 0, std::min(layout->lineCount(), 2)) + style.keep;
    if (!at_top && needed > room())
        new_page();
    int line = 0;
    while (line < layout->lineCount()) {
        int to = lines_that_fit(layout, line, room());
        if (to == line) {
            if (m_y > m_content.top()) {
                new_page();
                continue;
            }
            to = line + 1; // a line taller than the page: drawn all the same
        }
        const QPointF at(m_content.left(), m_y);
        draw([layout, line, to, at, colour = style.colour](QPainter& painter) {
            painter.setPen(colour);
            draw_lines(painter, layout, line, to, at);
        });
        m_y += height_of(layout, line, to);
        line = to;
    }
    m_y += style.space_after;
}

PageFlow::Columns PageFlow::fit_columns(const QStringList& header, const std::vector<QStringList>& rows) const
{
    const auto count = static_cast<std::size_t>(header.size());
    const double width = m_content.width();
    const auto sum = [](const std::vector<double>& widths) { return std::accumulate(widths.begin(), widths.end(), 0.0); };
    Columns out;
    out.all.resize(count);
    std::vector<double> natural, smallest;
    for (const double size : cell_sizes) {
        out.size = size;
        natural.assign(count, 2 * cell_padding + 4);
        smallest = natural;
        const QFontMetricsF plain(font(size, false));
        const QFontMetricsF bold(font(size, true));
        static const QRegularExpression spaces(QStringLiteral("\\s+"));
        const auto measure = [&](std::size_t column, const QString& text, const QFontMetricsF& metrics) {
            constexpr double around = 2 * cell_padding + 4;
            natural[column] = std::max(natural[column], around + metrics.horizontalAdvance(text));
            for (const QString& word : text.split(spaces, Qt::SkipEmptyParts))
                smallest[column] = std::max(smallest[column], around + metrics.horizontalAdvance(word));
        };
        for (std::size_t c = 0; c < count; ++c) {
            measure(c, header[static_cast<qsizetype>(c)], bold);
            bool numeric = !rows.empty();
            for (const QStringList& row : rows) {
                const QString cell = row.value(static_cast<qsizetype>(c));
                measure(c, cell, plain);
                numeric = numeric && looks_numeric(cell);
            }
            out.all[c].numeric = numeric && c > 0;
        }
        if (sum(smallest) <= width)
            break;
    }
    const double all_natural = sum(natural), all_smallest = sum(smallest);
    for (std::size_t c = 0; c < count; ++c) {
        if (all_natural <= width)
            out.all[c].width = natural[c] + (width - all_natural) * natural[c] / all_natural; // fill the line, roomy
        else if (all_smallest <= width) // each its longest word, the rest by what each would like
            out.all[c].width = smallest[c] + (width - all_smallest) * (natural[c] - smallest[c]) / std::max(1.0, all_natural - all_smallest);
        else
            out.all[c].width = width * std::min(smallest[c], width / 2) / std::max(1.0, [&] {
                double capped = 0;
                for (const double s : smallest)
                    capped += std::min(s, width / 2);
                return capped;
            }());
    }
    return out;
}

void PageFlow::add_table(const QStringList& header, const std::vector<QStringList>& given)
{
    if (header.isEmpty())
        return;
    std::vector<QStringList> rows = given;
    for (QStringList& row : rows)
        for (QString& cell : row)
            cell = bind_units(cell);
    const Columns columns = fit_columns(header, rows);
    const auto height_of_row = [&](const QStringList& row) {
        double height = 0;
        for (std::size_t c = 0; c < columns.all.size(); ++c) {
            const TextLayout cell = lay_out(row.value(static_cast<qsizetype>(c)), font(columns.size, false), columns.all[c].width - 2 * cell_padding, Qt::AlignLeft);
            height = std::max(height, height_of(cell, 0, cell->lineCount()));
        }
        return height + 2 * cell_padding;
    };
    constexpr double header_and_two_rows = 480;
    if (room() < header_and_two_rows && m_y > m_content.top())
        new_page();
    add_row(header, columns, true, false);
    bool shaded = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        // The last two rows go together: no row stands alone under a repeated header.
        const double needed = height_of_row(rows[i]) + (i + 2 == rows.size() && i > 0 ? height_of_row(rows[i + 1]) : 0);
        const std::size_t page = m_pages.size();
        if (needed > room()) {
            new_page();
            add_row(header, columns, true, false);
        }
        add_row(rows[i], columns, false, shaded);
        shaded = m_pages.size() == page ? !shaded : true;
    }
    m_y += 80;
}

void PageFlow::add_row(const QStringList& cells, const Columns& fitted, bool header, bool shaded)
{
    const std::vector<Column>& columns = fitted.all;
    std::vector<TextLayout> layouts;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Qt::Alignment side = columns[c].numeric ? Qt::AlignRight : Qt::AlignLeft;
        layouts.push_back(lay_out(cells.value(static_cast<qsizetype>(c)), font(fitted.size, header), columns[c].width - 2 * cell_padding, side));
    }
    std::vector<int> from(columns.size(), 0);
    bool more = true;
    while (more) {
        more = false;
        double height = 0;
        std::vector<int> to(columns.size(), 0);
        const double space = std::max(room(), fitted.size * 2) - 2 * cell_padding;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            to[c] = std::max(lines_that_fit(layouts[c], from[c], space), std::min(from[c] + 1, layouts[c]->lineCount()));
            height = std::max(height, height_of(layouts[c], from[c], to[c]));
            more = more || to[c] < layouts[c]->lineCount();
        }
        const QRectF box(m_content.left(), m_y, m_content.width(), height + 2 * cell_padding);
        draw([=](QPainter& painter) {
            if (header || shaded)
                painter.fillRect(box, header ? header_colour : shade_colour);
            painter.setPen(QPen(rule_colour, 5));
            painter.drawLine(box.bottomLeft(), box.bottomRight());
            painter.setPen(Qt::black);
            double x = box.left();
            for (std::size_t c = 0; c < columns.size(); ++c) {
                draw_lines(painter, layouts[c], from[c], to[c], {x + cell_padding, box.top() + cell_padding});
                x += columns[c].width;
            }
        });
        m_y += box.height();
        from = to;
        if (more)
            new_page();
    }
}

void PageFlow::add_figure(double height, const std::function<void(QPainter&, const QRectF&)>& paint)
{
    height = std::min(height, m_content.height());
    if (height > room())
        new_page();
    const QRectF area(m_content.left(), m_y, m_content.width(), height);
    draw([paint, area](QPainter& painter) {
        painter.save();
        paint(painter, area);
        painter.restore();
    });
    m_y += height + 60;
}

void PageFlow::draw_page(int page, QPainter& painter) const
{
    for (const Draw& command : m_pages[static_cast<std::size_t>(page)])
        command(painter);
}

} // namespace ridgepoint
