#include "model/workload/workload.h"

namespace ridgepoint {

std::string_view name_of(TrainingKind k)
{
    switch (k) {
    case TrainingKind::pretraining:
        return "pre-training";
    case TrainingKind::fine_tuning:
        return "fine-tuning";
    case TrainingKind::lora:
        return "LoRA";
    }
    return "training";
}

std::string_view name_of(ServingPhase p)
{
    switch (p) {
    case ServingPhase::prefill:
        return "prefill";
    case ServingPhase::decode:
        return "decode";
    case ServingPhase::serving:
        return "serving";
    }
    return "serving";
}

} // namespace ridgepoint
