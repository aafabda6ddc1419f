#include "model/units/format.h"
#include "views/charts/operation_curves.h"
#include "views/widgets/text.h"

namespace ridgepoint {

CurveContent division_curves(const PostTrainingPrediction& p)
{
    CurveContent content;
    content.title = CurveFigure::tr("Division of the GPUs");
    content.empty_text = CurveFigure::tr("Rollout and learner take turns on the same GPUs: there is nothing to divide");
    CurvePanel panel;
    panel.title = CurveFigure::tr("Time of an iteration");
    panel.unit = QStringLiteral("s");
    panel.x_title = CurveFigure::tr("GPUs that roll out");
    panel.log_y = true;
    panel.curves = {{CurveFigure::tr("iteration"), {}, CurveRole::first, {}}, {CurveFigure::tr("rollout side"), {}, CurveRole::second, {}}, {CurveFigure::tr("learner side"), {}, CurveRole::third, {}}};
    std::vector<Iteration> fitting;
    for (const Iteration& it : p.divisions)
        if (it.fits)
            fitting.push_back(it);
    if (fitting.empty()) {
        if (!p.divisions.empty())
            content.empty_text = CurveFigure::tr("No division fits in memory");
        return content;
    }
    for (const Iteration& it : fitting) {
        panel.x.push_back(it.rollout_gpus);
        panel.curves[0].values.push_back(it.time.value());
        panel.curves[1].values.push_back(it.rollout_side.value());
        panel.curves[2].values.push_back(it.training_side.value());
    }
    const Iteration* fastest = &fitting.front();
    for (const Iteration& it : fitting)
        if (it.time < fastest->time)
            fastest = &it;
    panel.marks.push_back({static_cast<double>(fastest->rollout_gpus), CurveFigure::tr("fastest: %1 + %2").arg(fastest->rollout_gpus).arg(fastest->training_gpus), MarkRole::best, false});
    if (p.best.rollout_gpus != fastest->rollout_gpus)
        panel.marks.push_back({static_cast<double>(p.best.rollout_gpus), CurveFigure::tr("the plan: %1 + %2").arg(p.best.rollout_gpus).arg(p.best.training_gpus), MarkRole::plan, false});
    panel.value_text = [](double v) { return to_qt(format(Seconds{v})); };
    panel.place_text = [fitting](std::size_t i) {
        HoverText t;
        t.heading = CurveFigure::tr("%1 roll out, %2 learn").arg(fitting[i].rollout_gpus).arg(fitting[i].training_gpus);
        t.rows.append({CurveFigure::tr("Bound by"), to_qt(fitting[i].bound)});
        return t;
    };
    const auto left_out = static_cast<qsizetype>(p.divisions.size() - fitting.size());
    content.caption = left_out > 0 ? CurveFigure::tr("%1 divisions fit in memory, %2 do not").arg(fitting.size()).arg(left_out) : CurveFigure::tr("%1 divisions tried").arg(fitting.size());
    content.panels.push_back(std::move(panel));
    return content;
}

} // namespace ridgepoint
