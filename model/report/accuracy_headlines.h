#pragma once
// What the accuracy page, its history and the test of shipped accuracy call the figures: one line a measured quantity,
// and one for each part of it that behaves differently (dense and expert models, one node and many).

#include <string>
#include <vector>

#include "model/calibration/validate.h"

namespace ridgepoint {

struct Headline {
    std::string key; // "training_dense": stable, names a column of the history
    std::string title; // "Training step, dense models"
    std::string short_title; // head of a column of the history; empty: not in the page's table of versions
    bool part = false; // of the line before, so that its rows are counted there
    int rows = 0; // that measure it; of a part: those predicted
    int predicted = 0;
    Score score;
};

// In the order of the page. Lines without a measured row are left out.
std::vector<Headline> headlines(const std::vector<FileValidation>& files);

// "Training step" for the kind "training" and the quantity "step_time_s"; both names where the table has none.
std::string title_of(const std::string& kind, const std::string& quantity);
// Place in the page; quantities that the table does not know come last.
int order_of(const std::string& kind, const std::string& quantity);
// Every key with its short title, in the order of the page.
std::vector<std::pair<std::string, std::string>> headline_keys();

} // namespace ridgepoint
