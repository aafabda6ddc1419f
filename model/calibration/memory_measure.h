#pragma once
// What a published memory figure counts. The same run reads 5 to 15 % higher in nvidia-smi than in its allocator.

#include "model/calibration/csv.h"
#include "model/calibration/score.h"
#include "model/estimate/estimate.h"

namespace ridgepoint {

enum class MeasuredMemory : unsigned char {
    allocated, // bytes of live tensors at their peak: torch.cuda.max_memory_allocated
    reserved, // and what the allocator keeps around them: torch.cuda.max_memory_reserved
    device, // and the context and communication buffers: nvidia-smi; what must fit
};

// As the row's notes say; torchtitan logs max_reserved. Device where nothing is said.
MeasuredMemory measured_memory(const CsvRow& row);

// Megatron-DeepSpeed of 2022. Kernels are not loaded lazily yet: the context takes 1.5 GiB. Megatron and DeepSpeed each make
// their own groups, of which NCCL connects about ten: two inside a node with 24 channels, the others across nodes with 8; a
// channel holds three connections (ring, tree) of 9.2 MiB (4 Simple, 4.7 LL128, 0.5 LL) [NCCL 2.10, src/include/devcomm.h]:
// 2 x 24 x 3 x 9.2 + 8 x 8 x 3 x 9.2 MiB = 3 GiB.
inline constexpr Bytes deepspeed_reserve = gibibytes(4.5);

// The part of a predicted peak that such a figure counts.
Bytes counted(const StageMemory& peak, MeasuredMemory measure, double fragmentation);

// A row that does not say whether it trained in fp16 or in bf16 gives a band, unless only fp16 fits: it did run.
Prediction predicted_memory(const CsvRow& row, const Job& job, const Estimate& estimate, double measured_gib,
    const std::map<std::string, std::string>& strata);

} // namespace ridgepoint
