#pragma once
// What no measurement tells is derived from the nearest law that one does: kernels of GPUs without tables, FP8 attention,
// send/recv over NVLink, exchanges over older EFA. The ratios are published figures.

#include "model/fitting/efficiency_documents.h"

namespace ridgepoint {

void derive_kernels(EfficiencyDocuments& documents, const Wanted& wanted);
void derive_domains(EfficiencyDocuments& documents, const Wanted& wanted);
void derive_fabrics(EfficiencyDocuments& documents, const Wanted& wanted);
// Only EFA v4 and NDR InfiniBand carry published runs of mixtures of experts; the others take over what those show.
void derive_training(EfficiencyDocuments& documents, const Wanted& wanted);

} // namespace ridgepoint
