#pragma once
// The command line of the desktop program.

#include <QSize>
#include <QStringList>

#include "app/desktop/report_export.h"
#include "model/base/error.h"

namespace ridgepoint {

struct Options {
    QStringList files; // plans, traces, config.json, in any mixture
    QString export_file; // --export: write the report and end
    ReportRequest report; // --detail, --paper, --prepared-for, --by, --reference, --logo, --today
    QStringList measured_files; // --measured: set against the prediction in the report
    QString screenshot_file; // --screenshot: draw the window and end
    QSize size{1280, 800};
    QString theme; // "light", "dark", "system"; empty: as in the settings
    QString compare_file; // --compare: plan A of the compare page
    QString page; // --page: tab to show first
    double scale = 1.0; // of --screenshot
    bool help = false;
    bool version = false;

    [[nodiscard]] bool needs_window() const { return export_file.isEmpty() && screenshot_file.isEmpty(); }
};

Expected<Options> parse_options(const QStringList& arguments); // arguments[0] is the program
QString help_text();
QString version_text();

} // namespace ridgepoint
