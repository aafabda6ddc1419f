#include "model/fitting/least_squares.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <Eigen/Dense>

namespace ridgepoint {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double largest_residual = 5.0; // a law that overflows far from the data is simply bad there

double to_search(const FitParameter& p, double value) { return p.scale > 0.0 ? std::log1p(value / p.scale) : std::log(value); }
double from_search(const FitParameter& p, double x) { return p.scale > 0.0 ? p.scale * std::expm1(x) : std::exp(x); }

class Search {
public:
    Search(const FitProblem& problem, std::span<const std::size_t> rows)
        : m_problem(problem)
        , m_rows(rows)
        , m_size(static_cast<Eigen::Index>(problem.parameters.size()))
        , m_low(m_size)
        , m_high(m_size)
        , m_start(m_size)
        , m_weights(static_cast<Eigen::Index>(rows.size()))
    {
        for (Eigen::Index i = 0; i < m_size; ++i) {
            const FitParameter& p = parameter(i);
            assert(p.low <= p.high && (p.scale > 0.0 || p.low > 0.0));
            m_low[i] = to_search(p, p.low);
            m_high[i] = to_search(p, p.high);
            m_start[i] = to_search(p, std::clamp(p.start, p.low, p.high));
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
            m_weights[static_cast<Eigen::Index>(i)] = problem.weights.empty() ? 1.0 : problem.weights[rows[i]];
    }

    Fit run(std::span<const double> from)
    {
        VectorXd x(m_size);
        for (Eigen::Index i = 0; i < m_size; ++i)
            x[i] = to_search(parameter(i), std::clamp(from[static_cast<std::size_t>(i)], parameter(i).low, parameter(i).high));
        VectorXd r = residuals(x);
        Fit fit;
        fit.cost = cost(x, r);
        double damping = 1e-3;
        for (int idle = 0; fit.steps < m_problem.most_steps && idle < 3; ++fit.steps) {
            const MatrixXd j = jacobian(x, r);
            const VectorXd w = reweighted(r);
            const double pull = m_problem.prior * m_problem.prior;
            const VectorXd gradient = j.transpose() * w.cwiseProduct(r) + pull * (x - m_start);
            MatrixXd normal = j.transpose() * w.asDiagonal() * j;
            normal.diagonal().array() += pull;
            bool better = false;
            for (; damping < 1e12; damping *= 4.0) {
                const VectorXd next = stepped(x, normal, gradient, damping);
                const VectorXd r_next = residuals(next);
                const double c = cost(next, r_next);
                if (!(c < fit.cost))
                    continue;
                idle = fit.cost - c < m_problem.least_gain * fit.cost ? idle + 1 : 0;
                x = next;
                r = r_next;
                fit.cost = c;
                better = true;
                break;
            }
            if (!better)
                break;
            damping = std::max(damping / 8.0, 1e-9);
        }
        fit.values = values(x);
        return fit;
    }

private:
    [[nodiscard]] const FitParameter& parameter(Eigen::Index i) const { return m_problem.parameters[static_cast<std::size_t>(i)]; }

    [[nodiscard]] std::vector<double> values(const VectorXd& x) const
    {
        std::vector<double> out(static_cast<std::size_t>(m_size));
        for (Eigen::Index i = 0; i < m_size; ++i)
            out[static_cast<std::size_t>(i)] = std::clamp(from_search(parameter(i), x[i]), parameter(i).low, parameter(i).high);
        return out;
    }

    [[nodiscard]] VectorXd residuals(const VectorXd& x) const
    {
        VectorXd r(static_cast<Eigen::Index>(m_rows.size()));
        const std::vector<double> v = values(x);
        m_problem.residuals(v, m_rows, {r.data(), m_rows.size()});
        return r.unaryExpr([](double e) { return std::isnan(e) ? largest_residual : std::clamp(e, -largest_residual, largest_residual); });
    }

    [[nodiscard]] double cost(const VectorXd& x, const VectorXd& r) const
    {
        const double s = m_problem.robust_scale;
        const Eigen::ArrayXd z = (r.array() / s).square();
        return (m_weights.array() * s * s * 2.0 * ((1.0 + z).sqrt() - 1.0)).sum() + m_problem.prior * m_problem.prior * (x - m_start).squaredNorm();
    }

    [[nodiscard]] VectorXd reweighted(const VectorXd& r) const
    {
        return m_weights.array() * (1.0 + (r.array() / m_problem.robust_scale).square()).rsqrt();
    }

    [[nodiscard]] MatrixXd jacobian(const VectorXd& x, const VectorXd& r) const
    {
        MatrixXd j(r.size(), m_size);
        for (Eigen::Index i = 0; i < m_size; ++i) {
            VectorXd moved = x;
            const double h = m_problem.derivative_step * std::max(1.0, std::abs(x[i]));
            const double step = x[i] + h > m_high[i] ? -h : h;
            moved[i] += step;
            j.col(i) = (residuals(moved) - r) / step;
        }
        return j;
    }

    // One damped step over the constants that no bound holds back.
    [[nodiscard]] VectorXd stepped(const VectorXd& x, const MatrixXd& normal, const VectorXd& gradient, double damping) const
    {
        std::vector<Eigen::Index> free;
        for (Eigen::Index i = 0; i < m_size; ++i)
            if (!(x[i] <= m_low[i] && gradient[i] > 0.0) && !(x[i] >= m_high[i] && gradient[i] < 0.0))
                free.push_back(i);
        const auto n = static_cast<Eigen::Index>(free.size());
        MatrixXd a(n, n);
        VectorXd g(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            g[i] = gradient[free[static_cast<std::size_t>(i)]];
            for (Eigen::Index k = 0; k < n; ++k)
                a(i, k) = normal(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(k)]);
        }
        a.diagonal().array() += damping * a.diagonal().array().max(1e-9 * std::max(1.0, normal.trace()));
        const VectorXd d = a.ldlt().solve(-g);
        VectorXd out = x;
        for (Eigen::Index i = 0; i < n; ++i) {
            const Eigen::Index at = free[static_cast<std::size_t>(i)];
            out[at] = std::clamp(x[at] + d[i], m_low[at], m_high[at]);
        }
        return out;
    }

    const FitProblem& m_problem;
    std::span<const std::size_t> m_rows;
    Eigen::Index m_size;
    VectorXd m_low, m_high, m_start; // in search coordinates
    VectorXd m_weights;
};

} // namespace

Fit fit_least_squares(const FitProblem& problem, std::span<const std::size_t> rows)
{
    std::vector<std::vector<double>> starts(1);
    for (const FitParameter& p : problem.parameters)
        starts.front().push_back(p.start);
    starts.insert(starts.end(), problem.other_starts.begin(), problem.other_starts.end());
    Search search(problem, rows);
    Fit best;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        assert(starts[i].size() == problem.parameters.size());
        Fit found = search.run(starts[i]);
        if (i == 0 || found.cost < best.cost)
            best = std::move(found);
    }
    return best;
}

Fit fit_least_squares(const FitProblem& problem)
{
    std::vector<std::size_t> rows(problem.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return fit_least_squares(problem, rows);
}

} // namespace ridgepoint
