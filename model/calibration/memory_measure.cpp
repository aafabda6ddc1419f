#include "model/calibration/memory_measure.h"

#include "model/calibration/row_models.h"

namespace ridgepoint {

MeasuredMemory measured_memory(const CsvRow& row)
{
    if (contains_word(row.text("notes"), "max allocated"))
        return MeasuredMemory::allocated;
    // Its metrics report torch.cuda.memory_stats "reserved_bytes.all.peak" (torchtitan/metrics.py).
    if (contains_word(row.text("framework"), "torchtitan"))
        return MeasuredMemory::reserved;
    return MeasuredMemory::device;
}

Bytes counted(const StageMemory& peak, MeasuredMemory measure, double fragmentation)
{
    const Bytes allocated = peak.total() - peak.reserve;
    switch (measure) {
    case MeasuredMemory::allocated:
        return allocated;
    case MeasuredMemory::reserved:
        return (1.0 + fragmentation) * allocated;
    case MeasuredMemory::device:
        break;
    }
    return peak.total();
}

Prediction predicted_memory(const CsvRow& row, const Job& job, const Estimate& e, double measured_gib, const std::map<std::string, std::string>& strata)
{
    const MeasuredMemory measure = measured_memory(row);
    const auto gib = [&](const Estimate& of) { return in_gibibytes(counted(of.memory.worst(), measure, job.assumptions.fragmentation)); };
    Prediction p{"mem_gib", measured_gib, gib(e), gib(e), gib(e), strata};
    if (!contains_word(row.text("precision"), "bf16/fp16"))
        return p;
    Job half = job; // fp16 training has no fp32 sums of the gradients
    half.precision.gradients = NumberFormat::bf16;
    if (Expected<Estimate> smaller = estimate(half)) {
        p.low = gib(*smaller);
        if (!e.memory.fits() && smaller->memory.fits())
            p.predicted = p.high = p.low;
    }
    return p;
}

} // namespace ridgepoint
