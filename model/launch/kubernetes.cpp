// The host's script in a ConfigMap, and the job that runs it on every host: a PyTorchJob of the Kubeflow training operator
// (kubeflow.org/v1) or a JobSet (jobset.x-k8s.io/v1alpha2). The script stands in no command line, where Kubernetes would
// replace $(NAME).

#include <algorithm>

#include <fmt/format.h>

#include "model/launch/script.h"

namespace ridgepoint {
namespace {

std::string indented(const std::string& text, int by)
{
    std::string out;
    const std::string pad(static_cast<std::size_t>(by), ' ');
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += end > at ? pad + text.substr(at, end - at) + "\n" : "\n";
        at = end + 1;
    }
    return out;
}

// The pod of one host; `command` starts the script, `env` says which host it is.
std::string pod(const LaunchContext& c, const std::string& name, const char* container, const std::string& command, const std::string& env)
{
    const Hosts h = hosts_of(c.job);
    std::string out = "spec:\n  restartPolicy: Never\n";
    if (!h.instance.empty())
        out += fmt::format("  nodeSelector:\n    node.kubernetes.io/instance-type: {}\n", quoted_text(h.instance));
    out += fmt::format("  containers:\n  - name: {}\n    image: \"IMAGE\" # PLACEHOLDER: an image with the framework, NCCL and the EFA plug-in\n    command: [\"bash\", \"-c\", {}]\n", container, quoted_text(command));
    out += "    workingDir: /workspace # PLACEHOLDER: where the framework lies in the image\n";
    if (!env.empty())
        out += "    env:\n" + indented(env, 4);
    out += "    envFrom:\n    - configMapRef:\n        name: " + name + "-values\n";
    out += fmt::format("    resources:\n      limits:\n        nvidia.com/gpu: {}\n", h.gpus);
    if (h.nics > 0 && h.count > 1)
        out += fmt::format("        vpc.amazonaws.com/efa: {}\n", h.nics);
    out += "    volumeMounts:\n    - {name: launch, mountPath: /launch}\n    - {name: shm, mountPath: /dev/shm}\n";
    out += "  volumes:\n  - name: launch\n    configMap:\n      name: " + name + "\n";
    return out + "  - name: shm # NCCL and data loaders share memory here; the default is 64 MiB\n    emptyDir:\n      medium: Memory\n";
}

std::string config_maps(const std::string& name, const HostScript& script)
{
    std::string out = fmt::format("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  run.sh: |\n{}---\n", name, indented(script.text, 4));
    out += fmt::format("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}-values\ndata:{}\n", name, script.placeholders.empty() ? " {}" : "");
    for (const std::string& p : script.placeholders) {
        const std::size_t colon = p.find(':');
        out += fmt::format("  {}: \"\" # PLACEHOLDER{}\n", p.substr(0, colon), one_line(p.substr(colon)));
    }
    return out + "---\n";
}

std::string pytorch_job(const LaunchContext& c, const std::string& name)
{
    const int hosts = hosts_of(c.job).count;
    const std::string command = "export NODE_RANK=\"$RANK\" HEAD_ADDRESS=\"$MASTER_ADDR\"; exec bash /launch/run.sh"; // set by the operator
    std::string out = fmt::format("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: {}\nspec:\n  runPolicy:\n    cleanPodPolicy: Running\n  pytorchReplicaSpecs:\n", name);
    for (const auto& [role, replicas] : {std::pair{"Master", 1}, {"Worker", hosts - 1}})
        if (replicas > 0)
            out += fmt::format("    {}:\n      replicas: {}\n      restartPolicy: Never\n      template:\n{}", role, replicas, indented(pod(c, name, "pytorch", command, {}), 8));
    return out;
}

std::string jobset(const LaunchContext& c, const std::string& name)
{
    const int hosts = hosts_of(c.job).count;
    const std::string env = fmt::format("- name: NODE_RANK\n  valueFrom:\n    fieldRef:\n      fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']\n- name: HEAD_ADDRESS\n  value: {}\n",
        quoted_text(name + "-hosts-0-0." + name));
    return fmt::format("apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: {}\nspec:\n  network:\n    enableDNSHostnames: true\n  replicatedJobs:\n  - name: hosts\n    replicas: 1\n"
                       "    template:\n      spec:\n        parallelism: {}\n        completions: {}\n        completionMode: Indexed\n        backoffLimit: 0\n        template:\n{}",
        name, hosts, hosts, indented(pod(c, name, "host", "exec bash /launch/run.sh", env), 10));
}

} // namespace

std::string kubernetes_objects(const LaunchContext& c, const HostScript& script, LaunchForm form, const std::string& suffix)
{
    const std::string name = label_of(c.plan.name) + suffix;
    return comments(c, script) + config_maps(name, script) + (form == LaunchForm::pytorch_job ? pytorch_job(c, name) : jobset(c, name));
}

} // namespace ridgepoint
