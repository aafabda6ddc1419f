#pragma once
// A flow of text, tables and figures cut into pages. Laid out first, drawn afterwards, so that every page knows how many
// there are. Lengths in tenths of a point, the resolution that the PDF is written with.

#include <functional>
#include <vector>

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QMarginsF>
#include <QSizeF>
#include <QString>
#include <QStringList>

class QPainter;
class QTextLayout;

namespace ridgepoint {

class PageFlow {
public:
    using Draw = std::function<void(QPainter&)>;

    PageFlow(QSizeF page, QMarginsF margins);

    struct TextStyle {
        double size = 95; // tenths of a point
        bool bold = false;
        QColor colour = Qt::black;
        double space_before = 0;
        double space_after = 40;
        double keep = 0; // room that must follow on the same page: a heading does not stand alone at its foot
    };
    void add_text(const QString& text, const TextStyle& style);
    // Wraps inside cells, breaks between rows (inside a row only if it is taller than a page), repeats the header.
    void add_table(const QStringList& header, const std::vector<QStringList>& rows);
    void add_figure(double height, const std::function<void(QPainter&, const QRectF&)>& draw);
    void add_space(double height) { m_y += height; }
    void new_page();

    [[nodiscard]] int page_count() const { return static_cast<int>(m_pages.size()); }
    void draw_page(int page, QPainter& painter) const; // 0-based
    [[nodiscard]] QRectF content() const { return m_content; }
    [[nodiscard]] QSizeF page_size() const { return m_page; }
    [[nodiscard]] static QFont font(double size, bool bold);

private:
    struct Column {
        double width = 0;
        bool numeric = false;
    };
    struct Columns {
        std::vector<Column> all;
        double size = 0; // of the letters: smaller where the words of many columns would not fit side by side
    };
    [[nodiscard]] Columns fit_columns(const QStringList& header, const std::vector<QStringList>& rows) const;
    void add_row(const QStringList& cells, const Columns& columns, bool header, bool shaded);
    [[nodiscard]] double room() const { return m_content.bottom() - m_y; }
    void draw(Draw command) { m_pages.back().push_back(std::move(command)); }

    QSizeF m_page;
    QRectF m_content;
    std::vector<std::vector<Draw>> m_pages;
    double m_y = 0;
};

} // namespace ridgepoint
