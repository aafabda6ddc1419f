#include "model/trace/ranks.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "model/trace/queries.h"

namespace ridgepoint {
namespace {

Seconds in_seconds(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

// One collective kernel of one rank.
struct Call {
    std::size_t file = 0;
    std::uint32_t event = 0;
};
// Process group by name and members, and the step; in each, the calls of every file in order.
using Group = std::tuple<std::string, std::string, std::string>;
using Calls = std::map<Group, std::map<std::size_t, std::vector<Call>>>;

Timeline::Collective described(const Timeline& t, std::uint32_t event)
{
    if (t.collective[event] >= 0)
        return t.collectives[static_cast<std::size_t>(t.collective[event])];
    Timeline::Collective c; // nothing recorded: the kernel's name is all there is
    c.type = t.name_collective[t.name[event]];
    return c;
}

class Comparison {
public:
    explicit Comparison(const std::vector<const Timeline*>& files) : m_files(files) {}

    JobTimelines run()
    {
        number_ranks();
        for (std::size_t f = 0; f < m_files.size(); ++f)
            summarize_file(f);
        for (const auto& [group, by_file] : calls())
            match(by_file);
        finish();
        return std::move(m_job);
    }

private:
    // What the files say, unless two say the same; then what their names say; then their order.
    void number_ranks()
    {
        m_job.ranks.resize(m_files.size());
        const auto number = [&](bool trust_content, bool trust_names) {
            std::set<int> used;
            std::vector<std::size_t> without;
            for (std::size_t f = 0; f < m_files.size(); ++f) {
                JobRank& r = m_job.ranks[f];
                r.file = m_files[f]->file;
                const auto named = trust_names ? rank_in_name(r.file) : std::nullopt;
                if (trust_content && m_files[f]->rank >= 0) {
                    r.rank = m_files[f]->rank;
                    r.source = RankSource::content;
                } else if (named) {
                    r.rank = *named;
                    r.source = RankSource::file_name;
                } else {
                    without.push_back(f);
                    continue;
                }
                if (!used.insert(r.rank).second)
                    return false;
            }
            int next = 0;
            for (const std::size_t f : without) {
                while (!used.insert(next).second)
                    ++next;
                m_job.ranks[f].rank = next;
                m_job.ranks[f].source = RankSource::order;
            }
            return true;
        };
        if (number(true, true))
            return;
        if (number(false, true))
            m_job.notes.emplace_back("two files say that they are the same rank: ranks are taken from the files' names");
        else if (number(false, false))
            m_job.notes.emplace_back("two files say that they are the same rank, and so do their names: ranks are the order of the files");
    }

    void summarize_file(std::size_t f)
    {
        const TimelineSummary s = summarize(*m_files[f]);
        JobRank& r = m_job.ranks[f];
        r.compute = s.compute_union;
        r.collective = s.collective_union;
        r.exposed_collective = s.exposed_collective;
        if (!s.step_durations.empty())
            r.step = std::accumulate(s.step_durations.begin(), s.step_durations.end(), Seconds{}) / static_cast<double>(s.step_durations.size());
    }

    Calls calls()
    {
        const bool steps = std::ranges::all_of(m_files, [](const Timeline* t) { return !t->steps.empty() || !t->gpu_steps.empty(); });
        Calls out;
        for (std::size_t f = 0; f < m_files.size(); ++f) {
            const Timeline& t = *m_files[f];
            const std::vector<Timeline::Step>& list = t.steps.empty() ? t.gpu_steps : t.steps;
            const std::vector<std::int32_t> step = steps ? steps_of_events(t) : std::vector<std::int32_t>(t.size(), -1);
            for (std::uint32_t i = 0; i < t.size(); ++i) {
                if (t.kernel_class[i] != KernelClass::collective)
                    continue;
                const Timeline::Collective c = described(t, i);
                if (c.type == CollectiveType::send_recv && !c.name.empty()) {
                    ++m_job.point_to_point;
                    continue;
                }
                out[{c.process_group, c.group_ranks, step[i] < 0 ? std::string() : list[static_cast<std::size_t>(step[i])].name}][f].push_back({f, i});
            }
        }
        return out;
    }

    // The n-th call of every rank is the same collective, as long as they are of one kind.
    void match(const std::map<std::size_t, std::vector<Call>>& by_file)
    {
        std::size_t most = 0;
        std::size_t fewest = by_file.empty() ? 0 : by_file.begin()->second.size();
        for (const auto& [file, list] : by_file) {
            most = std::max(most, list.size());
            fewest = std::min(fewest, list.size());
        }
        std::size_t n = 0;
        if (by_file.size() > 1)
            for (; n < fewest; ++n) {
                std::vector<Call> together;
                for (const auto& [file, list] : by_file)
                    together.push_back(list[n]);
                if (!join(together))
                    break;
            }
        for (const auto& [file, list] : by_file)
            m_job.unmatched += static_cast<std::int64_t>(list.size() - n);
        if (by_file.size() > 1 && n < most)
            m_orders_differ = true;
    }

    bool join(const std::vector<Call>& calls)
    {
        const Timeline::Collective first = described(*m_files[calls[0].file], calls[0].event);
        Timeline::Collective largest = first; // all-to-alls move what each rank has
        std::size_t last = 0;
        const auto duration = [&](const Call& c) { return m_files[c.file]->duration_ns[c.event]; };
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const Timeline::Collective c = described(*m_files[calls[i].file], calls[i].event);
            if (c.type != first.type || c.name != first.name || c.dtype != first.dtype)
                return false;
            if (c.size > largest.size)
                largest = c;
            if (duration(calls[i]) < duration(calls[last]))
                last = i;
        }
        const std::int64_t transfer = duration(calls[last]);
        std::int64_t waits = 0;
        for (const Call& c : calls) {
            JobRank& r = m_job.ranks[c.file];
            r.transfer += in_seconds(transfer);
            r.wait += in_seconds(duration(c) - transfer);
            waits += duration(c) - transfer;
        }
        JobRank& straggler = m_job.ranks[calls[last].file];
        straggler.wait_caused += in_seconds(waits);
        straggler.came_last += waits > 0;
        JobCollective& sum = m_kinds[{first.type, first.dtype, first.process_group, largest.size.value(), largest.group_size}];
        sum.type = first.type;
        sum.dtype = first.dtype;
        sum.process_group = first.process_group;
        sum.size = largest.size;
        sum.group_size = largest.group_size > 0 ? largest.group_size : static_cast<int>(calls.size());
        m_incomplete = m_incomplete || sum.group_size > static_cast<int>(calls.size());
        ++sum.count;
        sum.transfer += in_seconds(transfer);
        sum.wait += in_seconds(waits);
        ++m_job.matched;
        return true;
    }

    void finish()
    {
        for (auto& [key, c] : m_kinds) {
            if (c.transfer > Seconds{})
                c.bus_bandwidth = c.size * bus_factor(c.type, c.group_size) * static_cast<double>(c.count) / c.transfer;
            m_job.collectives.push_back(std::move(c));
        }
        std::ranges::stable_sort(m_job.collectives, [](const auto& a, const auto& b) { return a.transfer > b.transfer; });

        Seconds longest, sum;
        for (const JobRank& r : m_job.ranks) {
            longest = std::max(longest, r.compute);
            sum += r.compute;
        }
        if (sum > Seconds{})
            m_job.compute_imbalance = longest / (sum / static_cast<double>(m_job.ranks.size())) - 1.0;

        std::ranges::stable_sort(m_job.ranks, {}, &JobRank::rank);
        std::vector<const JobRank*> order;
        for (const JobRank& r : m_job.ranks)
            if (r.wait_caused > Seconds{})
                order.push_back(&r);
        std::ranges::stable_sort(order, [](const JobRank* a, const JobRank* b) { return a->wait_caused > b->wait_caused; });
        for (const JobRank* r : order)
            m_job.stragglers.push_back(r->rank);

        const int world = (*std::ranges::max_element(m_files, {}, &Timeline::world_size))->world_size;
        if (world > static_cast<int>(m_files.size()))
            m_job.notes.push_back(fmt::format("{} of the job's {} ranks are here: the shortest time is over these, and a transfer may be shorter", m_files.size(), world));
        else if (m_incomplete)
            m_job.notes.emplace_back("ranks of some groups are missing: the shortest time is over those that are here, and a transfer may be shorter");
        if (m_orders_differ)
            m_job.notes.emplace_back("the ranks' collectives differ in number or kind: those behind the first difference are not matched");
    }

    const std::vector<const Timeline*>& m_files;
    JobTimelines m_job;
    std::map<std::tuple<CollectiveType, std::string, std::string, double, int>, JobCollective> m_kinds;
    bool m_orders_differ = false;
    bool m_incomplete = false;
};

} // namespace

Expected<JobTimelines> compare_ranks(const std::vector<const Timeline*>& files)
{
    if (files.size() < 2)
        return bad_input("a comparison of ranks needs the traces of at least two", {}, fmt::format("{}", files.size()));
    return Comparison(files).run();
}

} // namespace ridgepoint
