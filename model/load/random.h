#pragma once
// Random numbers that are the same on every machine: the engine is defined bit by bit by the standard, the distributions
// of the standard library are not, so these are written out.

#include <cstdint>
#include <random>

namespace ridgepoint {

// Of the standard normal distribution; 0 < p < 1. Error below 1.2e-9 of the value (Acklam's rational approximation).
double normal_quantile(double p);

class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t stream);
    double uniform(); // in [0, 1), 53 bits
    double exponential(); // mean 1
    std::uint64_t below(std::uint64_t n); // 0 .. n - 1

private:
    std::mt19937_64 m_engine;
};

} // namespace ridgepoint
