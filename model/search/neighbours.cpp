#include "model/search/neighbours.h"

#include <algorithm>

#include "model/project/fields.h"
#include "model/project/resolve.h"
#include "model/search/axes.h"

namespace ridgepoint {
namespace {

struct Turn {
    std::string axis;
    std::string field;
    std::string from;
    std::vector<std::string> to;
};

class Finder {
public:
    Finder(const SearchProblem& problem, const SearchOptions& options, const SearchPoint& own)
        : m_problem(problem)
        , m_options(options)
        , m_own(own)
        , m_base(*problem.base(own))
    {
        for (const std::string& axis : axis_names()) {
            if (axis == "instance" || axis == "nodes" || axis == "recipe" || !axis_applies(problem.plan(), axis))
                continue; // other hardware or arithmetic is another question
            Turn t;
            t.axis = axis;
            t.field = field_of_axis(axis);
            t.from = field_value(problem.plan(), t.field);
            for (std::string& v : axis_values(problem.space(), problem.plan(), axis))
                if (v != t.from)
                    t.to.push_back(std::move(v));
            if (!t.to.empty())
                m_turns.push_back(std::move(t));
        }
    }

    std::vector<Neighbour> find(std::size_t count)
    {
        consider({});
        if (m_found.empty())
            for (const Turn& t : m_turns)
                for (const std::string& v : t.to)
                    consider({{t.axis, t.from, v}});
        if (m_found.empty())
            for (std::size_t i = 0; i < m_turns.size(); ++i)
                for (std::size_t j = i + 1; j < m_turns.size(); ++j)
                    for (const std::string& v : m_turns[i].to)
                        for (const std::string& w : m_turns[j].to)
                            consider({{m_turns[i].axis, m_turns[i].from, v}, {m_turns[j].axis, m_turns[j].from, w}});
        std::ranges::stable_sort(m_found, [o = m_options.objective](const Neighbour& a, const Neighbour& b) { return a.plan.score(o) < b.plan.score(o); });
        if (m_found.size() > count)
            m_found.resize(count);
        return std::move(m_found);
    }

private:
    void consider(std::vector<AxisChange> changes)
    {
        Plan plan = m_problem.plan();
        for (const AxisChange& c : changes)
            if (!set_field(plan, field_of_axis(c.axis), c.to))
                return;
        plan.layout.dp = 0;
        const Expected<Job> job = resolve_variant(plan, m_base);
        if (!job)
            return;
        const QuickEstimate e = m_estimate(*job);
        if (!e.possible())
            return;
        SearchPoint p = m_own;
        p.layout = job->layout;
        if (const auto* serving = std::get_if<Serving>(&job->workload))
            SearchProblem::take(*serving, p);
        FoundPlan f = m_problem.found(p, e);
        if (!m_problem.rejection(f, e, m_options.limits))
            m_found.push_back({std::move(f), std::move(changes)});
    }

    const SearchProblem& m_problem;
    const SearchOptions& m_options;
    const SearchPoint m_own;
    const Job& m_base;
    std::vector<Turn> m_turns;
    QuickEstimator m_estimate;
    std::vector<Neighbour> m_found;
};

} // namespace

std::vector<Neighbour> nearest_feasible(const SearchProblem& problem, const SearchOptions& options, std::size_t count)
{
    const std::optional<SearchPoint> own = problem.own();
    return own ? Finder(problem, options, *own).find(count) : std::vector<Neighbour>{};
}

} // namespace ridgepoint
