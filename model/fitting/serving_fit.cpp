#include "model/fitting/serving_fit.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <tuple>

#include "model/calibration/serving_cases.h"

namespace ridgepoint {
namespace {

constexpr double robust_scale = 0.08; // good operating points of one configuration scatter by so much
constexpr double first_token_scale = 0.25;
constexpr double rate_scale = 0.02; // measured at one place, in one way; few rows beside many
constexpr double whole_group = 20.0; // rows that count in full
constexpr double band_weight = 0.3; // of a row whose configuration is open
constexpr std::size_t band_step = 3; // and of those every third is looked at

struct EngineConstant {
    FitParameter parameter; // start: the middle of what is plausible
    double width; // of that, as a standard deviation of the logarithm
    std::function<void(EngineConstants&, double)> set;
    std::function<double(const EngineConstants&)> get;
};

template <typename Q> EngineConstant constant(std::string name, Q EngineConstants::*member, double start, double low, double high, double width)
{
    return {{std::move(name), start, low, high, 0.0}, width, [member](EngineConstants& c, double v) { c.*member = Q{v}; },
        [member](const EngineConstants& c) { return base_value(c.*member); }};
}

std::vector<EngineConstant> engine_constants()
{
    using C = EngineConstants;
    return {constant("per_step", &C::per_step, 0.4e-3, 0.02e-3, 5e-3, 0.7), constant("per_request", &C::per_request, 12e-6, 1e-6, 100e-6, 0.7),
        constant("per_prompt", &C::per_prompt, 25e-3, 1e-3, 0.1, 0.7), constant("launch_share", &C::launch_share, 0.9, 0.3, 1.5, 0.2),
        constant("small_kernels", &C::small_kernels, 0.8, 0.2, 1.5, 0.3), constant("prefill_share", &C::prefill_share, 0.9, 0.4, 1.3, 0.15),
        constant("expert_share", &C::expert_share, 0.95, 0.4, 1.6, 0.2), constant("prompt_expert_share", &C::prompt_expert_share, 1.0, 0.4, 2.5, 0.2),
        constant("prefill_overlap", &C::prefill_overlap, 0.35, 0.05, 0.9, 0.4),
        constant("host_per_expert_layer", &C::host_per_expert_layer, 1e-3, 0.05e-3, 10e-3, 1.0),
        constant("bunching", &C::bunching, 0.2, 0.01, 1.0, 1.0), constant("handover", &C::handover, 0.15, 5e-3, 1.0, 0.8)};
}

// One published point. `first` and `token` in seconds, or `rate` in requests per second.
struct Point {
    ServingReading reading;
    std::optional<OfflineReading> offline;
    std::string engine, model, gpu;
    bool moe = false;
    double token = 0, first = 0, rate = 0;
    double weight = 1.0;
};
enum class Quantity : unsigned char { token, first, rate };
struct Row {
    std::size_t point;
    Quantity quantity;
};

class EngineFit {
public:
    EngineFit(std::string engine, std::vector<Point> points)
        : m_engine(std::move(engine))
        , m_points(std::move(points))
        , m_constants(engine_constants())
    {
        for (std::size_t i = 0; i < m_points.size(); ++i)
            if (m_points[i].offline)
                m_rows.push_back({i, Quantity::rate});
            else
                m_rows.insert(m_rows.end(), {{i, Quantity::token}, {i, Quantity::first}});
    }

