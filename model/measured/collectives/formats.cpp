#include "model/measured/checked_format.h"
#include "model/measured/collectives/inline_json.h"
#include "model/measured/collectives/result_rows.h"
#include "model/measured/collectives/text_table.h"
#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> collective_formats()
{
    return {
        checked_format<is_nccl_json, read_nccl_json>("nccl-tests JSON"),
        checked_format<is_rccl_json, read_rccl_json>("rccl-tests JSON"),
        checked_format<is_collective_csv, read_collective_csv>("CSV of collective results"),
        checked_format<is_collective_text, read_collective_text>("nccl-tests output"),
    };
}

} // namespace ridgepoint
