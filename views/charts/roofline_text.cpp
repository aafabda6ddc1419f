// A roofline in words and numbers: heading, caption, description for who cannot see it, and CSV.

#include <cmath>

#include <QLocale>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {

QString RooflineChart::figure_title() const
{
    return m_scene->title.isEmpty() ? tr("Roofline") : tr("Roofline: %1").arg(m_scene->title);
}

QString RooflineChart::caption() const
{
    const QLocale locale;
    QStringList parts;
    const bool hbm = m_scene->level == MemoryLevel::hbm;
    const int marks = static_cast<int>(m_scene->marks.size());
    if (marks > 0 || !m_scene->operators.empty())
        parts << (hbm ? counted(marks, tr("1 operator predicted"), tr("%1 operators predicted"))
                      : counted(marks, tr("1 pass predicted"), tr("%1 passes predicted")));
    if (hbm && m_scene->model.not_plottable > 0)
        parts << tr("%1 without FLOPs, not plottable").arg(m_scene->model.not_plottable);
    if (m_scene->measured) {
        const auto count = [&](auto n) { return locale.toString(static_cast<qlonglong>(n)); };
        if (hbm) {
            parts << counted(
                static_cast<qint64>(m_scene->x.size()), tr("1 kernel measured"), tr("%1 kernels measured"));
            const auto without = static_cast<std::int64_t>(m_scene->not_plottable) + m_scene->measured->not_placed;
            if (without > 0)
                parts << tr("%1 measured not plottable").arg(count(without));
            if (m_scene->measured_above_roof > 0)
                parts << tr("%1 above the roof").arg(count(m_scene->measured_above_roof));
        } else {
            parts << tr("measured kernels have a place at the HBM level only");
        }
    }
    if (!m_scene->measured_roofs.empty() && !hbm)
        parts << tr("measured roofs are of device memory");
    if (!hbm && marks == 0 && !m_scene->operators.empty())
        parts << tr("no pass computes and sends over this link");
    if (shows_paths())
        parts << tr("each point is a whole pass, the stars are the plan");
    return parts.join(QStringLiteral(" · "));
}

QString RooflineChart::value_text(LogPoint p) const
{
    return QStringLiteral("%1, %2").arg(
        to_qt(format(FlopPerByte{std::pow(10.0, p.x)})), to_qt(format(FlopPerSecond{std::pow(10.0, p.y + 12.0)})));
}

QString RooflineChart::accessible_text() const
{
    QStringList sentences;
    sentences << tr("Performance over arithmetic intensity at the level of %1, both axes logarithmic.")
                     .arg(level_name(m_scene->level));
    if (const QString c = caption(); !c.isEmpty())
        sentences << c + QLatin1Char('.');
    QStringList roofs;
    for (const RoofLine& r : m_scene->roofs)
        if (r.emphasised)
            roofs << r.label;
    if (!roofs.isEmpty())
        sentences << tr("Ceilings: %1.").arg(roofs.join(QStringLiteral(", ")));
    QStringList measured;
    for (const RoofLine& r : m_scene->roofs)
        if (r.measured())
            measured << tr("%1, from %2").arg(r.label, r.source);
    if (!measured.isEmpty())
        sentences << tr("Measured roofs: %1.").arg(measured.join(QStringLiteral("; ")));
    double compute = 0, all = 0;
    for (const RooflineMark& m : m_scene->marks) {
        all += m.time_total.value();
        compute += m.bound == Resource::compute ? m.time_total.value() : 0;
    }
    if (all > 0)
        sentences
            << tr("%1 of the time of these operators is compute bound.").arg(to_qt(format_percent(compute / all, 0)));
    for (std::size_t i = 0; i < std::min<std::size_t>(3, m_scene->marks.size()); ++i) {
        const RooflineMark& m = m_scene->marks[i];
        sentences << tr("%1, %2: %3, %4 of the roof.")
                         .arg(m.name, m.detail, to_qt(format(m.time_total)), to_qt(format_percent(m.of_roof, 0)));
    }
    for (const RooflineMark& m : m_scene->marks)
        if (m_scene->is_selected(m))
            sentences << tr("Selected: %1, %2.").arg(m.name, m.detail);
    if (shows_paths())
        sentences << paths_text();
    return sentences.join(QLatin1Char(' '));
}

QString RooflineChart::figure_csv(bool visible_only) const
{
    QString out = csv_line({QStringLiteral("source"), QStringLiteral("name"), QStringLiteral("detail"),
        QStringLiteral("class"), QStringLiteral("count"), QStringLiteral("time each [s]"),
        QStringLiteral("time total [s]"), QStringLiteral("intensity [FLOP/B]"), QStringLiteral("achieved [FLOP/s]"),
        QStringLiteral("of roof"), QStringLiteral("bound")});
    for (const RooflineMark& m : m_scene->marks)
        if (!visible_only || frame().contains(m.at))
            out += csv_line(
                {QStringLiteral("predicted"), m.name, m.detail, to_qt(name_of(m.operator_class)), csv_number(m.count),
                    csv_number(m.time_each.value()), csv_number(m.time_total.value()), csv_number(m.intensity.value()),
                    csv_number(m.achieved.value()), csv_number(m.of_roof), to_qt(name_of(m.bound))});
    if (m_scene->measured && m_scene->level == MemoryLevel::hbm)
        for (std::size_t i = 0; i < m_scene->x.size(); ++i) {
            const LogPoint at{m_scene->x[i], m_scene->y[i]};
            if (visible_only && !frame().contains(at))
                continue;
            const MeasuredKernel& k = m_scene->measured->kernels[m_scene->kernel[i]];
            const QString name
                = k.name < m_scene->measured->names.size() ? to_qt(m_scene->measured->names[k.name]) : QString();
            out += csv_line({QStringLiteral("measured"), name, {}, to_qt(name_of(k.kernel_class)), QStringLiteral("1"),
                csv_number(k.time.value()), csv_number(k.time.value()), csv_number(k.intensity.value()),
                csv_number(k.achieved.value()), csv_number(std::pow(10.0, at.y - m_scene->roof_at(at.x))), {}});
        }
    for (const RoofLine& r : m_scene->roofs)
        if (r.measured() && (!visible_only || m_scene->segment(r, frame())))
            out += csv_line({QStringLiteral("measured roof"), r.label, r.note.isEmpty() ? r.source : r.source + QStringLiteral(", ") + r.note, {}, {}, {}, {}, {},
                r.slope ? QString() : csv_number(std::pow(10.0, r.value + 12.0)), {}, {}});
    return out + paths_csv(visible_only);
}

} // namespace ridgepoint
