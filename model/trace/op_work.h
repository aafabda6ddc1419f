#pragma once
// FLOPs and compulsory bytes of the PyTorch operators that do tensor arithmetic, from the shapes that the profiler
// records (record_shapes=True). Bytes are every input once and the output once: a lower bound of the DRAM traffic.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/trace/timeline.h"

namespace ridgepoint {

// Why the work of an operator is not known.
enum class WorkGap : std::uint8_t { none, no_shapes, data_dependent, no_causal_flag, no_convolution_arguments, unusable_shapes };
std::string_view name_of(WorkGap g);

struct OpWork {
    EventWork work;
    WorkGap gap = WorkGap::none;
    std::array<std::int32_t, 3> product{}; // m, n, k of a single matrix product; zeros: none
};

struct OpRule;
// The rule for an operator by its name ("aten::mm", "flash_attn::_flash_attn_forward"); null if it is none of these.
const OpRule* op_rule(std::string_view name);
KernelClass kernel_class_of(const OpRule& rule); // of the kernels that do the operator's arithmetic
// The arrays as the trace has them: [[64, 128], [128, 32]], ["float", "float"], ["", "True"]. Empty: not recorded.
OpWork work_of(const OpRule& rule, std::string_view dims, std::string_view types, std::string_view concrete);

} // namespace ridgepoint
