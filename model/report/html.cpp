// One self-contained HTML file: no script, no network, readable on paper and by a screen reader, light and dark.

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "model/report/figures.h"
#include "model/report/report.h"
#include "model/report/svg.h"

namespace ridgepoint {
namespace {

// Okabe and Ito's colours, distinguishable with every common colour vision; their dark variants are lightened.
constexpr const char* style = R"css(
:root { --ink:#1b1f24; --soft:#57606a; --paper:#ffffff; --band:#f3f5f7; --rule:#d0d7de; --accent:#0b5cad; --bad:#b3261e;
  --compute:#0072b2; --hbm:#e69f00; --nvlink:#009e73; --network:#d55e00; --latency:#8a8f98; --storage:#cc79a7; --yellow:#b8a500; }
@media (prefers-color-scheme: dark) {
:root { --ink:#e6e9ed; --soft:#9aa4af; --paper:#14181d; --band:#1d232a; --rule:#39424d; --accent:#6cb2f5; --bad:#ff8a80;
  --compute:#4aa8e0; --hbm:#f0b429; --nvlink:#2fc796; --network:#f2804a; --latency:#9aa0a8; --storage:#e0a0c4; --yellow:#e0d050; } }
* { box-sizing:border-box; }
html { font:15px/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif; color:var(--ink); background:var(--paper); }
body { max-width:60rem; margin:0 auto; padding:1.5rem 1.25rem 3rem; }
h1 { font-size:1.9rem; line-height:1.2; margin:.5rem 0 .25rem; } .subtitle { color:var(--soft); margin:0 0 1.25rem; }
h2 { font-size:1.3rem; margin:2.5rem 0 .75rem; padding-top:.5rem; border-top:1px solid var(--rule); }
a { color:var(--accent); } nav ul { display:flex; flex-wrap:wrap; gap:.25rem 1rem; list-style:none; padding:0; margin:0 0 1rem; }
.skip { position:absolute; left:-999rem; } .skip:focus { left:1rem; top:.5rem; background:var(--paper); padding:.5rem; }
.verdict { font-size:1.15rem; font-weight:600; padding:.75rem 1rem; background:var(--band); border-left:.35rem solid var(--nvlink); }
.verdict.bad { border-color:var(--bad); }
.scroll { overflow-x:auto; margin:1rem 0; }
table { border-collapse:collapse; width:100%; font-size:.9rem; font-variant-numeric:tabular-nums; }
caption { text-align:left; font-weight:600; padding:.35rem 0; } th,td { text-align:left; vertical-align:top; padding:.3rem .6rem; border-bottom:1px solid var(--rule); }
thead th { background:var(--band); white-space:nowrap; } td.n,th.n { text-align:right; white-space:nowrap; }
tbody th { font-weight:500; } .note { color:var(--soft); font-size:.85rem; margin:.25rem 0 1.25rem; }
.logo { float:right; max-height:3.5rem; max-width:14rem; } .fields { display:flex; flex-wrap:wrap; gap:.25rem 1.5rem; margin:0 0 1rem; } .fields dt,.fields dd { display:inline; margin:0; } .fields dt { color:var(--soft); padding-right:.4rem; }
figure { margin:1.25rem 0; } svg { width:100%; height:auto; }
pre { background:var(--band); padding:1rem; overflow:auto; font:.8rem/1.4 ui-monospace,"DejaVu Sans Mono",monospace; }
footer { margin-top:3rem; padding-top:.75rem; border-top:1px solid var(--rule); color:var(--soft); font-size:.85rem; }
svg text { font:12px system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif; fill:var(--ink); }
svg .label,svg .tick { paint-order:stroke; stroke:var(--paper); stroke-width:3px; stroke-linejoin:round; }
svg .tick,svg .axis { fill:var(--soft); } svg .strong { font-weight:600; } svg .bad { fill:var(--bad); font-weight:600; }
svg .frame { fill:none; stroke:var(--rule); } svg .grid { stroke:var(--rule); stroke-width:.6; }
svg .roof { stroke:var(--ink); stroke-width:2; } svg .roof.minor { stroke:var(--soft); stroke-width:1; stroke-dasharray:5 4; }
svg .ridge { stroke:var(--soft); stroke-dasharray:2 4; } svg .limit { stroke:var(--bad); stroke-width:2; stroke-dasharray:6 3; }
svg circle { fill-opacity:.65; stroke:var(--paper); stroke-width:1; }
.r-compute,.k-gemm,.m-weights { fill:var(--compute); } .r-hbm,.k-memory,.m-activations { fill:var(--hbm); } .r-nvlink,.k-attention,.m-optimizer { fill:var(--nvlink); }
.r-network,.k-collective,.m-gradients { fill:var(--network); } .r-latency,.k-other,.m-reserve { fill:var(--latency); } .r-storage,.m-kv { fill:var(--storage); } .m-workspace { fill:var(--yellow); }
@media print { :root { color-scheme:light; } nav,.skip { display:none; } h2 { break-after:avoid; } figure,tr { break-inside:avoid; } body { max-width:none; padding:0; } }
)css";

std::string slug(const std::string& title)
{
    std::string out;
    for (const char c : title)
        out += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) ? c : '-';
    return out;
}

void add_table(const ReportTable& t, std::string& out)
{
    const std::vector<bool> numbers = number_columns(t);
    const auto css = [&](std::size_t c) { return c < numbers.size() && numbers[c] ? " class=\"n\"" : ""; };
    out += fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<caption>{}</caption>\n<thead><tr>", escape_xml(t.title), escape_xml(t.title));
    for (std::size_t c = 0; c < t.header.size(); ++c)
        out += fmt::format("<th scope=\"col\"{}>{}</th>", css(c), escape_xml(t.header[c]));
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : t.rows) {
        out += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c)
            out += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape_xml(row[c])) : fmt::format("<td{}>{}</td>", css(c), escape_xml(row[c]));
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n</div>\n";
    if (!t.note.empty())
        out += fmt::format("<p class=\"note\">{}</p>\n", escape_xml(t.note));
}

std::string figure_of(const std::string& name, const Evaluation& v)
{
    if (name == "roofline")
        return roofline_svg(v);
    if (name == "breakdown")
        return breakdown_svg(v);
    if (name == "memory")
        return memory_svg(v);
    return {};
}

std::string base64(std::string_view bytes)
{
    static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += k <= n ? letters[word >> (18 - 6 * k) & 63U] : '=';
    }
    return out;
}

