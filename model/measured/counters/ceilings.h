#pragma once
// Measured roofs: rocprof-compute's roofline.csv, the Empirical Roofline Tool's JSON and text, tables of peaks.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_roofline_csv(std::string_view text); // device, HBMBw, MFMABF16Flops ...; columns differ by architecture, case does not count
Expected<Measured> read_roofline_csv(std::string_view text, const std::string& file);

bool is_ert_json(std::string_view text);
Expected<Measured> read_ert_json(std::string_view text, const std::string& file);

bool is_ert_text(std::string_view text); // "  105.34 GFLOPs EMP"
Expected<Measured> read_ert_text(std::string_view text, const std::string& file);

bool is_peaks_csv(std::string_view text); // label, peak_flops, peak_bandwidth
Expected<Measured> read_peaks_csv(std::string_view text, const std::string& file);

} // namespace ridgepoint