    FittedLaw run()
    {
        FitProblem problem = make_problem();
        // The search starts from what is shipped; the pull stays to the middle of what is plausible.
        const EngineConstants shipped_constants = m_points.front().offline ? m_points.front().offline->job.engine : m_points.front().reading.cases.front().decode.engine;
        for (std::size_t i = 0; i < m_constants.size(); ++i)
            problem.parameters[i].start = m_constants[i].get(shipped_constants);
        std::vector<double> values = fit_least_squares(problem).values;
        for (double& v : values)
            v = rounded(v, 0.0);
        std::vector<double> shipped(m_rows.size());
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            shipped[i] = log_error(m_rows[i], predict(m_points[m_rows[i].point]));
        const std::vector<double> refit = all(problem, values);
        const std::vector<double> left = left_out(problem, values);

        FittedLaw law;
        law.document = "serving";
        law.pointer = "/engines/" + m_engine;
        for (std::size_t i = 0; i < m_constants.size(); ++i)
            law.constants.push_back({m_constants[i].parameter.name, 0.0, values[i]});
        const auto tokens = [](const Point&) { return true; };
        law.shipped = error_where(shipped, Quantity::token, tokens);
        law.refit = error_where(refit, Quantity::token, tokens);
        law.left_out = error_where(left, Quantity::token, tokens);
        law.left_out_by = {{m_engine == "vllm" ? "models" : "GPUs", law.left_out}};
        for (const bool moe : {false, true})
            for (const Quantity q : {Quantity::token, Quantity::first, Quantity::rate})
                state(law, left, q, moe);
        return law;
    }

private:
    struct Answer {
        double token, first, rate;
    };

    static Answer predict(const Point& p)
    {
        if (p.offline)
            return {0.0, 0.0, output_rate(*p.offline)};
        const std::vector<ServingOutcome> all = ridgepoint::predict(p.reading);
        return {point_of(all, &ClosedLoopResult::tpot).value(), point_of(all, &ClosedLoopResult::ttft).value(), 0.0};
    }

    // The kernel laws are multiplied by what changes; see run_inside.
    static void put(Job& job, const EngineConstants& now)
    {
        EngineConstants change;
        change.launch_share = now.launch_share / job.engine.launch_share;
        change.small_kernels = now.small_kernels / job.engine.small_kernels;
        change.expert_share = now.expert_share / job.engine.expert_share;
        run_inside(job.kernels, change);
        job.engine = now;
    }

    Answer predict(const Point& p, std::span<const double> values) const
    {
        Point moved = p;
        EngineConstants now = p.offline ? p.offline->job.engine : p.reading.cases.front().decode.engine;
        for (std::size_t i = 0; i < m_constants.size(); ++i)
            m_constants[i].set(now, values[i]);
        if (moved.offline)
            put(moved.offline->job, now);
        for (ServingCase& c : moved.reading.cases) {
            put(c.decode, now);
            put(c.prefill, now);
        }
        return predict(moved);
    }

    double log_error(const Row& row, const Answer& a) const
    {
        const Point& p = m_points[row.point];
        switch (row.quantity) {
        case Quantity::token:
            return std::log(a.token / p.token);
        case Quantity::first:
            return std::log(a.first / p.first);
        case Quantity::rate:
            break;
        }
        return std::log(a.rate / p.rate);
    }

    static double scale_of(Quantity q) { return q == Quantity::token ? robust_scale : q == Quantity::first ? first_token_scale : rate_scale; }

    // Rows: the points' quantities in units of their own scatter, then what each constant is drawn to.
    FitProblem make_problem() const
    {
        FitProblem p;
        for (const EngineConstant& c : m_constants)
            p.parameters.push_back(c.parameter);
        p.rows = m_rows.size() + m_constants.size();
        p.robust_scale = robust_scale;
        p.derivative_step = 0.02; // users and batches are whole numbers, so that residuals move in small steps
        p.most_steps = 15;
        p.least_gain = 3e-3;
        for (const Row& r : m_rows)
            p.weights.push_back(m_points[r.point].weight);
        p.weights.resize(p.rows, 1.0);
        p.residuals = [this](std::span<const double> values, std::span<const std::size_t> rows, std::span<double> out) {
            std::vector<std::optional<Answer>> answers(m_points.size());
            for (std::size_t i = 0; i < rows.size(); ++i) {
                if (rows[i] >= m_rows.size()) {
                    const std::size_t c = rows[i] - m_rows.size();
                    out[i] = robust_scale * std::log(values[c] / m_constants[c].parameter.start) / m_constants[c].width;
                    continue;
                }
                const Row& row = m_rows[rows[i]];
                if (!answers[row.point])
                    answers[row.point] = predict(m_points[row.point], values);
                out[i] = robust_scale / scale_of(row.quantity) * log_error(row, *answers[row.point]);
            }
        };
        return p;
    }

