#pragma once
// The report's content, once, and its writers. The same Report gives HTML, Markdown, CSV and JSON here and the PDF in
// views/export; same plan, same bytes on any machine and locale.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/measured/measured.h"
#include "model/project/resolve.h"
#include "model/units/date.h"

namespace ridgepoint {

enum class ReportDetail : unsigned char {
    executive, // what was asked, the answer, alternatives, money, risks
    engineering, // and memory, bounds, operators, every assumption and source
};

struct ReportOptions {
    ReportDetail detail = ReportDetail::engineering;
    std::string organization, author, reference; // of the title; empty: not shown
    std::string logo; // bytes of a PNG or SVG file; empty: none
    std::optional<Date> today; // for the age of prices; nothing in the report reads a clock
    const std::vector<Measured>* measured = nullptr; // files that the prediction is set against
};

struct ReportTable {
    std::string title;
    std::vector<std::string> header; // units in brackets
    std::vector<std::vector<std::string>> rows;
    std::string note;
};

// Columns, but the first, whose cells all start like numbers: shown to the right.
std::vector<bool> number_columns(const ReportTable& table);

struct ReportSection {
    std::string title; // "Decision", "Alternatives", "Fit", "Bounds", "Cost", "Assumptions", "Sources", "Reproduce"
    std::vector<std::string> paragraphs;
    std::vector<ReportTable> tables;
    std::string figure; // name of a chart to draw here ("roofline", "breakdown", "memory"); empty: none
    std::string svg; // a figure of its own, in the classes of figures.h; empty: none
    std::string code; // shown as it is, in a fixed-width face: the plan file to reproduce the report from
};

struct Report {
    std::string title;
    std::string subtitle;
    std::vector<ReportSection> sections;
    std::string footer; // program version, catalogue date; no clock
    std::vector<std::pair<std::string, std::string>> fields; // "Prepared for" -> "Example Corp."
    std::string logo; // as in the options
};

Report build_report(const Plan& plan, const Evaluation& evaluation, const SpecStore& specs, const ReportOptions& options = {});

std::string to_html(const Report& report, const Evaluation& evaluation); // one self-contained file, figures as inline SVG
std::string to_markdown(const Report& report);
std::string to_csv(const Report& report); // every table: section and table title, header, rows

} // namespace ridgepoint
