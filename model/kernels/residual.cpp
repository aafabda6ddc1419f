#include "model/kernels/residual.h"

namespace ridgepoint {

Residual read_residual(SpecReader& reader, const std::string& at)
{
    Residual r;
    if (!reader.has(at + "/rows"))
        return r;
    r.rows = reader.whole(at + "/rows", 0, 1'000'000'000);
    r.median = reader.number(at + "/residual_median");
    r.p90 = reader.number(at + "/residual_p90");
    return r;
}

} // namespace ridgepoint
