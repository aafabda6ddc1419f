#include <fmt/format.h>

#include "model/launch/script.h"

namespace ridgepoint {
namespace {

constexpr const char* end_of_host = "RIDGEPOINT_HOST";

} // namespace

// One task a host reads the host's script from standard input, which srun gives to all tasks; nothing must be copied.
std::string slurm_script(const LaunchContext& c, const HostScript& script)
{
    const Hosts h = hosts_of(c.job);
    const bool mpi = c.table.framework == LaunchFramework::tensorrt_llm && h.count > 1; // a rank for every GPU
    std::string out = "#!/bin/bash\n";
    out += fmt::format("#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n#SBATCH --gpus-per-node={}\n#SBATCH --exclusive\n", label_of(c.plan.name), h.count,
        mpi ? h.gpus : 1, h.gpus);
    out += "# PLACEHOLDER: one day is no prediction; set what the queue allows.\n#SBATCH --time=1-00:00:00\n#SBATCH --output=%x-%j.log\n#\n";
    out += comments(c, script);
    out += "set -euo pipefail\nHEAD_ADDRESS=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\"\nexport HEAD_ADDRESS\n\n";
    out += fmt::format("srun --kill-on-bad-exit=1{} bash -s <<'{}'\nexport NODE_RANK=\"$SLURM_NODEID\"\n{}{}\n", mpi ? " --mpi=pmix" : "", end_of_host, script.text, end_of_host);
    return out;
}

} // namespace ridgepoint
