#include "app/desktop/application.h"

#include <cstdio>
#include <memory>
#include <utility>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QIcon>
#include <QPixmap>
#include <QScreen>
#include <QStyleFactory>
#include <QTimer>

#include "app/desktop/appearance.h"
#include "app/desktop/file_kind.h"
#include "app/desktop/main_window.h"
#include "app/desktop/operation_pages.h"
#include "app/desktop/options.h"
#include "app/desktop/report_export.h"
#include "app/desktop/what_if_pages.h"
#include "views/panels/verdict_strip.h"
#include "views/widgets/text.h"

static void load_resources() { Q_INIT_RESOURCE(ridgepoint); } // must stand outside of any namespace

namespace ridgepoint {
namespace {

    QtMessageHandler previous_handler = nullptr;
    constexpr qint64 longest_search_ms = 4000; // of --screenshot

    void say(std::FILE* stream, const QString& text)
    {
        const QByteArray bytes = text.toUtf8();
        std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stream);
        std::fputc('\n', stream);
    }

    int fail(const Error& error)
    {
        say(stderr, QStringLiteral("ridgepoint: ") + to_qt(error.text()));
        return error.kind == ErrorKind::infeasible ? 1 : 2;
    }

    bool has_display()
    {
#if defined(Q_OS_LINUX)
        return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
#else
        return true;
#endif
    }

    int export_only(const Options& options, const SpecStore& specs)
    {
        Plan plan = example_plan();
        for (const QString& file : options.files) {
            Expected<Plan> loaded = load_plan(to_std(file));
            if (!loaded)
                return fail(loaded.error());
            plan = *loaded;
        }
        if (options.files.size() > 1)
            return fail(bad_input("--export writes the report of one plan", {}, std::to_string(options.files.size()) + " files"));
        std::vector<Measured> measured;
        for (const QString& file : options.measured_files) {
            Expected<std::vector<Measured>> found = read_measured(to_std(file));
            if (!found)
                return fail(found.error());
            std::move(found->begin(), found->end(), std::back_inserter(measured));
        }
        ReportRequest request = options.report;
        if (!measured.empty())
            request.content.measured = &measured;
        const EvaluationPointer result = evaluate_now(plan, specs);
        if (const Status status = write_report(*result, specs, options.export_file, request); !status)
            return fail(status.error());
        say(stdout, QDir::toNativeSeparators(options.export_file));
        return 0;
    }

    int screenshot_only(QApplication& application, const Options& options, const SpecStore& specs)
    {
        MainWindow window(specs);
        window.set_ask_before_losing(false);
        bool opened = true;
        for (const QString& file : options.files)
            opened = window.open_file(file) && opened;
        window.resize(options.size);
        window.show();
        if (!options.page.isEmpty())
            window.show_page_named(options.page);
        if (!options.compare_file.isEmpty())
            opened = window.compare_with(options.compare_file) && opened;
        // Until the last evaluation is drawn and no trace is being read. A search is shown as far as it comes in a few seconds.
        bool searched = options.page != QStringLiteral("search");
        QElapsedTimer searching;
        QTimer poll;
        QObject::connect(&poll, &QTimer::timeout, &application, [&] {
            if (!window.result() || window.evaluator().is_busy() || window.measured_loader().is_busy() || window.trace_comparer().is_busy() || window.what_if()->is_busy()
                || window.operation()->is_busy())
                return;
            if (!std::exchange(searched, true)) {
                window.what_if()->start_search();
                searching.start();
            }
            if (window.what_if()->searcher().is_busy() && searching.elapsed() < longest_search_ms)
                return;
            poll.stop();
            QTimer::singleShot(300, &application, &QCoreApplication::quit);
        });
        poll.start(20);
        QTimer::singleShot(120000, &application, &QCoreApplication::quit); // a trace that does not end
        application.exec();
        QPixmap picture(window.size() * options.scale);
        picture.setDevicePixelRatio(options.scale);
        picture.fill(window.palette().color(QPalette::Window));
        window.render(&picture);
        if (!picture.save(options.screenshot_file, "PNG"))
            return fail(io_error("The screenshot cannot be written", to_std(options.screenshot_file)));
        return opened ? 0 : 2;
    }

} // namespace

void filter_platform_noise()
{
    previous_handler = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& message) {
        if (message.contains(QStringLiteral("propagateSizeHints")))
            return;
        if (previous_handler)
            previous_handler(type, context, message);
    });
}

void prepare_application()
{
    load_resources();
    QCoreApplication::setOrganizationName(QStringLiteral("Ridgepoint"));
    QCoreApplication::setApplicationName(QStringLiteral("ridgepoint"));
    QCoreApplication::setApplicationVersion(version_text());
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Ridgepoint"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.ridgepoint.Ridgepoint"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/ridgepoint/icons/ridgepoint.svg")));
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion"))); // follows the palette in both themes
}

int run_desktop(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const Expected<Options> parsed = parse_options(arguments);
    if (!parsed)
        return fail(parsed.error());
    const Options& options = *parsed;
    if (options.help) {
        say(stdout, help_text());
        return 0;
    }
    if (options.version) {
        say(stdout, QStringLiteral("ridgepoint ") + version_text());
        return 0;
    }
    if (!has_display()) {
        if (options.needs_window())
            return fail(bad_input("There is no display to open a window on", {}, {}, "DISPLAY or WAYLAND_DISPLAY, or --export report.pdf PLAN, or ridgepoint-cli"));
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    filter_platform_noise();
    QApplication application(argc, argv);
    prepare_application();
    apply_appearance(options.theme.isEmpty() ? (options.screenshot_file.isEmpty() ? saved_appearance() : Appearance::Light) : appearance_from(options.theme));

    Expected<SpecStore> specs = SpecStore::load_default(to_std(QDir::currentPath()));
    if (!specs)
        return fail(specs.error());
    if (!options.export_file.isEmpty())
        return export_only(options, *specs);
    if (!options.screenshot_file.isEmpty())
        return screenshot_only(application, options, *specs);

    apply_text_scale(saved_text_scale());
    auto* window = new MainWindow(*specs);
    window->setAttribute(Qt::WA_DeleteOnClose);
    bool has_plan = false;
    for (const QString& file : options.files) {
        const bool is_plan = kind_of_file(file) == FileKind::Plan;
        if (is_plan && has_plan) { // each plan its own window
            window->show();
            window = new MainWindow(*specs);
            window->setAttribute(Qt::WA_DeleteOnClose);
        }
        has_plan = has_plan || is_plan;
        window->open_file(file);
    }
    if (!options.page.isEmpty())
        window->show_page_named(options.page);
    if (!options.compare_file.isEmpty())
        window->compare_with(options.compare_file);
    window->show();
    return QApplication::exec();
}

} // namespace ridgepoint
