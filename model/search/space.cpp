#include "model/search/space.h"

#include <algorithm>
#include <numeric>

namespace ridgepoint {
namespace {

// One digit of the mixed-radix number, the fastest first.
class Digits {
public:
    explicit Digits(std::uint64_t index) : m_rest(index) {}
    template <typename T> typename std::vector<T>::const_reference of(const std::vector<T>& axis)
    {
        return axis[position(axis.size())];
    }
    std::size_t position(std::size_t size)
    {
        const std::uint64_t digit = m_rest % size;
        m_rest /= size;
        return static_cast<std::size_t>(digit);
    }

private:
    std::uint64_t m_rest;
};

// Calls f with the size of each axis.
template <typename F> void each_axis(const SearchSpace& s, F&& f)
{
    f(s.overlap_param_gather.size());
    f(s.overlap_grad_reduce.size());
    f(s.sharding.size());
    f(s.schedule.size());
    f(s.vpp.size());
    f(s.pp.size());
    f(s.prompt_ep.size());
    f(s.prompt_tp.size());
    f(s.decode_workers.size());
    f(s.prompt_workers.size());
    f(s.concurrency.size());
    f(s.attention_dp.size());
    f(s.cuda_graphs.size());
    f(s.expert_kernels.size());
    f(s.overlap_moe.size());
    f(s.overlap_tp.size());
    f(s.sequence_parallel.size());
    f(s.recompute.size());
    f(s.micro_batch.size());
    f(s.etp.size());
    f(s.ep.size());
    f(s.cp.size());
    f(s.tp.size());
    f(s.recipes.size());
    f(s.clusters.size());
}

std::vector<int> powers_of_two(int most)
{
    std::vector<int> out;
    for (int v = 1; v <= std::max(most, 1); v *= 2)
        out.push_back(v);
    return out;
}

// Divisors of n up to `most`.
std::vector<int> divisors(int n, int most)
{
    std::vector<int> out;
    for (int v = 1; v <= std::min(n, most); ++v)
        if (n % v == 0)
            out.push_back(v);
    return out;
}

template <typename T> void include(std::vector<T>& axis, T value)
{
    if (std::find(axis.begin(), axis.end(), value) == axis.end())
        axis.push_back(value);
}

bool first_of(const std::vector<bool>& axis, bool value) { return axis.front() == value; }

} // namespace

std::uint64_t SearchSpace::points() const
{
    std::uint64_t n = 1;
    each_axis(*this, [&n](std::size_t size) { n *= size; });
    return n;
}

SearchSpace default_space(const Plan& plan, const Job& job)
{
    const Layout& l = plan.layout;
    const auto* training = std::get_if<Training>(&plan.workload);
    const int gpus = job.cluster.gpus;
    const bool moe = job.model.is_moe();
    SearchSpace s;
    s.clusters = {{plan.instance, plan.nodes}};
    s.recipes = {plan.precision.recipe};
    const int heads = job.model.kinds.empty() ? 1 : std::max(1, job.model.kinds.front().attention.heads);
    s.tp = powers_of_two(std::min({job.cluster.node.nvlink_domain, gpus, heads}));
    include(s.tp, l.tp);
    s.ep = moe ? divisors(job.model.moe.experts, std::min(gpus, job.model.moe.experts)) : std::vector<int>{1};
    std::erase_if(s.ep, [](int v) { return (v & (v - 1)) != 0; }); // GPUs come in powers of two
    include(s.ep, l.ep);
    s.pp = divisors(job.model.layer_count(), gpus);
    for (const int p : divisors(gpus, job.model.layer_count())) // 12 stages of 106 layers, where 384 GPUs ask for it
        include(s.pp, p);
    include(s.pp, l.pp);
    std::sort(s.pp.begin(), s.pp.end());
    s.overlap_moe = {l.overlap_moe};
    s.expert_kernels = {l.expert_dispatch_rdma};
    s.cuda_graphs = {l.cuda_graphs};
    s.attention_dp = {l.attention_dp};
    s.concurrency = {1};
    s.cp = {1};
    s.etp = {1};
    s.vpp = {1};
    s.micro_batch = {1};
    s.recompute = {Recompute::none};
    s.schedule = {PipelineSchedule::one_f_one_b};
    s.sharding = {DataSharding::none};
    s.sequence_parallel = {l.sequence_parallel};
    s.overlap_tp = {l.overlap_tp};
    s.overlap_grad_reduce = {l.overlap_grad_reduce};
    s.overlap_param_gather = {l.overlap_param_gather};
    if (!training) {
        const auto& serving = std::get<Serving>(plan.workload);
        s.concurrency = powers_of_two(4096);
        include(s.concurrency, serving.concurrency);
        std::sort(s.concurrency.begin(), s.concurrency.end());
        if (moe)
            s.attention_dp = {false, true};
        const PromptPool& pool = serving.pool;
        s.prompt_workers = {pool.workers};
        s.decode_workers = {pool.decode_workers};
        s.prompt_tp = {pool.tp};
        s.prompt_ep = {pool.ep};
        if (pool.apart) {
            for (std::vector<int>* workers : {&s.prompt_workers, &s.decode_workers}) {
                for (const int n : {1, 2, 3, 4, 6, 8})
                    if (n < gpus)
                        include(*workers, n);
                std::sort(workers->begin(), workers->end());
            }
            s.prompt_tp = powers_of_two(std::min({8, job.cluster.node.nvlink_domain, gpus, heads}));
            include(s.prompt_tp, pool.tp);
        }
        return s;
    }
    s.cp = powers_of_two(std::min(gpus, std::max(1, training->sequence_length / 4096)));
    include(s.cp, l.cp);
    if (moe)
        s.etp = powers_of_two(std::min(job.cluster.node.nvlink_domain, 8));
    s.vpp = powers_of_two(std::min(16, job.model.layer_count()));
    for (const int v : divisors(job.model.layer_count(), 12))
        include(s.vpp, v);
    include(s.vpp, l.vpp);
    std::sort(s.vpp.begin(), s.vpp.end());
    s.micro_batch = powers_of_two(std::min(16, training->global_batch));
    include(s.micro_batch, l.micro_batch);
    s.recompute = {Recompute::none, Recompute::selective, Recompute::norm_activation, Recompute::mlp, Recompute::attention, Recompute::full};
    s.schedule = {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved, PipelineSchedule::zero_bubble, PipelineSchedule::dualpipe};
    s.sharding = {DataSharding::none, DataSharding::zero1, DataSharding::zero2, DataSharding::zero3, DataSharding::hsdp};
    s.sequence_parallel = {true, false};
    s.overlap_tp = {false, true};
    if (moe) {
        s.overlap_moe = {false, true};
        s.expert_kernels = {false, true};
    }
    return s;
}

SearchPoint point_at(const SearchSpace& s, std::uint64_t index, const Layout& plan, const std::vector<int>& gpus)
{
    SearchPoint p;
    p.index = index;
    p.layout = plan;
    Layout& l = p.layout;
    Digits digit(index);
    l.overlap_param_gather = digit.of(s.overlap_param_gather);
    l.overlap_grad_reduce = digit.of(s.overlap_grad_reduce);
    l.sharding = digit.of(s.sharding);
    l.schedule = digit.of(s.schedule);
    l.vpp = digit.of(s.vpp);
    l.pp = digit.of(s.pp);
    p.prompt_ep = digit.of(s.prompt_ep);
    p.prompt_tp = digit.of(s.prompt_tp);
    p.decode_workers = digit.of(s.decode_workers);
    p.prompt_workers = digit.of(s.prompt_workers);
    p.concurrency = digit.of(s.concurrency);
    l.attention_dp = digit.of(s.attention_dp);
    l.cuda_graphs = digit.of(s.cuda_graphs);
    l.expert_dispatch_rdma = digit.of(s.expert_kernels);
    l.overlap_moe = digit.of(s.overlap_moe);
    l.overlap_tp = digit.of(s.overlap_tp);
    l.sequence_parallel = digit.of(s.sequence_parallel);
    l.recompute = digit.of(s.recompute);
    l.micro_batch = digit.of(s.micro_batch);
    l.etp = digit.of(s.etp);
    l.ep = digit.of(s.ep);
    l.cp = digit.of(s.cp);
    l.tp = digit.of(s.tp);
    p.recipe = digit.position(s.recipes.size());
    p.cluster = digit.position(s.clusters.size());
    const long long replica = 1LL * l.tp * l.cp * l.pp;
    const int all = gpus[p.cluster];
    l.dp = replica > 0 && all % replica == 0 ? static_cast<int>(all / replica) : 0;
    return p;
}

bool is_canonical(const Layout& l, const SearchSpace& s, bool training)
{
    if (l.tp == 1 && (!first_of(s.sequence_parallel, l.sequence_parallel) || !first_of(s.overlap_tp, l.overlap_tp)))
        return false;
    if (l.ep == 1 && (!first_of(s.overlap_moe, l.overlap_moe) || !first_of(s.expert_kernels, l.expert_dispatch_rdma)))
        return false;
    if (!training)
        return true;
    if (l.pp == 1 && (l.vpp != s.vpp.front() || l.schedule != s.schedule.front()))
        return false;
    if (l.pp > 1 && l.schedule == PipelineSchedule::interleaved && l.vpp == 1) // is 1F1B
        return std::find(s.schedule.begin(), s.schedule.end(), PipelineSchedule::one_f_one_b) == s.schedule.end();
    if (l.dp * l.cp == 1 && l.expert_dp() <= 1
        && (l.sharding != s.sharding.front() || !first_of(s.overlap_grad_reduce, l.overlap_grad_reduce) || !first_of(s.overlap_param_gather, l.overlap_param_gather)))
        return false;
    return true;
}

bool is_canonical_split(const SearchPoint& p, const SearchSpace& s)
{
    const int common = std::gcd(p.prompt_workers, p.decode_workers);
    const auto has = [](const std::vector<int>& axis, int v) { return std::find(axis.begin(), axis.end(), v) != axis.end(); };
    return common == 1 || !has(s.prompt_workers, p.prompt_workers / common) || !has(s.decode_workers, p.decode_workers / common);
}

} // namespace ridgepoint
