#include <array>

#include "model/trace/timeline.h"

namespace ridgepoint {

std::string_view name_of(KernelClass c)
{
    static constexpr std::array<std::string_view, kernel_class_count> names{
        "gemm", "attention", "norm", "elementwise", "convolution", "optimizer", "collective", "memcpy", "memset", "other"};
    return names[static_cast<std::size_t>(c)];
}

std::string_view name_of(KernelPrecision p)
{
    static constexpr std::array<std::string_view, 9> names{"unknown", "fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "fp4", "int8"};
    return names[static_cast<std::size_t>(p)];
}

std::string_view name_of(CollectiveType t)
{
    static constexpr std::array<std::string_view, 9> names{
        "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "send_recv", "barrier", "other"};
    return names[static_cast<std::size_t>(t)];
}

} // namespace ridgepoint
