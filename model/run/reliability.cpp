#include "model/run/reliability.h"

#include <fmt/format.h>

#include "model/specs/reader.h"

namespace ridgepoint {

Expected<Reliability> read_reliability(const SpecStore& specs, const std::string& instance)
{
    SpecReader spec(specs, SpecKind::instance, instance);
    if (!spec.ok())
        return spec.error();
    Reliability r;
    if (!spec.has("/reliability"))
        return r;
    r.mtbf = spec.quantity<Seconds>("/reliability/mtbf");
    r.low = spec.quantity<Seconds>("/reliability/mtbf_low");
    r.high = spec.quantity<Seconds>("/reliability/mtbf_high");
    if (spec.ok() && !(r.low > Seconds{} && r.low <= r.mtbf && r.mtbf <= r.high))
        spec.fail("/reliability", "the range does not hold the value", fmt::format("{:.6g} to {:.6g} h", r.low.value() / 3600.0, r.high.value() / 3600.0),
            fmt::format("more than 0, and around {:.6g} h", r.mtbf.value() / 3600.0));
    if (!spec.ok())
        return spec.error();
    if (const auto origin = specs.provenance(SpecKind::instance, instance, "/reliability/mtbf")) {
        r.source = origin->source;
        r.date = origin->date;
        r.confidence = origin->confidence;
        r.note = origin->note;
    }
    return r;
}

} // namespace ridgepoint
