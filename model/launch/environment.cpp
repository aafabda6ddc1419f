// EFA: awsome-distributed-training, 1.architectures/efa-cheatsheet.md (commit 0610db06); NCCL: its user guide, "Environment
// Variables"; CUDA_DEVICE_MAX_CONNECTIONS and the allocator: the checks of Megatron-LM's validate_args (commit 000c4ac2).

#include "model/launch/environment.h"

namespace ridgepoint {

std::vector<Variable> environment_of(const LaunchContext& c)
{
    std::vector<Variable> out;
    const Layout& l = c.layout();
    const bool training = std::holds_alternative<Training>(c.job.workload);
    const bool several = hosts_of(c.job).count > 1;
    if (several && c.job.cluster.fabric.kind == FabricKind::efa) {
        out.push_back({"FI_PROVIDER", "efa", "libfabric offers EFA alone: a node whose EFA is broken fails instead of falling back to TCP"});
        out.push_back({"FI_EFA_USE_HUGE_PAGE", "0", "data loaders fork; with huge pages the fork can fail for want of memory"});
    }
    if (several)
        out.push_back({"NCCL_SOCKET_IFNAME", "^lo,docker,veth", "the rendezvous of NCCL goes over a real interface, not over loopback or a container bridge"});
    out.push_back({"NCCL_DEBUG", "WARN", "failures say why; INFO also prints which network was chosen"});
    if (!training)
        return out;
    out.push_back({"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1", "a rank that dies ends the job instead of leaving the others waiting"});
    const bool megatron = c.table.framework == LaunchFramework::megatron_lm || c.table.framework == LaunchFramework::megatron_bridge;
    const bool fsdp = sharding_of(c.job) >= DataSharding::zero2 && l.pp == 1;
    if (megatron && !fsdp && (l.tp > 1 || l.cp > 1) && c.job.cluster.accelerator.architecture != Architecture::blackwell)
        out.push_back({"CUDA_DEVICE_MAX_CONNECTIONS", "1", "kernels start in the order of submission, so that communication starts before the product that hides it"});
    if (c.table.framework == LaunchFramework::maxtext)
        return out;
    if (!l.cuda_graphs)
        out.push_back({"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", "less fragmentation; not with CUDA graphs, which Megatron-LM refuses beside it"});
    return out;
}

} // namespace ridgepoint
