// search PLAN: the best plans of a space of layouts, precisions and clusters, and why the others are none.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/text_table.h"
#include "model/project/resolve.h"
#include "model/report/search_tables.h"
#include "model/report/texts.h"
#include "model/search/axes.h"
#include "model/search/neighbours.h"
#include "model/search/shard_file.h"
#include "model/specs/json_document.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

constexpr std::size_t largest_shard_file = std::size_t{64} << 20;

struct Arguments {
    PlanArguments plan;
    std::vector<std::string> axes;
    std::string objective = "throughput";
    std::size_t keep = 20;
    unsigned threads = 0;
    double headroom_gib = 0, ttft_ms = 0, tpot_ms = 0, budget = 0, days = 0, rate = 0;
    std::string shard, shard_out, csv, open;
    std::vector<std::string> merge;
    bool json = false, quiet = false, list_axes = false, neighbours = false;
};

Expected<SearchOptions> options_of(const Arguments& a)
{
    SearchOptions o;
    Expected<Objective> objective = parse_objective(a.objective);
    if (!objective)
        return objective.error();
    o.objective = *objective;
    o.keep = a.keep;
    o.threads = a.threads;
    o.limits.headroom = gibibytes(a.headroom_gib);
    if (a.ttft_ms > 0)
        o.limits.ttft = milliseconds(a.ttft_ms);
    if (a.tpot_ms > 0)
        o.limits.tpot = milliseconds(a.tpot_ms);
    if (a.budget > 0)
        o.limits.run = Dollars{a.budget};
    if (a.days > 0)
        o.limits.deadline = hours(24.0 * a.days);
    if (a.rate > 0)
        o.limits.rate = DollarsPerSecond{a.rate / 3600.0};
    if (a.shard.empty())
        return o;
    unsigned long long number = 0, of = 0;
    char rest = 0;
    if (std::sscanf(a.shard.c_str(), "%llu/%llu%c", &number, &of, &rest) != 2 || of < 1 || number >= of || of > 1'000'000)
        return bad_input("This is not a shard", {}, "\"" + a.shard + "\"", "i/n with i from 0 to n - 1");
    o.shard = number;
    o.shards = of;
    return o;
}

Expected<SearchSpace> space_of(const Arguments& a, const Plan& plan, const SpecStore& specs)
{
    Expected<Job> job = resolve(plan, specs);
    if (!job)
        return job.error();
    SearchSpace space = default_space(plan, *job);
    for (const std::string& text : a.axes) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            return bad_input("An axis needs values", {}, "\"" + text + "\"", "NAME=VALUE,VALUE,...");
        std::vector<std::string> values;
        for (std::size_t at = equals + 1; at <= text.size();) {
            const std::size_t end = std::min(text.find(',', at), text.size());
            values.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        if (Status s = set_axis(space, plan, text.substr(0, equals), values); !s)
            return s.error();
    }
    return space;
}

Expected<SearchResult> merged(const Arguments& a, const SearchProblem& problem, const SearchOptions& options)
{
    std::vector<SearchResult> parts;
    std::vector<bool> seen;
    for (const std::string& file : a.merge) {
        Expected<std::string> text = read_text_file(file, largest_shard_file);
        if (!text)
            return text.error();
        Expected<Shard> shard = read_shard(*text, file, problem, options);
        if (!shard)
            return shard.error();
        if (seen.empty())
            seen.resize(std::min<std::uint64_t>(shard->of, 1'000'000));
        if (shard->of != seen.size() || shard->number >= seen.size() || seen[shard->number])
            return bad_input("The shards do not make one search", {file, 0, "/shard"}, fmt::format("{}/{}", shard->number, shard->of),
                fmt::format("each of 0/{} to {}/{} once", seen.size(), seen.size() - 1, seen.size()));
        seen[shard->number] = true;
        parts.push_back(std::move(shard->result));
    }
    if (const auto missing = std::find(seen.begin(), seen.end(), false); missing != seen.end())
        return bad_input("A shard is missing", {}, {}, fmt::format("the file of shard {}/{}", missing - seen.begin(), seen.size()));
    return merge(parts, options);
}

