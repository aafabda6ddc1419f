#include "model/calibration/published_deployments.h"

#include <algorithm>
#include <charconv>

#include "model/calibration/row_models.h"

namespace ridgepoint {

int WorkerShape::gpus() const
{
    const std::string_view digits = name.substr(std::min(name.size(), name.find_first_of("0123456789")));
    int n = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), n);
    return n;
}

bool Deployment::runs(int users) const { return std::ranges::find(concurrency, users) != concurrency.end(); }

FoundDeployments find_deployments(const DeploymentQuery& q)
{
    FoundDeployments found;
    std::vector<Deployment> of_version;
    for (const std::span<const DeploymentFamily> families : {published_tensorrt_llm(), published_sglang()})
        for (const DeploymentFamily& f : families) {
            if (!contains_word(q.model, f.model) || q.system != f.system || q.engine != f.engine || q.precision != f.precision)
                continue;
            for (const Deployment& d : f.deployments) {
                found.one_pool |= d.prefill_workers == 0;
                found.one_pool_drafts |= d.prefill_workers == 0 && d.drafted != 0;
                if (d.input != q.input || d.output != q.output || q.users <= 0 || !d.runs(q.users))
                    continue;
                found.matches.push_back(d);
                if (!f.version.empty() && q.version == f.version)
                    of_version.push_back(d);
            }
        }
    if (!of_version.empty())
        found.matches = std::move(of_version);
    return found;
}

} // namespace ridgepoint
