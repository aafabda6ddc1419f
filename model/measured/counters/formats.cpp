#include "model/measured/checked_format.h"
#include "model/measured/counters/ceilings.h"
#include "model/measured/counters/ncu_csv.h"
#include "model/measured/counters/rocprof_csv.h"
#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> counter_formats()
{
    return {
        checked_format<is_ncu_csv, read_ncu_csv>("Nsight Compute CSV"),
        checked_format<is_roofline_csv, read_roofline_csv>("rocprof-compute roofline"),
        checked_format<is_rocprof_csv, read_rocprof_csv>("rocprof counters"),
        checked_format<is_timing_csv, read_timing_csv>("kernel timings"),
        checked_format<is_peaks_csv, read_peaks_csv>("table of peaks"),
        checked_format<is_ert_json, read_ert_json>("Empirical Roofline Tool JSON"),
        checked_format<is_ert_text, read_ert_text>("Empirical Roofline Tool output"),
    };
}

} // namespace ridgepoint
