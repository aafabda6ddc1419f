#include "model/report/svg.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

std::string n(double v) // shortest of two decimals
{
    std::string out = fmt::format("{:.2f}", std::isfinite(v) ? v : 0.0);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.ends_with('.'))
        out.pop_back();
    return out == "-0" ? "0" : out;
}

std::string tail(std::string_view tag, std::string_view tip)
{
    return tip.empty() ? "/>\n" : fmt::format("><title>{}</title></{}>\n", escape_xml(tip), tag);
}

} // namespace

std::string escape_xml(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
                out += c;
        }
    }
    return out;
}

double text_width(std::string_view text, double font_size)
{
    const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    return 0.56 * font_size * static_cast<double>(letters);
}

Svg::Svg(double width, double height, std::string_view id, std::string_view title, std::string_view description) : m_id(id)
{
    m_out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-title {}-desc\">\n"
                        "<title id=\"{}-title\">{}</title>\n<desc id=\"{}-desc\">{}</desc>\n",
        n(width), n(height), m_id, m_id, m_id, escape_xml(title), m_id, escape_xml(description));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css)
{
    m_out += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css, n(x1), n(y1), n(x2), n(y2));
}

void Svg::rect(double x, double y, double w, double h, std::string_view css, std::string_view tip)
{
    m_out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}", css, n(x), n(y), n(std::max(0.0, w)), n(std::max(0.0, h)), tail("rect", tip));
}

void Svg::circle(double x, double y, double r, std::string_view css, std::string_view tip)
{
    m_out += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"{}", css, n(x), n(y), n(r), tail("circle", tip));
}

void Svg::text(double x, double y, std::string_view content, std::string_view css, std::string_view anchor, double angle)
{
    const std::string turn = angle == 0 ? std::string() : fmt::format(" transform=\"rotate({} {} {})\"", n(angle), n(x), n(y));
    m_out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", css, n(x), n(y), anchor, turn, escape_xml(content));
}

void Svg::clip_to(double x, double y, double w, double h)
{
    const std::string id = fmt::format("{}-clip{}", m_id, ++m_clips);
    m_out += fmt::format("<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>\n<g clip-path=\"url(#{})\">\n", id, n(x), n(y), n(w), n(h), id);
}

void Svg::end_clip() { m_out += "</g>\n"; }

} // namespace ridgepoint
