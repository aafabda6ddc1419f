#include "model/measured/counters/ceilings.h"
#include "model/measured/counters/ncu_csv.h"
#include "model/measured/counters/rocprof_csv.h"
#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> counter_formats()
{
    return {
        {"Nsight Compute CSV", is_ncu_csv, read_ncu_csv},
        {"rocprof-compute roofline", is_roofline_csv, read_roofline_csv},
        {"rocprof counters", is_rocprof_csv, read_rocprof_csv},
        {"kernel timings", is_timing_csv, read_timing_csv},
        {"table of peaks", is_peaks_csv, read_peaks_csv},
        {"Empirical Roofline Tool JSON", is_ert_json, read_ert_json},
        {"Empirical Roofline Tool output", is_ert_text, read_ert_text},
    };
}

} // namespace ridgepoint
