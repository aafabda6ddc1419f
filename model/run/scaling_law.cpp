#include "model/run/scaling_law.h"

#include <cmath>

namespace ridgepoint {

double ScalingLaw::loss(double parameters, double tokens) const { return floor + a / std::pow(parameters, alpha) + b / std::pow(tokens, beta); }

ComputeOptimum compute_optimum(const ScalingLaw& law, Flops budget)
{
    const double sum = law.alpha + law.beta;
    const double g = std::pow(law.alpha * law.a / (law.beta * law.b), 1.0 / sum);
    ComputeOptimum out;
    out.parameters = g * std::pow(budget.value() / 6.0, law.beta / sum);
    out.tokens = budget.value() / (6.0 * out.parameters);
    out.loss = law.loss(out.parameters, out.tokens);
    return out;
}

} // namespace ridgepoint
