#include "model/search/shard_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/search/axes.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr std::size_t most_points_kept = 1'000'000;

// FNV-1a: a short name for "the same question".
std::string fingerprint(const SearchProblem& problem, const SearchOptions& options)
{
    std::string text = to_text(problem.plan());
    for (const std::string& axis : axis_names()) {
        text += axis + "=";
        for (const std::string& v : axis_values(problem.space(), problem.plan(), axis))
            text += v + ",";
    }
    const SearchLimits& l = options.limits;
    const auto number = [](const auto& q) { return q ? fmt::format("{:a}", q->value()) : std::string("-"); };
    text += fmt::format("{} {} {:a} {} {} {} {} {}", name_of(options.objective), options.keep, l.headroom.value(), number(l.ttft), number(l.tpot), number(l.run),
        number(l.deadline), number(l.rate));
    std::uint64_t h = 14695981039346656037ULL;
    for (const unsigned char c : text)
        h = (h ^ c) * 1099511628211ULL;
    return fmt::format("{:016x}", h);
}

Json counts_of(const RejectionCount& c)
{
    Json out = {{"points", c.points}};
    if (c.example)
        out["example"] = c.example->index;
    if (c.shortfall > Bytes{})
        out["shortfall_bytes"] = c.shortfall.value();
    return out;
}

class Reader {
public:
    Reader(const Json& root, const std::string& file, const SearchProblem& problem) : m_root(root), m_file(file), m_problem(problem) {}

    Expected<Shard> read()
    {
        Shard s;
        s.number = whole(m_root, "shard");
        s.of = whole(m_root, "shards");
        SearchResult& r = s.result;
        r.points = whole(m_root, "points");
        r.alike = whole(m_root, "alike");
        r.estimated = whole(m_root, "estimated");
        r.feasible = whole(m_root, "feasible");
        r.stopped = m_root.contains("stopped") && m_root["stopped"] == true;
        plans(r.best, "best");
        plans(r.pareto, "pareto");
        counts(r.broken_rules, "broken_rules");
        counts(r.rejected, "rejected");
        if (m_wrong)
            return *m_wrong;
        return s;
    }

private:
    void fail(const std::string& pointer, const std::string& expected)
    {
        if (!m_wrong)
            m_wrong = bad_input("The shard file is damaged", {m_file, 0, pointer}, {}, expected);
    }
    std::uint64_t whole(const Json& at, const char* key)
    {
        if (at.is_object() && at.contains(key) && at[key].is_number_unsigned())
            return at[key].get<std::uint64_t>();
        fail(fmt::format("/{}", key), "a whole number");
        return 0;
    }
    std::optional<SearchPoint> point(const Json& at, const std::string& pointer)
    {
        if (at.is_number_unsigned() && at.get<std::uint64_t>() < m_problem.space().points())
            return m_problem.point(at.get<std::uint64_t>());
        fail(pointer, "the number of a point of the space");
        return std::nullopt;
    }
    void plans(std::vector<FoundPlan>& out, const char* key)
    {
        if (!m_root.contains(key) || !m_root[key].is_array() || m_root[key].size() > most_points_kept)
            return fail(fmt::format("/{}", key), "a list of point numbers");
        QuickEstimator estimate;
        const Job* base = nullptr;
        for (const Json& at : m_root[key]) {
            const std::optional<SearchPoint> p = point(at, fmt::format("/{}", key));
            if (!p || !m_problem.base(*p))
                return fail(fmt::format("/{}", key), "points that run");
            if (m_problem.base(*p) != base) {
                base = m_problem.base(*p);
                estimate = QuickEstimator();
            }
            const QuickEstimate e = estimate(m_problem.job(*p));
            if (!e.possible())
                return fail(fmt::format("/{}", key), "points that run");
            out.push_back(m_problem.found(*p, e));
        }
    }
    template <std::size_t n> void counts(std::array<RejectionCount, n>& out, const char* key)
    {
        if (!m_root.contains(key) || !m_root[key].is_array() || m_root[key].size() != n)
            return fail(fmt::format("/{}", key), fmt::format("{} counts", n));
        for (std::size_t i = 0; i < n; ++i) {
            const Json& c = m_root[key][i];
            out[i].points = whole(c, "points");
            if (c.is_object() && c.contains("example"))
                out[i].example = point(c["example"], fmt::format("/{}/{}/example", key, i));
            if (c.is_object() && c.contains("shortfall_bytes") && c["shortfall_bytes"].is_number())
                out[i].shortfall = Bytes{c["shortfall_bytes"].get<double>()};
        }
    }

    const Json& m_root;
    const std::string& m_file;
    const SearchProblem& m_problem;
    std::optional<Error> m_wrong;
};

} // namespace

std::string shard_text(const SearchResult& r, const SearchProblem& problem, const SearchOptions& options)
{
    Json out = {{"ridgepoint_search_shard", version}, {"question", fingerprint(problem, options)}, {"shard", options.shard}, {"shards", options.shards},
        {"points", r.points}, {"alike", r.alike}, {"estimated", r.estimated}, {"feasible", r.feasible}, {"stopped", r.stopped}};
    const auto numbers = [](const std::vector<FoundPlan>& plans) {
        Json list = Json::array();
        for (const FoundPlan& p : plans)
            list.push_back(p.point.index);
        return list;
    };
    out["best"] = numbers(r.best);
    out["pareto"] = numbers(r.pareto);
    out["broken_rules"] = Json::array();
    for (const RejectionCount& c : r.broken_rules)
        out["broken_rules"].push_back(counts_of(c));
    out["rejected"] = Json::array();
    for (const RejectionCount& c : r.rejected)
        out["rejected"].push_back(counts_of(c));
    return out.dump(1) + "\n";
}

Expected<Shard> read_shard(std::string_view text, const std::string& file, const SearchProblem& problem, const SearchOptions& options)
{
    const Json root = Json::parse(text, nullptr, false);
    if (!root.is_object() || !root.contains("ridgepoint_search_shard") || root["ridgepoint_search_shard"] != version)
        return bad_input("This is not a shard of a search", {file, 0, {}}, {}, fmt::format("a file that \"search --shard\" wrote, version {}", version));
    const std::string mine = fingerprint(problem, options);
    if (const auto theirs = root.find("question"); theirs == root.end() || *theirs != mine)
        return bad_input("The shard is of another search", {file, 0, "/question"}, theirs == root.end() ? "nothing" : theirs->dump(),
            mine + ": the same plan, axes, objective and limits");
    return Reader(root, file, problem).read();
}

} // namespace ridgepoint
