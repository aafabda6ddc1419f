#include "app/desktop/options.h"

#include <QCommandLineParser>
#include <QRegularExpression>

#include "app/desktop/result_area.h"
#include "model/report/logo.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    void declare(QCommandLineParser& parser)
    {
        parser.setApplicationDescription(QStringLiteral(
            "Capacity planning and roofline visualization of foundation-model training and inference on AWS GPUs.\n"
            "Opens plans (*.ridgepoint), measured traces (*.json, *.json.gz) and Hugging Face config.json files."));
        parser.addOptions({
            {QStringLiteral("export"), QStringLiteral("Write the report of the plan as PDF and end; needs no display."), QStringLiteral("report.pdf")},
            {QStringLiteral("detail"), QStringLiteral("Of the report: executive or engineering."), QStringLiteral("level")},
            {QStringLiteral("paper"), QStringLiteral("Of the report: a4 or letter."), QStringLiteral("size")},
            {QStringLiteral("prepared-for"), QStringLiteral("Title field of the report."), QStringLiteral("text")},
            {QStringLiteral("by"), QStringLiteral("Title field of the report."), QStringLiteral("text")},
            {QStringLiteral("reference"), QStringLiteral("Title field of the report."), QStringLiteral("text")},
            {QStringLiteral("logo"), QStringLiteral("PNG or SVG on the report's first page."), QStringLiteral("file")},
            {QStringLiteral("today"), QStringLiteral("Date of the report, YYYY-MM-DD: tells how old prices are."), QStringLiteral("date")},
            {QStringLiteral("measured"), QStringLiteral("Measured file to set the report's prediction against; repeatable."), QStringLiteral("file")},
            {QStringLiteral("screenshot"), QStringLiteral("Draw the window into a PNG file and end; needs no display."), QStringLiteral("out.png")},
            {QStringLiteral("size"), QStringLiteral("Size of the window, for example 1280x800."), QStringLiteral("WxH")},
            {QStringLiteral("scale"), QStringLiteral("Device pixels per point of the screenshot, 1 to 4."), QStringLiteral("factor")},
            {QStringLiteral("theme"), QStringLiteral("light, dark or system."), QStringLiteral("name")},
            {QStringLiteral("page"), QStringLiteral("Page to show: %1.").arg(page_names().join(QStringLiteral(", "))), QStringLiteral("name")},
            {QStringLiteral("compare"), QStringLiteral("Plan to compare the opened one with."), QStringLiteral("PLAN")},
            {{QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("Show this help and end.")},
            {{QStringLiteral("v"), QStringLiteral("version")}, QStringLiteral("Show the version and end.")},
        });
        parser.addPositionalArgument(QStringLiteral("files"), QStringLiteral("Files to open."), QStringLiteral("[FILE...]"));
    }

    Status read_report(const QCommandLineParser& parser, ReportRequest& out)
    {
        const auto value = [&](const char* name) { return to_std(parser.value(QLatin1String(name))); };
        const auto one_of = [&](const char* name, const std::string& first, const std::string& second) -> Status {
            if (!parser.isSet(QLatin1String(name)) || value(name) == first || value(name) == second)
                return Done{};
            return bad_input(std::string("--") + name + " is not understood", {}, value(name), first + " or " + second);
        };
        if (Status s = one_of("detail", "executive", "engineering"); !s)
            return s;
        if (Status s = one_of("paper", "a4", "letter"); !s)
            return s;
        out.content.detail = value("detail") == "executive" ? ReportDetail::executive : ReportDetail::engineering;
        out.paper = value("paper") == "letter" ? QPageSize::Letter : QPageSize::A4;
        out.content.organization = value("prepared-for");
        out.content.author = value("by");
        out.content.reference = value("reference");
        if (parser.isSet(QStringLiteral("today"))) {
            const Expected<Date> today = parse_date(value("today"));
            if (!today)
                return today.error();
            out.content.today = *today;
        }
        if (parser.isSet(QStringLiteral("logo"))) {
            Expected<std::string> logo = read_logo(value("logo"));
            if (!logo)
                return logo.error();
            out.content.logo = std::move(*logo);
        }
        return Done{};
    }

} // namespace

Expected<Options> parse_options(const QStringList& arguments)
{
    QCommandLineParser parser;
    declare(parser);
    if (!parser.parse(arguments))
        return bad_input(to_std(parser.errorText()), {}, {}, "an option that --help lists");
    Options options;
    options.help = parser.isSet(QStringLiteral("help"));
    options.version = parser.isSet(QStringLiteral("version"));
    options.files = parser.positionalArguments();
    options.export_file = parser.value(QStringLiteral("export"));
    options.measured_files = parser.values(QStringLiteral("measured"));
    if (const Status s = read_report(parser, options.report); !s)
        return s.error();
    options.screenshot_file = parser.value(QStringLiteral("screenshot"));
    options.page = parser.value(QStringLiteral("page"));
    options.theme = parser.value(QStringLiteral("theme"));
    if (!options.theme.isEmpty() && !QStringList{QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("system")}.contains(options.theme))
        return bad_input("Unknown theme", {}, to_std(options.theme), "light, dark or system");
    options.compare_file = parser.value(QStringLiteral("compare"));
    if (!options.page.isEmpty() && !page_names().contains(options.page))
        return bad_input("Unknown page", {}, to_std(options.page), to_std(page_names().join(QStringLiteral(", "))));
    if (parser.isSet(QStringLiteral("size"))) {
        const QString text = parser.value(QStringLiteral("size"));
        const auto match = QRegularExpression(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$")).match(text);
        if (!match.hasMatch())
            return bad_input("The size of the window is not understood", {}, to_std(text), "WIDTHxHEIGHT in pixels, for example 1280x800");
        options.size = {match.captured(1).toInt(), match.captured(2).toInt()};
        if (options.size.width() > 16384 || options.size.height() > 16384)
            return bad_input("The window would be too large", {}, to_std(text), "at most 16384x16384");
    }
    if (parser.isSet(QStringLiteral("scale"))) {
        bool ok = false;
        options.scale = parser.value(QStringLiteral("scale")).toDouble(&ok);
        if (!ok || !(options.scale >= 1.0 && options.scale <= 4.0))
            return bad_input("The scale is not understood", {}, to_std(parser.value(QStringLiteral("scale"))), "a number from 1 to 4");
    }
    for (const QString& name : {QStringLiteral("export"), QStringLiteral("screenshot"), QStringLiteral("compare")})
        if (parser.isSet(name) && parser.value(name).isEmpty())
            return bad_input("--" + to_std(name) + " needs the name of a file");
    return options;
}

QString help_text()
{
    QCommandLineParser parser;
    declare(parser);
    // helpText() asks QCoreApplication for the program's name, which need not exist yet.
    QString text = QStringLiteral("Usage: ridgepoint [options] [FILE...]\n");
    QString rest = parser.helpText();
    rest.remove(QRegularExpression(QStringLiteral("^Usage:[^\\n]*\\n")));
    return text + rest;
}

QString version_text() { return QStringLiteral(RIDGEPOINT_VERSION); }

} // namespace ridgepoint
