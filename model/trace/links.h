#pragma once
// What a kernel is linked to: the call that launched it, and the operator that call belongs to.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/trace/event_table.h"
#include "model/trace/stoppable_sort.h"

namespace ridgepoint {

constexpr std::size_t between_looks = 1U << 15; // rows between two looks at the request to stop

// Launches by correlation; the first of several counts.
class Launches {
public:
    Launches(RowTable<LaunchRow> rows, const Progress& progress) : m_rows(std::move(rows))
    {
        sort_stoppably(
            m_rows, [](const LaunchRow& a, const LaunchRow& b) { return a.correlation != b.correlation ? a.correlation < b.correlation : a.ts < b.ts; }, progress);
    }
    [[nodiscard]] const LaunchRow* find(std::int64_t correlation) const
    {
        const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), correlation, [](const LaunchRow& r, std::int64_t c) { return r.correlation < c; });
        return at != m_rows.end() && at->correlation == correlation ? &*at : nullptr;
    }

private:
    RowTable<LaunchRow> m_rows;
};

// Operators by their External id, and by where a call stands inside them on its thread.
class Operators {
public:
    Operators(RowTable<OpRow> rows, const Progress& progress) : m_rows(std::move(rows))
    {
        const auto less = [](const OpRow& a, const OpRow& b) {
            return a.thread != b.thread ? a.thread < b.thread : a.ts != b.ts ? a.ts < b.ts : a.dur > b.dur;
        };
        if (!sort_stoppably(m_rows, less, progress))
            return;
        m_parent.assign(m_rows.size(), -1);
        std::vector<std::int32_t> open;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (i % between_looks == 0 && progress.stopped())
                return;
            while (!open.empty() && (row(open.back()).thread != m_rows[i].thread || end(row(open.back())) <= m_rows[i].ts))
                open.pop_back();
            m_parent[i] = open.empty() ? -1 : open.back();
            open.push_back(static_cast<std::int32_t>(i));
            if (m_rows[i].external >= 0)
                m_by_external.emplace_back(m_rows[i].external, static_cast<std::int32_t>(i));
        }
        sort_stoppably(m_by_external, [](const auto& a, const auto& b) { return a.first < b.first; }, progress);
    }
    [[nodiscard]] const OpRow& row(std::int32_t i) const { return m_rows[static_cast<std::size_t>(i)]; }
    [[nodiscard]] std::size_t size() const { return m_rows.size(); }

    [[nodiscard]] std::int32_t with_external(std::int64_t external) const
    {
        const auto at = std::lower_bound(m_by_external.begin(), m_by_external.end(), external, [](const auto& a, std::int64_t id) { return a.first < id; });
        return at == m_by_external.end() || at->first != external ? -1 : at->second;
    }
    // The innermost operator for kernels of this class around the instant.
    [[nodiscard]] std::int32_t around(std::uint32_t thread, std::int64_t ts, KernelClass target) const
    {
        const auto after = std::upper_bound(m_rows.begin(), m_rows.end(), std::pair{thread, ts},
            [](const auto& at, const OpRow& r) { return at.first != r.thread ? at.first < r.thread : at.second < r.ts; });
        if (after == m_rows.begin())
            return -1;
        auto i = static_cast<std::int32_t>(after - m_rows.begin() - 1);
        for (int climbed = 0; i >= 0 && climbed < 64; ++climbed) {
            const OpRow& r = row(i);
            if (r.thread != thread)
                return -1;
            if (end(r) >= ts && r.target == target)
                return i;
            i = m_parent[static_cast<std::size_t>(i)];
        }
        return -1;
    }

private:
    static std::int64_t end(const OpRow& r) { return r.ts + r.dur; }

    RowTable<OpRow> m_rows;
    std::vector<std::int32_t> m_parent;
    RowTable<std::pair<std::int64_t, std::int32_t>> m_by_external; // sorted; of equal ones the first counts
};

} // namespace ridgepoint
