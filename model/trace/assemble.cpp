#include "model/trace/assemble.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "model/trace/links.h"
#include "model/trace/stoppable_sort.h"

namespace ridgepoint {
namespace {

constexpr std::string_view not_recorded = "no operator with shapes is linked to the kernel";
constexpr std::string_view in_graph = "a replayed CUDA graph launched the kernel: the trace links it to no operator";

bool computes(KernelClass c) { return c != KernelClass::collective && c != KernelClass::memcpy && c != KernelClass::memset; }

class Assembler {
public:
    Assembler(EventTable::Rows rows, const KernelRules& rules, const Progress& progress)
        : m_rows(std::move(rows)), m_rules(rules), m_progress(progress), m_launches(std::move(m_rows.launches), progress),
          m_operators(std::move(m_rows.ops), progress)
    {
    }

    std::optional<Timeline> run()
    {
        if (!sort_stoppably(m_rows.gpu, [](const GpuRow& a, const GpuRow& b) { return a.ts < b.ts; }, m_progress))
            return std::nullopt;
        m_timeline.origin_ns = m_rows.gpu.empty() ? first_step() : m_rows.gpu.front().ts;
        name_kernels();
        if (!fill_columns())
            return std::nullopt;
        share_work();
        if (m_progress.stopped())
            return std::nullopt;
        count_without_work();
        count_products();
        take_steps(m_rows.steps, m_timeline.steps);
        take_steps(m_rows.gpu_steps, m_timeline.gpu_steps);
        m_timeline.collectives = std::move(m_rows.collectives);
        for (Timeline::Collective& c : m_timeline.collectives)
            c.type = m_rules.collective_type(c.name);
        m_timeline.skipped = std::move(m_rows.skipped);
        m_timeline.events_in_file = m_rows.events;
        m_timeline.recording.phases = std::move(m_rows.phases);
        m_timeline.recording.categories = std::move(m_rows.categories);
        return std::move(m_timeline);
    }

private:
    [[nodiscard]] std::int64_t first_step() const
    {
        std::int64_t first = std::numeric_limits<std::int64_t>::max();
        for (const auto& s : m_rows.steps)
            first = std::min(first, s.ts);
        return m_rows.steps.empty() ? 0 : first;
    }

    // Distinct raw names can be the same text once escapes are resolved.
    void name_kernels()
    {
        std::unordered_map<std::string, std::uint32_t> ids;
        for (const std::string& raw : m_rows.names) {
            std::string text = plain_text(raw);
            const auto [at, fresh] = ids.emplace(text, static_cast<std::uint32_t>(m_timeline.names.size()));
            if (fresh) {
                m_classes.push_back(m_rules.kernel_class(text));
                m_timeline.name_precision.push_back(m_rules.precision(text));
                m_timeline.name_collective.push_back(m_rules.collective_type(text));
                m_timeline.names.push_back(std::move(text));
            }
            m_name_ids.push_back(at->second);
        }
        m_rows.names.clear();
    }

    // False: stopped.
    bool fill_columns()
    {
        Timeline& t = m_timeline;
        const std::size_t n = m_rows.gpu.size();
        t.start_ns.reserve(n);
        t.duration_ns.reserve(n);
        t.name.reserve(n);
        t.kernel_class.reserve(n);
        t.device.reserve(n);
        t.stream.reserve(n);
        t.launch_ns.reserve(n);
        t.collective.reserve(n);
        t.work.resize(n);
        m_operator.assign(n, -1);
        m_reason.assign(n, not_recorded);
        for (std::size_t i = 0; i < n; ++i) {
            if (i % between_looks == 0 && m_progress.stopped())
                return false;
            const GpuRow& r = m_rows.gpu[i];
            const std::uint32_t name = m_name_ids[r.name];
            const KernelClass c = r.category == EventCategory::gpu_copy ? KernelClass::memcpy
                : r.category == EventCategory::gpu_fill                  ? KernelClass::memset
                                                                         : m_classes[name];
            const LaunchRow* launch = m_launches.find(r.correlation);
            t.start_ns.push_back(r.ts - t.origin_ns);
            t.duration_ns.push_back(r.dur);
            t.name.push_back(name);
            t.kernel_class.push_back(c);
            t.device.push_back(r.device);
            t.stream.push_back(r.stream);
            t.launch_ns.push_back(launch ? launch->ts - t.origin_ns : Timeline::no_launch);
            t.collective.push_back(r.collective);
            if (c != KernelClass::memcpy && c != KernelClass::memset)
                link(i, r, c, launch);
        }
        return !m_progress.stopped();
    }

