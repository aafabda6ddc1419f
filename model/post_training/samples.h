#pragma once
// The samples of one iteration, and how replicas generate them. Private to the post-training floor.

#include "model/post_training/post_training.h"

namespace ridgepoint {

struct Samples {
    std::vector<RequestLengths> lengths; // a prompt's group stands together
    double total = 0; // tokens of prompts and answers
    double squares = 0; // sum of the squared lengths
    double mean_output = 0;
    int longest_output = 0;
};
Samples draw_samples(const PostTraining& p);

// All samples, dealt to the replicas in groups, each replica until its last one ends.
Expected<Rollout> roll_out(const StepTimes& steps, const Samples& samples, const PostTraining& p, int replicas, const std::stop_token& stop = {});

} // namespace ridgepoint
