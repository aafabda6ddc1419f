#pragma once
// From a step to a finished training run: what happens around the steps, and how the machines are kept and paid for.

#include <optional>
#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

struct Run {
    // The batch grows from `ramp_batch` to the workload's in steps of `ramp_increment` sequences, each for the same number of
    // samples (Megatron-LM --rampup-batch-size). 0: no ramp.
    int ramp_batch = 0; // sequences
    int ramp_increment = 0; // sequences
    Tokens ramp_tokens; // trained during the ramp
    int evaluate_every = 0; // steps; 0: never
    Tokens evaluation_tokens; // forward only
    // Tokenised training data.
    std::string data_tier = "fsx-lustre-persistent2-250"; // spec id
    Bytes data_capacity; // provisioned; zero: just what the data need
    double bytes_per_token = 4.0;
    // Checkpoints.
    std::string checkpoint_tier = "fsx-lustre-persistent2-1000"; // spec id
    Bytes checkpoint_capacity; // provisioned; zero: just what the kept checkpoints need
    bool asynchronous = true; // only the copy to host memory stops training
    Seconds checkpoint_interval; // zero: the optimum
    Seconds checkpoint_overhead{2.0}; // barriers, metadata
    int checkpoints_kept = 3; // on the tier
    int checkpoints_archived = 10; // in S3, to the end
    // Failures.
    std::optional<double> mtbf_hours; // of one node; none: the instance's
    Seconds detection{120.0};
    Seconds swap{180.0}; // to a spare node
    Seconds replacement{1800.0}; // when no spare is free
    Seconds startup{300.0}; // scheduler, processes, communicators, first step
    int spare_nodes = 0;
    Seconds repair{86400.0}; // until a failed node is a spare again
    // Money and energy.
    Bytes egress;
    std::string support = "none"; // plan in specs/markets
    double tax = 0.0; // of the bill
    double delay_per_day = 0.0; // dollars that a day of delay costs beside the cluster
    double power_cap = 1.0; // of the GPUs' TDP
    double pue = 1.15;
    std::string start; // YYYY-MM-DD; empty: not said
    int seed = 1;
    int samples = 2000; // of the Monte-Carlo run
};

} // namespace ridgepoint
