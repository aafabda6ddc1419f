#pragma once
// How large a model and how many tokens a budget of FLOPs is best spent on: L(N, T) = E + A / N^a + B / T^b with C = 6 N T.
// An aid for sizing: fitted to decoder-only transformers of 70 M to 16 B parameters on web text; another tokenizer, data or
// architecture has other constants.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

struct ScalingLaw {
    const char* name;
    const char* source;
    double floor, a, alpha, b, beta;

    [[nodiscard]] double loss(double parameters, double tokens) const; // nats per token
};

// Hoffmann et al., approach 3.
inline constexpr ScalingLaw chinchilla = {"Chinchilla", "Hoffmann et al. 2022, arXiv:2203.15556, approach 3, equation 10", 1.69, 406.4, 0.34, 410.7, 0.28};
// The same data fitted again; the published fit's own intervals do not hold its data.
inline constexpr ScalingLaw chinchilla_refit = {"Chinchilla, refitted", "Besiroglu et al. 2024, arXiv:2404.10102", 1.8172, 482.01, 0.3478, 2085.43, 0.3658};

struct ComputeOptimum {
    double parameters = 0;
    double tokens = 0;
    double loss = 0;
};
// N = G (C/6)^(b/(a+b)), T = C/(6N), G = (a A / (b B))^(1/(a+b)) [Hoffmann 2022, equation 4].
ComputeOptimum compute_optimum(const ScalingLaw& law, Flops budget);

} // namespace ridgepoint
