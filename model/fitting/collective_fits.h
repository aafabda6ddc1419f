#pragma once
// The collective laws of GPUs (inside an NVLink domain) and of fabrics (across domains) refitted to measured collectives.

#include <string>
#include <vector>

#include "model/fitting/law_fit.h"
#include "model/fitting/measurements.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Inside a domain: ring and switch all-reduce, all-gather with reduce-scatter, all-to-all.
void fit_domains(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

// Fabrics in the order in which they are fitted: one with few points stays near the one it is like.
const std::vector<std::string>& fitted_fabrics();
// One fabric: tree, ring, all-to-all and send/recv at once, since all-reduce takes the faster of ring and tree. Reads the
// constants of the domains, and of the fabric it is like, from `specs`. Without rows it follows that fabric.
Status fit_fabric(const std::string& fabric, const std::vector<MeasurementFile>& files, const SpecStore& specs, FittedLaws& out);

// Dispatch and combine of expert-parallel kernels, inside domains and across fabrics.
void fit_domain_exchanges(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);
void fit_fabric_exchanges(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out);

} // namespace ridgepoint