    // Kernel -> External id (its own, or its launch's) -> operator; else the innermost operator around the launch.
    void link(std::size_t i, const GpuRow& r, KernelClass c, const LaunchRow* launch)
    {
        if (m_operators.size() == 0)
            return;
        if (launch && launch->graph) {
            m_reason[i] = in_graph;
            return;
        }
        const std::int64_t external = r.external >= 0 ? r.external : launch ? launch->external : -1;
        std::int32_t op = external >= 0 ? m_operators.with_external(external) : -1;
        const bool direct = op >= 0 && (m_operators.row(op).target == KernelClass::collective) == (c == KernelClass::collective);
        if (!direct)
            op = launch ? m_operators.around(launch->thread, launch->ts, c) : -1;
        if (op < 0)
            return;
        if (c == KernelClass::collective) {
            if (m_timeline.collective[i] < 0)
                m_timeline.collective[i] = m_operators.row(op).collective;
            return;
        }
        m_operator[i] = op;
    }

    // Several kernels of one operator share its work in proportion to their time, so that its sum is kept. Helpers
    // (layout changes, bias copies) take part only if no kernel of the operator's own class was launched.
    void share_work()
    {
        struct Kernels {
            std::int64_t own = 0, all = 0; // how many
            double own_ns = 0, all_ns = 0;
        };
        std::vector<Kernels> of_operator(m_operators.size());
        for (std::size_t i = 0; i < m_operator.size(); ++i)
            if (m_operator[i] >= 0) {
                Kernels& k = of_operator[static_cast<std::size_t>(m_operator[i])];
                const bool own = m_timeline.kernel_class[i] == m_operators.row(m_operator[i]).target;
                ++k.all;
                k.all_ns += static_cast<double>(m_timeline.duration_ns[i]);
                k.own += own;
                k.own_ns += own ? static_cast<double>(m_timeline.duration_ns[i]) : 0.0;
            }
        for (std::size_t i = 0; i < m_operator.size(); ++i) {
            if (m_operator[i] < 0)
                continue;
            const OpRow& op = m_operators.row(m_operator[i]);
            const Kernels& k = of_operator[static_cast<std::size_t>(m_operator[i])];
            if (k.own > 0 && m_timeline.kernel_class[i] != op.target)
                continue;
            if (!op.work.work.known) {
                m_reason[i] = name_of(op.work.gap);
                continue;
            }
            const double total = k.own > 0 ? k.own_ns : k.all_ns;
            const double part = total > 0 ? static_cast<double>(m_timeline.duration_ns[i]) / total : 1.0 / static_cast<double>(k.own > 0 ? k.own : k.all);
            m_timeline.work[i] = {op.work.work.flops * part, op.work.work.bytes * part, true};
        }
    }

    void count_without_work()
    {
        std::map<std::string_view, std::pair<std::int64_t, std::size_t>> counts;
        for (std::size_t i = 0; i < m_timeline.size(); ++i)
            if (computes(m_timeline.kernel_class[i]) && !m_timeline.work[i].known)
                if (auto [at, fresh] = counts.try_emplace(m_reason[i], 0, i); ++at->second.first && fresh)
                    at->second.second = i;
        for (const auto& [reason, found] : counts)
            m_timeline.without_work.push_back({std::string(reason), found.first, m_timeline.names[m_timeline.name[found.second]]});
        std::stable_sort(m_timeline.without_work.begin(), m_timeline.without_work.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    }

    void count_products()
    {
        std::map<std::array<std::int32_t, 3>, std::int64_t> counts;
        constexpr std::size_t most_shapes = 4096; // a network has dozens
        for (std::size_t i = 0; i < m_operators.size(); ++i) {
            const auto& p = m_operators.row(static_cast<std::int32_t>(i)).work.product;
            if (p[0] <= 0)
                continue;
            if (const auto at = counts.find(p); at != counts.end())
                ++at->second;
            else if (counts.size() < most_shapes)
                counts.emplace(p, 1);
        }
        for (const auto& [p, count] : counts)
            m_timeline.products.push_back({p[0], p[1], p[2], count});
        std::stable_sort(m_timeline.products.begin(), m_timeline.products.end(), [](const auto& a, const auto& b) { return a.flops() > b.flops(); });
    }

    // Operators of 2021 stand in for annotations only where there are none.
    void take_steps(std::vector<EventTable::Rows::Step>& from, std::vector<Timeline::Step>& to) const
    {
        const bool annotated = std::any_of(from.begin(), from.end(), [](const auto& s) { return !s.from_op; });
        std::stable_sort(from.begin(), from.end(), [](const auto& a, const auto& b) { return a.ts < b.ts; });
        for (auto& s : from)
            if (!annotated || !s.from_op)
                to.push_back({std::move(s.name), s.ts - m_timeline.origin_ns, s.dur});
    }

    EventTable::Rows m_rows;
    const KernelRules& m_rules;
    const Progress& m_progress;
    Launches m_launches;
    Operators m_operators;
    Timeline m_timeline;
    std::vector<std::uint32_t> m_name_ids; // of raw names
    std::vector<KernelClass> m_classes; // of names
    std::vector<std::int32_t> m_operator; // of each event
    std::vector<std::string_view> m_reason;
};

} // namespace

std::optional<Timeline> assemble(EventTable::Rows rows, const KernelRules& rules, const Progress& progress)
{
    return Assembler(std::move(rows), rules, progress).run();
}

} // namespace ridgepoint