SearchResult searched(const Arguments& a, const SearchProblem& problem, const SearchOptions& options)
{
    const Interrupt interrupt;
    const bool show = !a.quiet && isatty(STDERR_FILENO) != 0;
    Progress progress;
    progress.stop = interrupt.token();
    const auto report = [&](const SearchResult& r) {
        const double rate = static_cast<double>(r.points) / std::max(r.elapsed.value(), 1e-9);
        const double all = static_cast<double>(problem.space().points()) / static_cast<double>(options.shards);
        fmt::print(stderr, "\r\033[K{} of {} points, {}/s, {} left; {} fit", group_thousands(r.points), group_thousands(all), group_thousands(std::round(rate)),
            format(Seconds{(all - static_cast<double>(r.points)) / std::max(rate, 1.0)}), group_thousands(r.feasible));
        std::fflush(stderr);
    };
    SearchResult r = search(problem, options, progress, show ? std::function<void(const SearchResult&)>(report) : nullptr);
    if (show)
        fmt::print(stderr, "\r\033[K");
    return r;
}

void print_result(const SearchProblem& problem, const SearchResult& r, const SearchOptions& options)
{
    fmt::print("{}\n\n", problem.plan().name);
    fmt::print("  {} points: {} alike, {} estimated, {} fit and keep the limits{}\n", group_thousands(r.points), group_thousands(r.alike), group_thousands(r.estimated),
        group_thousands(r.feasible), r.stopped ? " (stopped before the end)" : "");
    if (r.elapsed > Seconds{})
        fmt::print("  {} at {} points a second\n", format(r.elapsed), group_thousands(std::round(static_cast<double>(r.points) / r.elapsed.value())));
    fmt::print("\n");
    const ReportTable best = search_table(problem, r.best, fmt::format("Best by {}", name_of(options.objective)));
    const auto print = [](const ReportTable& table) {
        TextTable t(table.header);
        for (const auto& row : table.rows)
            t.add(row);
        fmt::print("{}\n\n{}\n", table.title, t.text());
    };
    if (r.best.empty())
        fmt::print("No plan of the space fits and keeps the limits.\n\n");
    else
        print(best);
    if (r.pareto.size() > 1)
        print(search_table(problem, {r.pareto.begin(), r.pareto.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(r.pareto.size(), 20))},
            fmt::format("Pareto front of throughput, cost and memory to spare ({} plans)", r.pareto.size())));
    print(rejection_table(problem, r));
}

int print_neighbours(const SearchProblem& problem, const SearchOptions& options)
{
    if (!problem.own())
        return fail(bad_input("the values to try leave out the plan's own instance, nodes or recipe", Place{"--axis", 0, {}}, {}, "them among the values, for --neighbours"));
    const std::vector<Neighbour> near = nearest_feasible(problem, options);
    if (near.empty()) {
        fmt::print("No plan within two changes fits and keeps the limits; search without --neighbours looks at all.\n");
        return not_feasible;
    }
    if (near.front().changes.empty()) {
        fmt::print("The plan fits as it is and keeps the limits.\n");
        return done;
    }
    TextTable t({"Change", ">time", ">to spare", ">tokens/s"});
    for (const Neighbour& n : near)
        t.add({change_text(n), format(n.plan.time), format(n.plan.headroom), format_number(n.plan.tokens_per_second.value())});
    fmt::print("{}\n\nThe smallest changes that make it fit and keep the limits, best first:\n\n{}", problem.plan().name, t.text());
    return done;
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.json);
    const Expected<SearchOptions> options = options_of(a);
    if (!options)
        return fail(options.error(), a.json);
    Expected<SearchSpace> space = space_of(a, loaded->plan, loaded->specs);
    if (!space)
        return fail(located(space.error(), a.plan), a.json);
    if (a.list_axes) {
        for (const std::string& axis : axis_names())
            if (axis_applies(loaded->plan, axis))
                fmt::print("{:<22}{}\n", axis, fmt::join(axis_values(*space, loaded->plan, axis), ", "));
        fmt::print("{} points\n", group_thousands(static_cast<double>(space->points())));
        return done;
    }
    const Expected<SearchProblem> problem = SearchProblem::make(loaded->plan, std::move(*space), loaded->specs);
    if (!problem)
        return fail(located(problem.error(), a.plan), a.json);
    if (a.neighbours)
        return print_neighbours(*problem, *options);
    Expected<SearchResult> result = a.merge.empty() ? Expected<SearchResult>(searched(a, *problem, *options)) : merged(a, *problem, *options);
    if (!result)
        return fail(result.error(), a.json);
    if (!a.shard_out.empty())
        if (Status s = write_output(a.shard_out, shard_text(*result, *problem, *options)); !s)
            return fail(s.error(), a.json);
    if (!a.csv.empty())
        if (Status s = write_output(a.csv, search_csv(*problem, result->best)); !s)
            return fail(s.error(), a.json);
    if (!a.open.empty() && !result->best.empty())
        if (Status s = save_plan(problem->plan_of(result->best.front().point), a.open); !s)
            return fail(s.error(), a.json);
    if (a.json)
        fmt::print("{}\n", json_text(search_json(*problem, *result, *options)));
    else if (a.csv != "-" && a.shard_out != "-")
        print_result(*problem, *result, *options);
    return result->best.empty() ? not_feasible : done;
}

} // namespace

