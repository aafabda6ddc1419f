#include "model/calibration/kernel_operators.h"

namespace ridgepoint {

OperatorClass operator_class_of(KernelClass c)
{
    switch (c) {
    case KernelClass::gemm:
    case KernelClass::convolution:
        return OperatorClass::gemm;
    case KernelClass::attention:
        return OperatorClass::attention;
    case KernelClass::norm:
    case KernelClass::elementwise:
    case KernelClass::optimizer:
        return OperatorClass::memory;
    case KernelClass::collective:
        return OperatorClass::collective;
    case KernelClass::memcpy:
    case KernelClass::memset:
    case KernelClass::other:
        break;
    }
    return OperatorClass::other;
}

OperatorClass compared_class_of(KernelClass c) { return c == KernelClass::other ? OperatorClass::memory : operator_class_of(c); }

} // namespace ridgepoint
