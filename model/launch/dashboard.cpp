// The classic dashboard schema of Grafana (documented up to version 13): panels on a grid of 24 columns.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/launch/context.h"
#include "model/launch/script.h"
#include "model/launch/watch.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr int columns = 24;
constexpr int panel_height = 8;

Json source() { return {{"type", "prometheus"}, {"uid", "${datasource}"}}; }
Json grid(int x, int y, int w, int h) { return {{"h", h}, {"w", w}, {"x", x}, {"y", y}}; }

Json target(const char* id, const std::string& expression, const std::string& legend)
{
    return {{"datasource", source()}, {"editorMode", "code"}, {"expr", expression}, {"legendFormat", legend}, {"range", true}, {"refId", id}};
}

Json panel(const Watched& w, const std::string& plan, int id, int x, int y)
{
    Json targets = Json::array();
    const auto rule = [&](const char* kind) { return fmt::format("ridgepoint:{}:{}{{plan={}}}", kind, name_of(w.level.meter), plan); };
    targets.push_back(target("A", rule("measured"), "measured, mean"));
    targets.push_back(target("B", rule("expected"), "expected"));
    targets.push_back(target("C", rule("low"), "lower bound"));
    targets.push_back(target("D", rule("high"), "upper bound"));
    if (!w.each.empty())
        targets.push_back(target("E", fmt::format("min({})", w.each), "measured, least"));
    Json steps = Json::array({{{"color", "green"}, {"value", nullptr}}});
    if (w.level.ceiling > 0.0)
        steps.push_back({{"color", "red"}, {"value", w.level.ceiling}});
    Json defaults = {{"unit", w.level.unit}, {"min", 0}, {"custom", {{"lineWidth", 2}, {"thresholdsStyle", {{"mode", "line"}}}}}, {"thresholds", {{"mode", "absolute"}, {"steps", steps}}}};
    Json overrides = Json::array();
    for (const char* name : {"expected", "lower bound", "upper bound"})
        overrides.push_back({{"matcher", {{"id", "byName"}, {"options", name}}},
            {"properties", Json::array({{{"id", "custom.lineStyle"}, {"value", {{"fill", "dash"}, {"dash", Json::array({10, 10})}}}}})}});
    return {{"id", id}, {"type", "timeseries"}, {"title", w.level.title}, {"description", fmt::format("Expected: {}.{}", w.level.definition, w.level.ceiling > 0.0 ? " Red line: ceiling of the hardware." : "")},
        {"datasource", source()}, {"gridPos", grid(x, y, columns / 2, panel_height)}, {"fieldConfig", {{"defaults", defaults}, {"overrides", overrides}}},
        {"options", {{"legend", {{"displayMode", "list"}, {"placement", "bottom"}, {"showLegend", true}}}, {"tooltip", {{"mode", "multi"}}}}}, {"targets", targets}};
}

// Markdown of names: what would be markup is taken away.
std::string plain(const std::string& text)
{
    std::string out;
    for (const char c : one_line(text))
        out += std::string_view("<>[]()`*_|$").find(c) == std::string_view::npos ? c : ' ';
    return out;
}

std::string definitions(const Plan& plan, const Evaluation& v, const std::vector<Watched>& all)
{
    std::string out = fmt::format("**{}** on {} x {} ({} GPUs). {}. Error bar of the estimate: {:.1f} %.\n\n| meter | expected | allowed | how it is expected | measured as |\n|---|---|---|---|---|\n", plain(plan.name),
        v.job.cluster.nodes, plain(v.job.cluster.node.id), v.job.cluster.gpus, plain(v.verdict), 100.0 * v.estimate.relative_error);
    for (const Watched& w : all) {
        std::string expression;
        for (const char c : w.expression)
            expression += c == '|' || c == '`' ? ' ' : c;
        out += fmt::format("| {} | {:.4g} | {:.4g} to {:.4g} | {} | `{}` |\n", w.level.title, w.level.expected, w.level.low, w.level.high, plain(w.level.definition), expression);
    }
    return out + "\nUnits: shares of 1, bytes per second, watts, seconds. Rates go with the inverse of the time, so that its error bar bounds them.";
}

} // namespace

Expected<std::string> grafana_dashboard(const Plan& plan, const Evaluation& v, const WatchRequest& request)
{
    const Expected<std::vector<Watched>> all = watched(v, request);
    if (!all)
        return all.error();
    const std::string label = quoted_text(one_line(plan.name));
    Json panels = Json::array();
    constexpr int text_height = 10;
    panels.push_back({{"id", 1}, {"type", "text"}, {"title", "The plan and what is expected of it"}, {"gridPos", grid(0, 0, columns, text_height)}, {"options", {{"mode", "markdown"}, {"content", definitions(plan, v, *all)}}}});
    int index = 0;
    for (const Watched& w : *all) {
        panels.push_back(panel(w, label, index + 2, index % 2 * columns / 2, text_height + index / 2 * panel_height));
        ++index;
    }
    const Json variable = {{"name", "datasource"}, {"type", "datasource"}, {"query", "prometheus"}, {"label", "Prometheus"}, {"hide", 0}, {"refresh", 1}};
    const Json dashboard = {{"id", nullptr}, {"uid", "rp-" + label_of(plan.name).substr(0, 36)}, {"title", "Plan: " + one_line(plan.name)}, {"tags", Json::array({"ridgepoint"})}, {"timezone", "browser"}, {"editable", true},
        {"graphTooltip", 1}, {"panels", panels}, {"time", {{"from", "now-6h"}, {"to", "now"}}}, {"timepicker", Json::object()}, {"templating", {{"list", Json::array({variable})}}},
        {"annotations", {{"list", Json::array()}}}, {"refresh", "30s"}, {"schemaVersion", 39}, {"version", 0}, {"links", Json::array()}};
    return dashboard.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ridgepoint
