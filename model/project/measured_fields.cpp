// Factors that `calibrate` fitted to the user's own measurements.

#include "model/project/field_builders.h"

namespace ridgepoint {

void add_measured_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const About& a) { return field_of("Calibration", a); };
    const auto of_factor = [](MeasuredPart part) { return [part](Plan& p) -> double* { return &p.measured.of(part); }; };
    const auto text = [](std::string MeasuredFactors::*member) { return [member](Plan& p) -> std::string* { return &(p.measured.*member); }; };
    table.push_back(text_entry(about({"/measured/gpu", "Measured on", "", 0, 200,
        "Efficiency id of the GPU that was measured (h100, b200); the factors change nothing on others. Empty: nothing was measured.", "nothing measured"}),
        FieldType::text, text(&MeasuredFactors::gpu)));
    table.push_back(text_entry(about({"/measured/fabric", "Over", "", 0, 200,
        "Efficiency id of the fabric that was measured (efa-v3), for the network's factor.", "nothing measured"}), FieldType::text, text(&MeasuredFactors::fabric)));
    static constexpr const char* default_source = "1: as the laws of specs/efficiency say";
    table.push_back(number_entry(about({"/measured/products", "Matrix products", "", 0.1, 10,
        "Measured over predicted time of matrix products.", default_source}), of_factor(MeasuredPart::products)));
    table.push_back(number_entry(about({"/measured/attention", "Attention", "", 0.1, 10,
        "Measured over predicted time of attention.", default_source}), of_factor(MeasuredPart::attention)));
    table.push_back(number_entry(about({"/measured/memory", "Memory-bound kernels", "", 0.1, 10,
        "Measured over predicted time of norms, activations and other memory-bound kernels.", default_source}), of_factor(MeasuredPart::memory)));
    table.push_back(number_entry(about({"/measured/domain", "Collectives over NVLink", "", 0.1, 10,
        "Measured over predicted time of collectives inside the NVLink domain.", default_source}), of_factor(MeasuredPart::domain)));
    table.push_back(number_entry(about({"/measured/network", "Collectives over the network", "", 0.1, 10,
        "Measured over predicted time of collectives between NVLink domains.", default_source}), of_factor(MeasuredPart::network)));
    table.push_back(number_entry(about({"/measured/per_step_ms", "Time beside the work", "ms", 0, 100'000,
        "Added to each step: data loading, logging, scheduling.", "none beside the framework's own"}),
        [](Plan& p) -> Seconds* { return &p.measured.per_step; }, 1e-3));
    table.push_back(text_entry(about({"/measured/source", "Fitted to", "", 0, 2000, "Files that the factors were fitted to.", "nothing measured"}),
        FieldType::text, text(&MeasuredFactors::source)));
}

} // namespace ridgepoint
