#include "model/measured/kernel_totals.h"

#include <algorithm>
#include <array>

namespace ridgepoint {

Seconds TotalsReport::total() const
{
    Seconds sum;
    for (const NamedTotal& r : rows)
        sum += r.total;
    return sum;
}

std::int64_t TotalsReport::count() const
{
    std::int64_t n = 0;
    for (const NamedTotal& r : rows)
        n += r.count;
    return n;
}

std::vector<ClassTotal> class_totals(const KernelTotals& totals)
{
    std::array<ClassTotal, kernel_class_count> by_class{};
    for (std::size_t c = 0; c < by_class.size(); ++c)
        by_class[c].kernel_class = static_cast<KernelClass>(c);
    for (const TotalsReport& report : totals.reports)
        if (report.kind == TotalsReport::Kind::kernels || report.kind == TotalsReport::Kind::memory_operations)
            for (const NamedTotal& r : report.rows) {
                ClassTotal& c = by_class[static_cast<std::size_t>(r.kernel_class)];
                c.count += r.count;
                c.sum += r.total;
            }
    std::vector<ClassTotal> out;
    std::copy_if(by_class.begin(), by_class.end(), std::back_inserter(out), [](const ClassTotal& c) { return c.count > 0; });
    std::stable_sort(out.begin(), out.end(), [](const ClassTotal& a, const ClassTotal& b) { return a.sum > b.sum; });
    return out;
}

} // namespace ridgepoint
