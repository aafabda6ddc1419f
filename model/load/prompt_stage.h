#pragma once
// Prompts on their way through the prompt workers of a unit and over the links to its decoding workers. Private to the load floor.

#include "model/load/pools.h"

namespace ridgepoint {

struct PromptPassage { // seconds
    double arrival = 0, taken = 0, computed = 0;
    double ready = 0; // its cache is where it decodes: the first token is out
    double seconds = 0; // of the step that computed it
    double transfer = 0;
    std::size_t worker = 0; // that computed it
    std::size_t index = 0; // of its lengths
};

class PromptStage {
public:
    PromptStage(const PoolTimes& pools, const std::vector<RequestLengths>& lengths, const QueueRules& rules);

    void compute(std::vector<PromptPassage>& prompts); // by time of arrival
    void send(std::vector<PromptPassage>& prompts); // in the order in which they are computed, to the decoding workers in turn
    [[nodiscard]] double busy() const { return m_busy; } // seconds of all workers
    [[nodiscard]] double free_at() const;

private:
    struct Batch {
        std::vector<double> done; // of its prompts, in order: seconds after the start
        double seconds = 0;
    };
    [[nodiscard]] const RequestLengths& length(const PromptPassage& p) const { return m_lengths[p.index % m_lengths.size()]; }
    [[nodiscard]] double cached(const PromptPassage& p) const;
    [[nodiscard]] double work(const PromptPassage& p) const { return length(p).input - cached(p); }
    [[nodiscard]] Batch batch(const std::vector<PromptPassage>& prompts, std::size_t first, double start) const;

    const PoolTimes& m_pools;
    const std::vector<RequestLengths>& m_lengths;
    const QueueRules& m_rules;
    std::vector<double> m_free; // by worker: when it takes the next prompts
    double m_busy = 0;
};

} // namespace ridgepoint
