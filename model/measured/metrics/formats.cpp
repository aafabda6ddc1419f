#include "model/measured/metrics/metric_formats.h"
#include "model/measured/tables/table_format.h"

namespace ridgepoint {

std::vector<TextFormat> metric_formats()
{
    std::vector<TextFormat> all{prometheus_answer_format(), prometheus_export_format(), gpu_telemetry_format(), counter_list_format(), exposition_format()};
    for (const TextFormat& f : nvidia_smi_formats())
        all.push_back(f);
    all.push_back(series_csv_format());
    return all;
}

std::vector<TextFormat> table_formats() { return {table_format()}; }

} // namespace ridgepoint
