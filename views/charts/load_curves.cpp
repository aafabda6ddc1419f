#include <algorithm>
#include <cmath>
#include <limits>

#include "model/units/format.h"
#include "views/charts/operation_curves.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString rate_text(double per_second) { return QStringLiteral("%1/s").arg(to_qt(format_number(per_second))); }

    QString seconds_text(double v) { return to_qt(format(Seconds{v})); }

    // Seconds where the slowest request takes some, else milliseconds.
    void set_unit(CurvePanel& panel)
    {
        double most = 0;
        for (const Curve& c : panel.curves)
            for (const double v : c.values)
                most = std::max(most, v);
        panel.scale = most < 2.0 ? 1e-3 : 1.0;
        panel.unit = most < 2.0 ? QStringLiteral("ms") : QStringLiteral("s");
        panel.value_text = seconds_text;
    }

    CurvePanel latency_panel(const QString& title, const std::vector<LoadPoint>& points, Quantiles LoadPoint::* of)
    {
        CurvePanel panel;
        panel.title = title;
        panel.x_title = CurveFigure::tr("offered rate [requests/s]");
        panel.log_y = true;
        panel.curves = {{CurveFigure::tr("p50"), {}, CurveRole::first, {}}, {CurveFigure::tr("p90"), {}, CurveRole::second, {}}, {CurveFigure::tr("p99"), {}, CurveRole::third, {}}};
        for (const LoadPoint& p : points) {
            panel.x.push_back(p.rate);
            panel.curves[0].values.push_back((p.*of).p50.value());
            panel.curves[1].values.push_back((p.*of).p90.value());
            panel.curves[2].values.push_back((p.*of).p99.value());
        }
        set_unit(panel);
        return panel;
    }

    HoverText place_text(const LoadPoint& p)
    {
        HoverText t;
        t.heading = CurveFigure::tr("%1 offered, %2 of the largest rate").arg(rate_text(p.rate), to_qt(format_percent(p.utilization, 0)));
        return t;
    }

} // namespace

