#include "model/measured/training/training_formats.h"

namespace ridgepoint {

std::vector<TextFormat> training_formats()
{
    std::vector<TextFormat> all{event_file_format()};
    for (const auto& family : {record_formats(), step_line_formats(), step_block_formats()})
        all.insert(all.end(), family.begin(), family.end());
    all.push_back(step_table_format());
    return all;
}

} // namespace ridgepoint
