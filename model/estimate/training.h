#pragma once
// A training step, with every intermediate value that explains it. Private to the estimate floor.

#include <vector>

#include "model/estimate/estimate.h"
#include "model/estimate/layer_passes.h"
#include "model/memory/states.h"
#include "model/operators/layer.h"
#include "model/parallelism/stages.h"
#include "model/schedule/data_parallel.h"
#include "model/schedule/layer_time.h"
#include "model/schedule/pipeline.h"

namespace ridgepoint {

struct TrainingDetail {
    std::vector<StageContent> stages;
    int microbatches = 0;
    std::vector<PassTimes> kinds; // by Transformer::kinds
    PassTimes embedding, head;
    std::vector<AttributedTime> stage_times; // one microbatch: forward + recompute + backward
    int slowest_stage = 0;
    AttributedTime send; // one message between stages
    PipelineTime pipeline;
    DataParallelTraffic replicated; // ZeRO-0..2
    AttributedTime reduce_exposed, gather_exposed, hsdp;
    AttributedTime optimizer;
    AttributedTime straggler;
    Flops executed; // hardware FLOPs of the whole job and step
    Estimate estimate;
};

TrainingDetail train(const Job& job, const Training& workload);
// The same numbers without operators, executed FLOPs and what follows from them; layers come from the memo.
TrainingDetail train_quickly(const Job& job, const Training& workload, LayerPassMemo& memo);

} // namespace ridgepoint
