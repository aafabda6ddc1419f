#pragma once
// A demand that lasts: how it swings over the day and grows, how much is kept in reserve, and what an API would charge.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

struct Fleet {
    double mean_rate = 10.0; // requests per second, over the first day
    double peak_to_mean = 1.6; // of a sine over the day, 1 to 2
    std::string hours; // instead: relative demand of the 24 hours, "3, 2.5, ..."
    double growth = 0.0; // per month, compound: 0.05 is 5 % more each month
    int months = 12;
    int spare_instances = 1; // N + k: instances that may fail or be updated without harm
    double headroom = 0.2; // share of the largest rate within the limits that stays free at the peak
    bool scale_by_hour = false; // instances follow the demand of the hour; else the peak of the month is paid for all day
    double api_input_per_million = 0.0; // dollars per million tokens; both 0: nothing to compare with
    double api_output_per_million = 0.0;
};

} // namespace ridgepoint
