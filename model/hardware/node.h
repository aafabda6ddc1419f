#pragma once
// What one rents: an instance type (or a DGX/HGX server, or an UltraServer) and the fabric it hangs on.

#include <string>
#include <vector>

#include "model/hardware/accelerator.h"

namespace ridgepoint {

enum class FabricKind : unsigned char { none, efa, infiniband, ethernet, omni_path };

// A network between nodes (specs/fabrics/*.json). Measured constants of collectives live in specs/efficiency/.
struct Fabric {
    std::string id; // "efa-v3"
    std::string name;
    FabricKind kind = FabricKind::none;
    Seconds latency; // one way, end point to end point, small message, as NCCL sees it
    std::string efficiency_id; // which constants of specs/efficiency/ apply
};

struct Node {
    std::string id; // "p5en.48xlarge"
    std::string name;
    std::string vendor; // "aws" or "generic"
    std::string accelerator_id;
    int accelerators = 0; // GPUs per node
    int nvlink_domain = 1; // GPUs that reach each other by NVLink; can exceed `accelerators` only in an UltraServer
    bool nvlink_sharp = false; // NVSwitch can reduce (NVLS)
    bool gpudirect_rdma = true; // NIC reads device memory without a bounce through the host
    std::string fabric_id; // empty: the node stands alone
    int nics = 0; // that carry GPU traffic
    BytesPerSecond nic_rate; // each, one way
    BytesPerSecond host_link_per_direction; // per GPU as this host allows (PCIe generation of the board)
    int vcpus = 0;
    Bytes host_memory;
    int nvme_drives = 0;
    Bytes nvme_drive_size;
    BytesPerSecond nvme_read; // all drives together; zero: not published
    BytesPerSecond ebs_bandwidth;
    Watts system_power; // the whole node at full load; zero: not published

    [[nodiscard]] BytesPerSecond network_per_node() const { return nic_rate * static_cast<double>(nics); } // one way
    [[nodiscard]] BytesPerSecond network_per_accelerator() const // one way
    {
        return accelerators > 0 ? network_per_node() / static_cast<double>(accelerators) : BytesPerSecond{};
    }
};

// A number of equal nodes, with their parts resolved.
struct Cluster {
    Node node;
    Accelerator accelerator;
    Fabric fabric;
    int nodes = 1;
    int gpus = 0; // used; at most nodes * node.accelerators

    [[nodiscard]] int gpus_per_node() const { return node.accelerators; }
};

} // namespace ridgepoint
