#include "model/measured/collectives/inline_json.h"
#include "model/measured/collectives/result_rows.h"
#include "model/measured/collectives/text_table.h"
#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> collective_formats()
{
    return {
        {"nccl-tests JSON", is_nccl_json, read_nccl_json},
        {"rccl-tests JSON", is_rccl_json, read_rccl_json},
        {"CSV of collective results", is_collective_csv, read_collective_csv},
        {"nccl-tests output", is_collective_text, read_collective_text},
    };
}

} // namespace ridgepoint
