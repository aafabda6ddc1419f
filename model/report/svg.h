#pragma once
// A small writer of SVG for the report's figures. Colours are CSS classes, so that the page decides between light and
// dark; numbers have two decimals and no locale, so that the same figure has the same bytes everywhere.

#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint {

std::string escape_xml(std::string_view text); // & < > " ' and control characters

class Svg {
public:
    // `title` and `description` are what a screen reader says instead of the picture; `id` must be unique in the page.
    Svg(double width, double height, std::string_view id, std::string_view title, std::string_view description);

    void line(double x1, double y1, double x2, double y2, std::string_view css);
    void rect(double x, double y, double w, double h, std::string_view css, std::string_view tip = {});
    void circle(double x, double y, double r, std::string_view css, std::string_view tip = {});
    // anchor: "start", "middle" or "end"; angle in degrees about (x, y).
    void text(double x, double y, std::string_view content, std::string_view css = "label", std::string_view anchor = "start", double angle = 0);
    void clip_to(double x, double y, double w, double h); // what follows, until end_clip()
    void end_clip();

    [[nodiscard]] std::string str() const { return m_out + "</svg>\n"; }

private:
    std::string m_id;
    std::string m_out;
    int m_clips = 0;
};

// Rough width of a text in the page's sans-serif face, for placing labels.
double text_width(std::string_view text, double font_size);

} // namespace ridgepoint
