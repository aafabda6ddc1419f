#pragma once
// The best plans of a space: every legal point estimated by the engine at the plan's own batch and sequence, the first broken
// rule of every other counted. Memory stays flat: the best by each objective and the Pareto front are kept, not the points.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/economics/cost.h"
#include "model/estimate/quick.h"
#include "model/search/space.h"
#include "model/specs/store.h"

namespace ridgepoint {

enum class Objective : unsigned char {
    throughput, // useful tokens per second of the whole cluster; training: shortest step
    throughput_per_gpu,
    cost_per_token, // at the plan's price
    energy_per_token,
    latency, // serving: TPOT (TTFT where only prefill runs)
};
inline constexpr std::size_t objective_count = 5;
std::string_view name_of(Objective o);
Expected<Objective> parse_objective(std::string_view text); // "cost_per_token"

struct SearchLimits { // of what may be recommended; none: no limit
    Bytes headroom; // at least so much memory to spare
    std::optional<Seconds> ttft, tpot; // serving
    std::optional<Dollars> run; // training to the end
    std::optional<Seconds> deadline; // time to train
    std::optional<DollarsPerSecond> rate; // of the cluster
};

// Why a point is not recommended: a broken rule of the layout, or one of these.
enum class Rejection : unsigned char { memory, largest_batch, ttft, tpot, budget, deadline, rate, no_operating_point };
inline constexpr std::size_t rejection_count = 8;
std::string_view name_of(Rejection r);

struct FoundPlan {
    SearchPoint point;
    Seconds time; // step, TPOT or TTFT
    TokensPerSecond tokens_per_second; // of the whole cluster
    TokensPerSecond tokens_per_second_per_gpu;
    Bytes headroom; // negative: short of it
    std::optional<DollarsPerToken> cost_per_token;
    JoulesPerToken energy_per_token;
    double mfu = 0;
    Resource bound = Resource::compute;
    std::optional<Seconds> ttft; // serving

    [[nodiscard]] double score(Objective o) const; // less is better; infinite where unknown
};

struct RejectionCount {
    std::uint64_t points = 0;
    std::optional<SearchPoint> example; // lowest index; of `memory`: the one that misses by least
    Bytes shortfall; // of that
};

struct SearchOptions {
    Objective objective = Objective::throughput;
    std::size_t keep = 20; // best plans
    std::uint64_t shard = 0, shards = 1; // this part of the points: index % shards == shard
    unsigned threads = 0; // 0: as many as the machine has
    SearchLimits limits;
};

struct SearchResult {
    std::uint64_t points = 0; // of this shard
    std::uint64_t alike = 0; // not estimated: the same as another point
    std::uint64_t estimated = 0; // legal points
    std::uint64_t feasible = 0; // that also keep all limits
    std::vector<FoundPlan> best; // by the objective, ties by index
    // No other plan is at least as good in throughput, cost per token and headroom and better in one; by throughput.
    std::vector<FoundPlan> pareto;
    std::array<RejectionCount, layout_rule_count> broken_rules;
    std::array<RejectionCount, rejection_count> rejected;
    Seconds elapsed;
    bool stopped = false; // before the end
};

// The clusters and recipes of a space resolved once: what every point is estimated with. Errors: an unknown instance, a
// recipe that the GPU cannot run on any cluster of the space, prices that a limit needs.
class SearchProblem {
public:
    static Expected<SearchProblem> make(const Plan& plan, SearchSpace space, const SpecStore& specs);

    [[nodiscard]] const SearchSpace& space() const { return m_space; }
    [[nodiscard]] const Plan& plan() const { return m_plan; }
    [[nodiscard]] SearchPoint point(std::uint64_t index) const { return point_at(m_space, index, m_plan.layout, m_gpus); }
    // The plan's own layout, cluster and recipe; none where the space leaves them out or the GPU cannot run the recipe. Its
    // index means nothing: the layout need not be in the space.
    [[nodiscard]] std::optional<SearchPoint> own() const;
    [[nodiscard]] bool runs(const SearchPoint& p) const { return base(p) != nullptr; } // the GPU has the recipe's units
    [[nodiscard]] Job job(const SearchPoint& p) const; // complete, for estimate()
    [[nodiscard]] Plan plan_of(const SearchPoint& p) const; // to open as a document
    [[nodiscard]] FoundPlan found(const SearchPoint& p, const QuickEstimate& e) const;
    // What keeps an estimated plan from being recommended.
    [[nodiscard]] std::optional<Rejection> rejection(const FoundPlan& f, const QuickEstimate& e, const SearchLimits& limits) const;
    // Changes of a base job into the point's; the base must be that of the point's cluster and recipe.
    static void put(const SearchPoint& p, Job& job);
    static void put(const SearchPoint& p, Serving& workload); // what a search chooses of it
    static void take(const Serving& workload, SearchPoint& p);
    [[nodiscard]] const Job* base(const SearchPoint& p) const; // null: the GPU cannot run the recipe

private:
    struct Variant { // one cluster with one recipe
        std::optional<Job> job;
        std::optional<Price> price;
    };
    [[nodiscard]] const Variant& variant(const SearchPoint& p) const { return m_variants[p.cluster * m_space.recipes.size() + p.recipe]; }

    Plan m_plan;
    SearchSpace m_space;
    std::vector<int> m_gpus;
    std::vector<Variant> m_variants;
};

// Deterministic whatever the threads: the same space, shards and options give the same result but for `elapsed`.
// `partial`: called now and then from the calling thread with what is known so far.
SearchResult search(const SearchProblem& problem, const SearchOptions& options, const Progress& progress = {},
    const std::function<void(const SearchResult&)>& partial = {});

// Of shards of one search (same plan, space and options): what the unsharded search had found.
SearchResult merge(const std::vector<SearchResult>& shards, const SearchOptions& options);

} // namespace ridgepoint
