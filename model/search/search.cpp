#include "model/search/search.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "model/search/collect.h"

namespace ridgepoint {
namespace {

constexpr std::uint64_t block = 8192; // points that a thread takes at once: some 10 ms
constexpr auto report_every = std::chrono::milliseconds(80);

constexpr std::array<std::string_view, objective_count> objective_names = {"throughput", "throughput_per_gpu", "cost_per_token", "energy_per_token", "latency"};
constexpr std::array<std::string_view, rejection_count> rejection_names = {"does not fit in memory", "the KV cache does not hold the sequences", "TTFT over its limit",
    "TPOT over its limit", "over the budget", "past the deadline, or no tokens to train on", "over the hourly rate, or no price", "no operating point"};

// Estimates blocks of points with a job and a memo of its own.
class Worker {
public:
    Worker(const SearchProblem& problem, const SearchOptions& options)
        : m_problem(problem)
        , m_options(options)
        , m_training(std::holds_alternative<Training>(problem.plan().workload))
        , m_apart(runs_prompts_apart(problem.plan().workload))
    {
    }

    SearchResult run(std::uint64_t begin, std::uint64_t end) // ordinals within the shard
    {
        Collector seen(m_options);
        for (std::uint64_t i = begin; i < end; ++i)
            look_at(m_problem.point(m_options.shard + i * m_options.shards), seen);
        return std::move(seen.result());
    }

private:
    void look_at(const SearchPoint& p, Collector& seen)
    {
        ++seen.result().points;
        if (!is_canonical(p.layout, m_problem.space(), m_training) || (m_apart && !is_canonical_split(p, m_problem.space()))) {
            ++seen.result().alike;
            return;
        }
        const Job* base = m_problem.base(p);
        if (!base)
            return seen.broken(LayoutRule::arithmetic, p);
        if (p.layout.dp == 0 && !m_apart) // pools take the GPUs of their workers
            return seen.broken(LayoutRule::degrees_times_gpus, p);
        if (base != m_base) {
            m_base = base;
            m_job = *base;
            m_estimate = QuickEstimator();
        }
        SearchProblem::put(p, m_job);
        const QuickEstimate e = m_estimate(m_job);
        if (e.rule != LayoutRule::legal)
            return seen.broken(e.rule, p);
        ++seen.result().estimated;
        if (e.refused) {
            FoundPlan none;
            none.point = p;
            return seen.rejected(Rejection::no_operating_point, none, {});
        }
        const FoundPlan f = m_problem.found(p, e);
        if (const std::optional<Rejection> why = m_problem.rejection(f, e, m_options.limits))
            return seen.rejected(*why, f, m_options.limits.headroom);
        seen.keep(f);
    }

    const SearchProblem& m_problem;
    const SearchOptions& m_options;
    bool m_training;
    bool m_apart; // prompts and decoding on pools of their own
    const Job* m_base = nullptr;
    Job m_job;
    QuickEstimator m_estimate;
};

class Search {
public:
    Search(const SearchProblem& problem, const SearchOptions& options, const Progress& progress)
        : m_problem(problem)
        , m_options(options)
        , m_progress(progress)
        , m_total(options)
    {
        const std::uint64_t all = problem.space().points();
        m_points = all > options.shard ? (all - options.shard + options.shards - 1) / options.shards : 0;
    }

    SearchResult run(const std::function<void(const SearchResult&)>& partial)
    {
        const unsigned wanted = m_options.threads > 0 ? m_options.threads : std::max(1U, std::thread::hardware_concurrency());
        const auto blocks = (m_points + block - 1) / block;
        m_running = static_cast<unsigned>(std::min<std::uint64_t>(wanted, std::max<std::uint64_t>(blocks, 1)));
        {
            std::vector<std::jthread> threads;
            for (unsigned i = m_running; i > 0; --i)
                threads.emplace_back([this] { work(); });
            watch(partial);
        }
        SearchResult out = std::move(m_total.result());
        out.elapsed = elapsed();
        out.stopped = m_progress.stopped() && out.points < m_points;
        sort_pareto(out);
        return out;
    }

private:
    void work()
    {
        Worker worker(m_problem, m_options);
        while (!m_progress.stopped()) {
            const std::uint64_t begin = m_next.fetch_add(block);
            if (begin >= m_points)
                break;
            const SearchResult r = worker.run(begin, std::min(begin + block, m_points));
            const std::lock_guard lock(m_mutex);
            m_total.add(r);
        }
        const std::lock_guard lock(m_mutex);
        if (--m_running == 0)
            m_done.notify_all();
    }

    void watch(const std::function<void(const SearchResult&)>& partial)
    {
        std::unique_lock lock(m_mutex);
        while (!m_done.wait_for(lock, report_every, [this] { return m_running == 0; })) {
            SearchResult now = m_total.result();
            lock.unlock();
            now.elapsed = elapsed();
            m_progress.at(m_points > 0 ? static_cast<double>(now.points) / static_cast<double>(m_points) : 1.0);
            if (partial) {
                sort_pareto(now);
                partial(now);
            }
            lock.lock();
        }
        m_progress.at(1.0);
    }

    [[nodiscard]] Seconds elapsed() const { return Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count()}; }

    const SearchProblem& m_problem;
    const SearchOptions& m_options;
    const Progress& m_progress;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
    std::uint64_t m_points = 0;
    std::atomic<std::uint64_t> m_next{0};
    std::mutex m_mutex;
    std::condition_variable m_done;
    unsigned m_running = 0;
    Collector m_total;
};

} // namespace

std::string_view name_of(Objective o) { return objective_names[static_cast<std::size_t>(o)]; }
std::string_view name_of(Rejection r) { return rejection_names[static_cast<std::size_t>(r)]; }

Expected<Objective> parse_objective(std::string_view text)
{
    std::string known;
    for (std::size_t i = 0; i < objective_count; ++i) {
        if (objective_names[i] == text)
            return static_cast<Objective>(i);
        known += (known.empty() ? "" : ", ") + std::string(objective_names[i]);
    }
    return bad_input("There is no such objective", {}, "\"" + std::string(text) + "\"", "one of: " + known);
}

SearchResult search(const SearchProblem& problem, const SearchOptions& options, const Progress& progress, const std::function<void(const SearchResult&)>& partial)
{
    return Search(problem, options, progress).run(partial);
}

SearchResult merge(const std::vector<SearchResult>& shards, const SearchOptions& options)
{
    Collector all(options);
    for (const SearchResult& r : shards)
        all.add(r);
    sort_pareto(all.result());
    return std::move(all.result());
}

} // namespace ridgepoint