void add_search_command(CLI::App& app, int& status)
{
    CLI::App* c = app.add_subcommand("search", "Find the best plans of a space, and why the others are none");
    auto a = std::make_shared<Arguments>();
    add_plan_arguments(*c, a->plan);
    c->add_option("--axis", a->axes, "Values of an axis instead of all sensible ones: tp=1,2,4,8 (--list-axes names them); repeatable")->type_name("NAME=V,V,...");
    c->add_flag("--list-axes", a->list_axes, "Print the axes, their values and the number of points, and end");
    c->add_option("--objective", a->objective, "throughput, throughput_per_gpu, cost_per_token, energy_per_token or latency")->capture_default_str();
    c->add_option("--keep", a->keep, "Best plans to keep")->check(CLI::Range(1, 10'000))->capture_default_str();
    c->add_option("--threads", a->threads, "Threads; 0: as many as the machine has")->check(CLI::Range(0, 1024))->capture_default_str();
    c->add_option("--min-headroom", a->headroom_gib, "Memory to spare on every GPU [GiB]")->check(CLI::NonNegativeNumber);
    c->add_option("--max-ttft", a->ttft_ms, "Serving: largest time to first token [ms]")->check(CLI::PositiveNumber);
    c->add_option("--max-tpot", a->tpot_ms, "Serving: largest time per output token [ms]")->check(CLI::PositiveNumber);
    c->add_option("--max-run", a->budget, "Training: largest cost of the run [USD]")->check(CLI::PositiveNumber);
    c->add_option("--max-days", a->days, "Training: longest time to train [days]")->check(CLI::PositiveNumber);
    c->add_option("--max-rate", a->rate, "Largest cost of the cluster [USD per hour]")->check(CLI::PositiveNumber);
    c->add_option("--shard", a->shard, "Search part i of n of the points (for job arrays)")->type_name("I/N");
    c->add_option("--shard-out", a->shard_out, "Write the shard for --merge")->type_name("FILE");
    c->add_option("--merge", a->merge, "Merge shard files of this very search instead of searching")->type_name("FILE ...");
    c->add_option("--csv", a->csv, "Write the best plans as CSV (- for standard output)")->type_name("FILE");
    c->add_option("--save", a->open, "Save the best plan")->type_name("PLAN");
    c->add_flag("--neighbours", a->neighbours, "Only the smallest changes that make the plan itself fit and keep the limits");
    c->add_flag("--quiet", a->quiet, "No progress line");
    c->add_flag("--json", a->json, "Print JSON");
    c->callback([a, &status] { status = run(*a); });
}

} // namespace ridgepoint::cli
