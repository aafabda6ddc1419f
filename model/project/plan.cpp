#include "model/project/plan.h"

#include <nlohmann/json.hpp>

#include "model/project/field_table.h"

namespace ridgepoint {

std::string workload_kind(const Plan& plan)
{
    if (const auto* t = std::get_if<Training>(&plan.workload))
        return t->kind == TrainingKind::pretraining ? "pretraining" : t->kind == TrainingKind::fine_tuning ? "fine_tuning" : "lora";
    switch (std::get<Serving>(plan.workload).phase) {
    case ServingPhase::prefill:
        return "prefill";
    case ServingPhase::decode:
        return "decode";
    case ServingPhase::serving:
        break;
    }
    return "serving";
}

Plan default_plan(const std::string& kind)
{
    Plan p;
    p.layout.dp = 0;
    Training t;
    if (kind == "fine_tuning" || kind == "lora") {
        t.kind = kind == "lora" ? TrainingKind::lora : TrainingKind::fine_tuning;
        t.global_batch = 128;
    }
    p.workload = t;
    if (kind != "prefill" && kind != "decode" && kind != "serving")
        return p;
    Serving s;
    s.phase = kind == "prefill" ? ServingPhase::prefill : kind == "decode" ? ServingPhase::decode : ServingPhase::serving;
    p.workload = s;
    p.layout.sequence_parallel = false;
    p.layout.sharding = DataSharding::none;
    p.layout.cuda_graphs = true; // serving engines record their decode step
    p.assumptions.framework = Framework::vllm;
    return p;
}

// 16,384 GPUs, 16 Mi tokens per step, tp 8, pp 16, bf16 [The Llama 3 Herd of Models, arXiv:2407.21783, table 4], on the
// instances of 8 x H200 instead of the paper's H100 servers. Batch 2,048 sequences of 8,192 over dp 128: 16 microbatches.
Plan example_plan()
{
    Plan p = default_plan("pretraining");
    p.name = "Llama 3.1 405B pre-training on p5en";
    p.notes = "Main phase of pre-training as in arXiv:2407.21783, table 4, on 2,048 p5en.48xlarge instead of 16,384 H100.";
    p.model = "llama-3.1-405b";
    Training t;
    t.sequence_length = 8192;
    t.global_batch = 2048;
    t.tokens = Tokens{15.6e12};
    p.workload = t;
    p.instance = "p5en.48xlarge";
    p.nodes = 2048;
    p.layout.tp = 8;
    p.layout.pp = 16;
    p.layout.schedule = PipelineSchedule::interleaved;
    p.layout.vpp = 7;
    p.layout.sharding = DataSharding::zero1;
    p.price.utilization = 0.9;
    return p;
}

bool Plan::operator==(const Plan& other) const
{
    for (const FieldEntry& e : field_table())
        if (e.get(*this) != e.get(other))
            return false;
    return snapshots == other.snapshots;
}

} // namespace ridgepoint
