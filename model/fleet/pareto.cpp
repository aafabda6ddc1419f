#include <algorithm>

#include "model/fleet/fleet.h"

namespace ridgepoint {
namespace {

// The layout of the plan at another tensor-parallel degree; false if the GPUs do not divide.
bool with_tp(Job& job, int tp)
{
    Layout& l = job.layout;
    if (tp > job.cluster.gpus || job.cluster.gpus % (tp * l.pp) != 0)
        return false;
    if (!l.attention_dp)
        l.ep = std::min(l.ep, tp);
    l.tp = tp;
    l.dp = job.cluster.gpus / (tp * l.pp);
    return true;
}

void mark_front(std::vector<ParetoPoint>& points)
{
    std::vector<ParetoPoint*> by_user;
    for (ParetoPoint& p : points)
        by_user.push_back(&p);
    std::sort(by_user.begin(), by_user.end(), [](const ParetoPoint* a, const ParetoPoint* b) {
        return a->per_user != b->per_user ? a->per_user > b->per_user : a->per_gpu > b->per_gpu;
    });
    TokensPerSecond best;
    for (ParetoPoint* p : by_user) {
        p->front = p->per_gpu > best;
        best = std::max(best, p->per_gpu);
    }
}

} // namespace

std::vector<ParetoPoint> pareto_points(const Job& base, const std::optional<Price>& price, double utilization, const Progress& progress)
{
    std::vector<ParetoPoint> out;
    const auto* serving = std::get_if<Serving>(&base.workload);
    if (serving == nullptr)
        return out;
    for (int tp = 1; tp <= base.cluster.gpus && !progress.stopped(); tp *= 2) {
        Job job = base;
        if (!with_tp(job, tp))
            continue;
        Serving s = *serving;
        s.phase = ServingPhase::serving;
        int largest = 1 << 20;
        for (int concurrency = 1; concurrency <= largest && !progress.stopped(); concurrency *= 2) {
            s.concurrency = concurrency;
            job.workload = s;
            const Expected<Estimate> e = estimate(job);
            if (!e) // fewer sequences than attention groups: more of them may do
                continue;
            largest = std::min(largest, e->serving->largest_batch);
            if (!e->feasible())
                break;
            ParetoPoint p;
            p.tp = tp;
            p.concurrency = concurrency;
            p.per_user = e->serving->output_per_second_per_user;
            p.per_gpu = e->serving->output_per_second_per_gpu;
            p.ttft = e->serving->ttft;
            p.tpot = e->serving->tpot;
            if (price)
                p.per_output_token = cost_of(*e, job, price, utilization).per_output_token_all;
            out.push_back(p);
        }
    }
    mark_front(out);
    return out;
}

} // namespace ridgepoint