    std::vector<double> all(const FitProblem& problem, const std::vector<double>& values) const
    {
        std::vector<double> r = log_residuals(problem, values);
        r.resize(m_rows.size());
        for (std::size_t i = 0; i < r.size(); ++i)
            r[i] *= scale_of(m_rows[i].quantity) / robust_scale;
        return r;
    }

    [[nodiscard]] std::string group_of(const Point& p) const { return m_engine == "vllm" ? p.model : p.gpu; }

    // Residual of each row under a fit that saw no row of its group. These fits are to the rows linearised around the whole
    // fit, which spares running all closed loops anew for each group; what is left out is then predicted in full.
    std::vector<double> left_out(const FitProblem& problem, const std::vector<double>& values) const
    {
        constexpr double step = 0.02;
        constexpr double reach = 1.4;
        const std::vector<double> at = log_residuals(problem, values);
        std::vector<std::vector<double>> slopes;
        for (std::size_t c = 0; c < values.size(); ++c) {
            std::vector<double> moved = values;
            moved[c] *= std::exp(step);
            slopes.push_back(log_residuals(problem, moved));
            for (std::size_t i = 0; i < at.size(); ++i)
                slopes[c][i] = (slopes[c][i] - at[i]) / step;
        }
        FitProblem linear = problem;
        for (std::size_t c = 0; c < values.size(); ++c) { // no further than the slopes tell
            FitParameter& p = linear.parameters[c];
            p.start = values[c];
            p.low = std::max(p.low, values[c] / reach);
            p.high = std::min(p.high, values[c] * reach);
        }
        linear.most_steps = 50;
        linear.residuals = [&](std::span<const double> v, std::span<const std::size_t> rows, std::span<double> out) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                out[i] = at[rows[i]];
                for (std::size_t c = 0; c < v.size(); ++c)
                    out[i] += slopes[c][rows[i]] * std::log(v[c] / values[c]);
            }
        };
        std::set<std::string> groups;
        for (const Point& p : m_points)
            groups.insert(group_of(p));
        std::vector<double> out(m_rows.size());
        for (const std::string& g : groups) {
            std::vector<std::size_t> in, left;
            for (std::size_t i = 0; i < problem.rows; ++i)
                (i < m_rows.size() && group_of(m_points[m_rows[i].point]) == g ? left : in).push_back(i);
            const Fit fit = fit_least_squares(linear, in);
            std::vector<double> r(left.size());
            problem.residuals(fit.values, left, r);
            for (std::size_t i = 0; i < left.size(); ++i)
                out[left[i]] = r[i] * scale_of(m_rows[left[i]].quantity) / robust_scale;
        }
        return out;
    }

    template <typename Of> FitError error_where(const std::vector<double>& residuals, Quantity q, Of&& of) const
    {
        std::vector<double> some;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_rows[i].quantity == q && of(m_points[m_rows[i].point]))
                some.push_back(residuals[i]);
        return error_of(some);
    }

    // Throughputs of engines without such rows have the error of their time per output token, whose inverse they are.
    void state(FittedLaw& law, const std::vector<double>& left, Quantity q, bool moe) const
    {
        const auto of_kind = [&](const Point& p) { return p.moe == moe; };
        FitError e = error_where(left, q, of_kind);
        if (q == Quantity::rate && e.rows == 0)
            e = error_where(left, Quantity::token, of_kind);
        const std::string at = std::string(q == Quantity::first ? "first_token/" : q == Quantity::rate ? "throughput/" : "") + (moe ? "mixture/" : "dense/");
        law.constants.push_back({at + "residual_median", 0.0, e.median});
        law.constants.push_back({at + "residual_p90", 0.0, e.p90});
        law.constants.push_back({at + "rows", 0.0, static_cast<double>(e.rows)});
    }

    std::string m_engine;
    std::vector<Point> m_points;
    std::vector<EngineConstant> m_constants;
    std::vector<Row> m_rows;
};