CurveContent load_curves(const LoadPrediction& l, const Load& load)
{
    CurveContent content;
    content.title = CurveFigure::tr("Latency under load");
    if (l.curve.empty())
        return content;
    CurvePanel ttft = latency_panel(CurveFigure::tr("Time to first token"), l.curve, &LoadPoint::ttft);
    CurvePanel tpot = latency_panel(CurveFigure::tr("Time per output token"), l.curve, &LoadPoint::tpot);
    CurvePanel whole = latency_panel(CurveFigure::tr("End to end"), l.curve, &LoadPoint::end_to_end);
    const QString share = to_qt(format_percent(load.limit_share, 0));
    ttft.marks.push_back({load.ttft_limit.value(), CurveFigure::tr("limit %1 for %2").arg(seconds_text(load.ttft_limit.value()), share), MarkRole::limit, true});
    tpot.marks.push_back({load.tpot_limit.value(), CurveFigure::tr("limit %1 for %2").arg(seconds_text(load.tpot_limit.value()), share), MarkRole::limit, true});
    ttft.place_text = [points = l.curve, thinks = l.thinking.has_value(), pools = l.pools.has_value()](std::size_t i) {
        HoverText t = place_text(points[i]);
        t.rows.append({CurveFigure::tr("Waiting p50, p99"), QStringLiteral("%1, %2").arg(seconds_text(points[i].waiting.p50.value()), seconds_text(points[i].waiting.p99.value()))});
        if (thinks)
            t.rows.append({CurveFigure::tr("First answer token p50, p99"), QStringLiteral("%1, %2").arg(seconds_text(points[i].first_answer.p50.value()), seconds_text(points[i].first_answer.p99.value()))});
        if (pools)
            t.rows.append({CurveFigure::tr("Prompt workers busy"), to_qt(format_percent(points[i].prompts_busy, 0))});
        return t;
    };
    tpot.place_text = [points = l.curve](std::size_t i) {
        HoverText t = place_text(points[i]);
        t.rows.append({CurveFigure::tr("Between two tokens p50, p99"), QStringLiteral("%1, %2").arg(seconds_text(points[i].gap.p50.value()), seconds_text(points[i].gap.p99.value()))});
        return t;
    };
    whole.place_text = [points = l.curve, samples = l.samples, pools = l.pools.has_value()](std::size_t i) {
        HoverText t = place_text(points[i]);
        if (samples > 1)
            t.rows.append({CurveFigure::tr("All samples p50, p99"), QStringLiteral("%1, %2").arg(seconds_text(points[i].whole.p50.value()), seconds_text(points[i].whole.p99.value()))});
        t.rows.append({pools ? CurveFigure::tr("In flight on a unit") : CurveFigure::tr("In flight on a replica"), to_qt(format_number(points[i].in_flight))});
        t.rows.append({CurveFigure::tr("KV cache in use"), to_qt(format_percent(points[i].cache_used, 0))});
        return t;
    };

    CurvePanel good;
    good.title = CurveFigure::tr("Requests within both limits");
    good.unit = CurveFigure::tr("requests/s");
    good.x_title = ttft.x_title;
    good.x = ttft.x;
    good.curves = {{CurveFigure::tr("goodput"), {}, CurveRole::first, [](const Theme& t) { return t.of(Resource::hbm); }}, {CurveFigure::tr("all requests"), {}, CurveRole::quiet, {}}};
    for (const LoadPoint& p : l.curve) {
        good.curves[0].values.push_back(p.goodput);
        good.curves[1].values.push_back(p.rate);
    }
    good.value_text = rate_text;
    good.place_text = [points = l.curve](std::size_t i) {
        HoverText t = place_text(points[i]);
        t.rows.append({CurveFigure::tr("Within both limits"), to_qt(format_percent(points[i].within_limits))});
        t.rows.append({CurveFigure::tr("Output"), to_qt(format(points[i].output))});
        return t;
    };

    const double offered = l.offered ? l.offered->rate : load.rate;
    content.panels = {std::move(ttft), std::move(tpot), std::move(whole), std::move(good)};
    for (CurvePanel& panel : content.panels) {
        panel.marks.push_back({offered, CurveFigure::tr("offered by the plan %1").arg(rate_text(offered)), MarkRole::plan, false});
        if (l.at_limits)
            panel.marks.push_back({l.at_limits->rate, CurveFigure::tr("largest within the limits %1").arg(rate_text(l.at_limits->rate)), MarkRole::best, false});
        panel.marks.push_back({l.largest_rate, CurveFigure::tr("saturation %1").arg(rate_text(l.largest_rate)), MarkRole::end, false});
    }
    const QString many = l.pools ? (l.replicas == 1 ? CurveFigure::tr("1 unit") : CurveFigure::tr("%1 units").arg(l.replicas))
                                 : (l.replicas == 1 ? CurveFigure::tr("1 replica") : CurveFigure::tr("%1 replicas").arg(l.replicas));
    QString gpus = l.gpus_per_replica == 1 ? CurveFigure::tr("1 GPU") : CurveFigure::tr("%1 GPUs").arg(l.gpus_per_replica);
    if (l.pools)
        gpus += CurveFigure::tr(" (%1 prompt, %2 decoding workers)").arg(l.pools->prompt_workers).arg(l.pools->decode_workers);
    content.caption = CurveFigure::tr("%1 of %2; %3 prompt and %4 output tokens on average; %5 requests simulated; step times ± %6")
                          .arg(many, gpus, to_qt(group_thousands(std::round(l.mean_input))), to_qt(group_thousands(std::round(l.mean_output))), to_qt(group_thousands(load.requests)),
                              to_qt(format_percent(l.relative_error, 0)));
    return content;
}

} // namespace ridgepoint
