#pragma once
// Bars of tqdm and Rich, as PyTorch Lightning, torchtune and others draw them over a training loop.

#include <string_view>

#include "model/measured/training_log.h"

namespace ridgepoint {

// "Epoch 0:  12%|#  | 12/100 [01:10<08:30,  0.17it/s, loss=2.3]", "Epoch 0/9 ---- 12/100 0:01:10 • 0:08:30 0.17it/s loss: 2.3".
// Loaders of weights and others draw such bars too: one of training names an epoch, training or a loss.
bool is_progress_bar(std::string_view line);

// The step, and the seconds of one unless they are known already: a smoothed figure.
void read_progress_bar(std::string_view line, TrainingStep& step);

} // namespace ridgepoint