class Points {
public:
    Points(const SpecStore& specs, FittedLaws& out)
        : m_specs(specs)
        , m_out(out)
    {
    }

    void add(const MeasurementFile& f)
    {
        const std::string file = std::filesystem::path(f.table.file).filename().string();
        for (std::size_t i = 0; i < f.table.rows.size(); ++i) {
            const CsvRow row(f.table, i);
            if (Status s = f.kind == "serving" ? add_loop(row) : add_offline(row); !s)
                ++m_out.not_expressed[file + ": " + s.error().message];
        }
    }

    std::map<std::string, std::vector<Point>> by_engine() &&
    {
        std::map<std::string, double> sizes;
        const auto key = [](const Point& p) { return p.engine + "|" + p.model + "|" + p.gpu + (p.offline ? "|offline" : ""); };
        for (const Point& p : m_points)
            sizes[key(p)] += 1.0;
        std::map<std::string, std::vector<Point>> out;
        for (Point& p : m_points) {
            p.weight = std::min(1.0, 1.0 / std::sqrt(sizes[key(p)] / whole_group)) * (p.reading.cases.size() > 1 ? band_weight : 1.0);
            out[p.engine].push_back(std::move(p));
        }
        return out;
    }

private:
    Status add_loop(const CsvRow& row)
    {
        Expected<ServingReading> reading = read_serving_row(row, m_specs);
        if (!reading)
            return reading.error();
        Point p;
        p.token = 1e-3 * row.number("silicon_tpot_ms");
        p.first = 1e-3 * row.number("silicon_ttft_ms");
        if (!(p.token > 0.0) || !(p.first > 0.0))
            return bad_input("no time per output token or to first token");
        // Tables list one measurement several times, in spellings of their own.
        if (!m_seen.insert({std::string(row.text("system")), p.token, p.first}).second)
            return Done{};
        if (reading->cases.size() > 1 && m_bands++ % band_step != 0)
            return Done{};
        p.engine = reading->cases.front().decode.engine.engine;
        p.model = reading->cases.front().decode.model.id;
        p.gpu = std::string(row.text("system"));
        p.moe = reading->moe;
        p.reading = std::move(*reading);
        m_points.push_back(std::move(p));
        return Done{};
    }

    Status add_offline(const CsvRow& row)
    {
        Expected<OfflineReading> reading = read_offline_row(row, m_specs);
        if (!reading)
            return reading.error();
        Point p;
        p.rate = row.number("output_tok_s_per_gpu");
        if (!(p.rate > 0.0))
            return bad_input("no throughput");
        p.engine = reading->job.engine.engine;
        p.model = reading->job.model.id;
        p.gpu = std::string(row.text("gpu"));
        p.moe = reading->job.model.is_moe();
        p.offline = std::move(*reading);
        m_points.push_back(std::move(p));
        return Done{};
    }

    const SpecStore& m_specs;
    FittedLaws& m_out;
    std::vector<Point> m_points;
    std::size_t m_bands = 0;
    std::set<std::tuple<std::string, double, double>> m_seen;
};

} // namespace

Status fit_serving(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    if (!wanted("serving"))
        return Done{};
    Points points(specs, out);
    for (const MeasurementFile& f : files)
        if (f.kind == "serving" || f.kind == "serving_offline")
            points.add(f);
    for (auto& [engine, some] : std::move(points).by_engine())
        out.laws.push_back(EngineFit(engine, std::move(some)).run());
    return Done{};
}

} // namespace ridgepoint
