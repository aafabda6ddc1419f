#pragma once
// specs/efficiency/<gpu>.json -> KernelConstants.

#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/kernels/constants.h"
#include "model/specs/store.h"

namespace ridgepoint {

// `software` names a class of kernels in the file; empty: the file's "default_software". A class states only what
// differs from the default class. A kind of product that neither states falls back: mxfp8 -> fp8_block -> fp8 -> bf16,
// fp4 -> fp8, weight_only -> bf16; a grouped kind -> grouped bf16 -> the plain kind; fp8 attention -> bf16.
Expected<KernelConstants> read_kernel_constants(
    const SpecStore& store, const std::string& efficiency_id, const std::string& software = {});

std::vector<std::string> software_classes(
    const SpecStore& store, const std::string& efficiency_id); // sorted; empty: no such file

} // namespace ridgepoint
