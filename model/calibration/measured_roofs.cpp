#include "model/calibration/measured_roofs.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/kernels/kernels.h"
#include "model/measured/delimited_text.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

// "MFMA I8", "INT8", "I32": integer operations.
bool counts_integers(const std::string& name)
{
    const std::string plain = plain_name(name);
    const std::size_t last = plain.rfind('i');
    const bool digits = last != std::string::npos && last + 1 < plain.size() && std::all_of(plain.begin() + static_cast<std::ptrdiff_t>(last) + 1, plain.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits || plain.find("int") != std::string::npos;
}

template<typename Rate>
struct Named {
    std::string name;
    std::vector<Rate> rates; // of the devices
};

template<typename Rate>
void add(std::vector<Named<Rate>>& all, const std::string& name, Rate rate)
{
    auto at = std::find_if(all.begin(), all.end(), [&](const Named<Rate>& n) { return n.name == name; });
    if (at == all.end())
        at = all.insert(all.end(), Named<Rate>{name, {}});
    at->rates.push_back(rate);
}

template<typename Rate>
Rate median_with_detail(std::vector<Rate> rates, std::string& detail)
{
    std::sort(rates.begin(), rates.end());
    if (rates.size() > 1)
        detail = fmt::format("median of {} devices, {} to {}", rates.size(), format(rates.front()), format(rates.back()));
    return rates[rates.size() / 2];
}

} // namespace

std::vector<MeasuredRoof> measured_roofs(const Measured& measured)
{
    std::vector<MeasuredRoof> out;
    const auto* all = std::get_if<std::vector<MeasuredCeilings>>(&measured.content);
    if (all == nullptr)
        return out;
    std::vector<Named<BytesPerSecond>> bandwidths;
    std::vector<Named<FlopPerSecond>> peaks;
    // A table of peaks names what each row is ("theoretical", "empirical"): no devices of one kind.
    const bool rows_differ = std::any_of(all->begin(), all->end(), [](const MeasuredCeilings& c) { return !c.device.starts_with("device "); }) && all->size() > 1;
    for (const MeasuredCeilings& c : *all) {
        const std::string of = rows_differ && !c.device.empty() ? ", " + c.device : std::string();
        for (const auto& b : c.bandwidths)
            add(bandwidths, b.level + of, b.rate);
        for (const auto& p : c.peaks)
            if (!counts_integers(p.name))
                add(peaks, p.name + of, p.rate);
    }
    for (const auto& b : bandwidths) {
        MeasuredRoof& r = out.emplace_back(MeasuredRoof{b.name, measured.file, {}, {}, {}});
        r.bandwidth = median_with_detail(b.rates, r.detail);
    }
    for (const auto& p : peaks) {
        MeasuredRoof& r = out.emplace_back(MeasuredRoof{p.name, measured.file, {}, {}, {}});
        r.peak = median_with_detail(p.rates, r.detail);
    }
    return out;
}

std::vector<MeasuredRoof> calibrated_roofs(const Job& job)
{
    const MeasuredFactors& factors = job.measured;
    if (!factors.any() || factors.gpu.empty() || factors.gpu != job.kernels.gpu)
        return {};
    const Accelerator& gpu = job.cluster.accelerator;
    std::vector<MeasuredRoof> out;
    const auto said = [](double factor) { return fmt::format("times {:.3g} of the laws' time", factor); };
    if (const double f = factors.of(MeasuredPart::products); f != 1.0) {
        GemmShape shape;
        shape.arithmetic = job.precision.gemm;
        shape.b = job.precision.weights;
        const double share = job.kernels.gemm[static_cast<std::size_t>(kind_of(shape))].peak_fraction; // the factor is in it
        out.push_back({"Matrix products as calibrated", factors.source, said(f), {}, share * gpu.dense_peak(job.precision.gemm)});
    }
    if (const double f = factors.of(MeasuredPart::memory); f != 1.0)
        out.push_back({"Device memory as calibrated", factors.source, said(f), job.kernels.memory.bandwidth_fraction * gpu.hbm_bandwidth, {}});
    return out;
}

} // namespace ridgepoint
