#include <algorithm>

#include "model/kernels/kernels.h"

namespace ridgepoint {

AttributedTime expert_layer_time(const ExpertLayerShape& s, const Accelerator& gpu, const KernelConstants& c)
{
    const double local = s.experts / s.expert_parallel;
    if (s.tokens <= 0.0 || local <= 0.0)
        return {};
    const double everywhere = s.tokens * s.top_k;
    const double routed = s.rows > 0.0 ? s.rows : everywhere / s.expert_parallel;

    GemmShape up;
    up.m = routed / local;
    up.n = (s.gated ? 2.0 : 1.0) * s.inter;
    up.k = s.hidden;
    up.groups = local;
    up.touched = s.touched;
    up.arithmetic = s.arithmetic;
    up.a = s.a;
    up.b = s.b;
    up.quantize_a = s.quantize_a;
    up.quantized_rows = s.tokens; // before they are sorted by expert
    GemmShape down = up;
    down.quantized_rows = 0;
    down.n = s.hidden;
    down.k = s.inter;

    // bf16 between the kernels: the activation reads what "up" wrote and writes what "down" reads; the sum reads a row
    // per expert and writes one per token.
    constexpr double bf16 = 2.0;
    const double row = up.n + s.inter + s.hidden;
    double moved = bf16 * (routed * row + s.tokens * s.hidden);
    if (s.masked)
        moved += c.grouped[static_cast<std::size_t>(kind_of(up))].masked_passes * bf16
            * std::max(0.0, everywhere - routed) * row;
    return gemm_time(up, gpu, c) + gemm_time(down, gpu, c) + memory_time(Bytes{moved}, 0.0, gpu, c);
}

} // namespace ridgepoint