// As an image, never as markup: a picture cannot run scripts or load anything.
std::string logo_of(const std::string& logo)
{
    if (logo.empty())
        return {};
    const char* type = logo.starts_with("\x89PNG") ? "image/png" : "image/svg+xml";
    return fmt::format("<img class=\"logo\" alt=\"\" src=\"data:{};base64,{}\">\n", type, base64(logo));
}

} // namespace

std::string to_html(const Report& report, const Evaluation& evaluation)
{
    std::string out = fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                                  "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"Ridgepoint\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n",
        escape_xml(report.title), style);
    out += "<a class=\"skip\" href=\"#decision\">Skip to the decision</a>\n<header>\n" + logo_of(report.logo);
    out += fmt::format("<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n", escape_xml(report.title), escape_xml(report.subtitle));
    if (!report.fields.empty()) {
        out += "<dl class=\"fields\">";
        for (const auto& [name, value] : report.fields)
            out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape_xml(name), escape_xml(value));
        out += "</dl>\n";
    }
    out += "</header>\n<nav aria-label=\"Sections\"><ul>\n";
    for (const ReportSection& s : report.sections)
        out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", slug(s.title), escape_xml(s.title));
    out += "</ul></nav>\n<main>\n";
    for (const ReportSection& s : report.sections) {
        out += fmt::format("<section id=\"{}\" aria-labelledby=\"h-{}\">\n<h2 id=\"h-{}\">{}</h2>\n", slug(s.title), slug(s.title), slug(s.title), escape_xml(s.title));
        for (std::size_t i = 0; i < s.paragraphs.size(); ++i) {
            const bool verdict = i == 0 && &s == &report.sections.front();
            const char* css = !verdict ? "" : evaluation.estimate.feasible() ? " class=\"verdict\"" : " class=\"verdict bad\"";
            out += fmt::format("<p{}>{}</p>\n", css, escape_xml(s.paragraphs[i]));
        }
        for (const std::string& svg : {figure_of(s.figure, evaluation), s.svg})
            if (!svg.empty())
                out += "<figure>\n" + svg + "</figure>\n";
        for (const ReportTable& t : s.tables)
            add_table(t, out);
        if (!s.code.empty())
            out += fmt::format("<details><summary>plan.ridgepoint</summary>\n<pre>{}</pre>\n</details>\n", escape_xml(s.code));
        out += "</section>\n";
    }
    out += fmt::format("</main>\n<footer>{}</footer>\n</body>\n</html>\n", escape_xml(report.footer));
    return out;
}

} // namespace ridgepoint
