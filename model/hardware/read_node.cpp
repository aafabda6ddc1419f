#include <utility>

#include <fmt/format.h>

#include "model/hardware/read.h"
#include "model/specs/reader.h"

namespace ridgepoint {
namespace {

constexpr int most_gpus_per_node = 4096;

} // namespace

Expected<Node> read_node(const SpecStore& specs, const std::string& id)
{
    SpecReader spec(specs, SpecKind::instance, id);
    if (!spec.ok())
        return spec.error();
    Node n;
    n.id = id;
    n.name = spec.text("/name");
    n.vendor = spec.text("/vendor");
    n.accelerator_id = spec.text("/accelerator");
    n.accelerators = spec.whole("/accelerators", 1, most_gpus_per_node);
    n.nvlink_domain = spec.whole_or("/nvlink_domain", 1, most_gpus_per_node, 1);
    n.nvlink_sharp = spec.flag_or("/nvlink_sharp", false);
    n.gpudirect_rdma = spec.flag_or("/gpudirect_rdma", true);
    if (spec.has("/network")) {
        n.fabric_id = spec.text("/network/fabric");
        n.nics = spec.whole("/network/nics", 1, 1 << 16);
        n.nic_rate = spec.quantity<BytesPerSecond>("/network/nic_rate");
        if (spec.ok() && n.nic_rate <= BytesPerSecond{})
            spec.fail("/network/nic_rate/value", "too small", "0", "more than 0");
    }
    n.host_link_per_direction = spec.quantity_or<BytesPerSecond>("/host_link_per_direction", {});
    n.vcpus = spec.whole_or("/vcpus", 1, 1 << 20, 0);
    n.host_memory = spec.quantity_or<Bytes>("/host_memory", {});
    n.nvme_drives = spec.whole_or("/nvme/drives", 0, 1 << 16, 0);
    n.nvme_drive_size = spec.quantity_or<Bytes>("/nvme/drive_size", {});
    n.nvme_read = spec.quantity_or<BytesPerSecond>("/nvme/read", {});
    n.ebs_bandwidth = spec.quantity_or<BytesPerSecond>("/ebs_bandwidth", {});
    n.system_power = spec.quantity_or<Watts>("/system_power", {});
    if (spec.ok() && n.nvlink_domain > n.accelerators)
        spec.fail("/nvlink_domain/value", "the NVLink domain is larger than the node", fmt::format("{}", n.nvlink_domain),
            fmt::format("at most {}; describe an UltraServer as one node", n.accelerators));
    if (spec.ok() && n.accelerators % n.nvlink_domain != 0)
        spec.fail("/nvlink_domain/value", "the NVLink domain does not divide the node", fmt::format("{}", n.nvlink_domain),
            fmt::format("a divisor of {}", n.accelerators));
    if (!spec.ok())
        return spec.error();
    return n;
}

Expected<Fabric> read_fabric(const SpecStore& specs, const std::string& id)
{
    SpecReader spec(specs, SpecKind::fabric, id);
    if (!spec.ok())
        return spec.error();
    Fabric f;
    f.id = id;
    f.name = spec.text("/name");
    const std::string kind = spec.text("/kind");
    if (kind == "efa")
        f.kind = FabricKind::efa;
    else if (kind == "infiniband")
        f.kind = FabricKind::infiniband;
    else if (kind == "ethernet")
        f.kind = FabricKind::ethernet;
    else if (kind == "omni-path")
        f.kind = FabricKind::omni_path;
    else if (spec.ok())
        spec.fail("/kind", "unknown kind of fabric", "\"" + kind + "\"", "efa, infiniband, ethernet or omni-path");
    f.latency = spec.quantity<Seconds>("/latency");
    f.efficiency_id = spec.text_or("/efficiency", id);
    if (!spec.ok())
        return spec.error();
    return f;
}

Expected<StorageTier> read_storage(const SpecStore& specs, const std::string& id)
{
    SpecReader spec(specs, SpecKind::storage, id);
    if (!spec.ok())
        return spec.error();
    StorageTier t;
    t.id = id;
    t.name = spec.text("/name");
    const std::string kind = spec.text("/kind");
    if (kind == "parallel-file-system")
        t.kind = StorageKind::parallel_file_system;
    else if (kind == "object-store")
        t.kind = StorageKind::object_store;
    else if (kind == "local-nvme")
        t.kind = StorageKind::local_nvme;
    else if (kind == "block")
        t.kind = StorageKind::block;
    else if (spec.ok())
        spec.fail("/kind", "unknown kind of storage", "\"" + kind + "\"", "parallel-file-system, object-store, local-nvme or block");
    t.read_per_capacity = spec.quantity_or<Hertz>("/read_per_capacity", {});
    t.write_per_capacity = spec.quantity_or<Hertz>("/write_per_capacity", t.read_per_capacity);
    t.read_burst_per_capacity = spec.quantity_or<Hertz>("/read_burst_per_capacity", {});
    t.capacity_step = spec.quantity_or<Bytes>("/capacity_step", {});
    t.throughput_step = spec.quantity_or<BytesPerSecond>("/throughput_step", {});
    t.throughput_maximum = spec.quantity_or<BytesPerSecond>("/throughput_maximum", {});
    t.client_ena = spec.quantity_or<BytesPerSecond>("/client/ena", {});
    t.client_efa = spec.quantity_or<BytesPerSecond>("/client/efa", {});
    t.client_gpudirect = spec.quantity_or<BytesPerSecond>("/client/gpudirect", {});
    t.per_connection = spec.quantity_or<BytesPerSecond>("/client/per_connection", {});
    t.drive_read = spec.quantity_or<BytesPerSecond>("/drive_read", {});
    t.drive_write = spec.quantity_or<BytesPerSecond>("/drive_write", t.drive_read);
    t.price = spec.quantity_or<DollarsPerByteSecond>("/price", {});
    t.thousand_puts = spec.quantity_or<Dollars>("/thousand_puts", {});
    t.thousand_gets = spec.quantity_or<Dollars>("/thousand_gets", {});
    t.first_byte = spec.quantity_or<Seconds>("/first_byte", {});
    t.get_per_prefix = spec.quantity_or<Hertz>("/get_per_prefix", {});
    t.put_per_prefix = spec.quantity_or<Hertz>("/put_per_prefix", {});
    t.shares_efa = spec.flag_or("/shares_efa", false);
    if (!spec.ok())
        return spec.error();
    return t;
}

Expected<Cluster> build_cluster(const SpecStore& specs, const std::string& instance_id, int nodes, int gpus)
{
    if (nodes < 1 || nodes > 1'000'000)
        return bad_input("the number of nodes is out of range", {}, fmt::format("{}", nodes), "1 to 1000000");
    Expected<Node> node = read_node(specs, instance_id);
    if (!node)
        return node.error();
    Expected<Accelerator> accelerator = read_accelerator(specs, node->accelerator_id);
    if (!accelerator) {
        Error e = accelerator.error();
        if (e.place.file.empty()) // unknown id: the mistake is in the instance's file
            e.place = specs.place_of(SpecKind::instance, instance_id, "/accelerator");
        return e;
    }
    Cluster c;
    if (!node->fabric_id.empty()) {
        Expected<Fabric> fabric = read_fabric(specs, node->fabric_id);
        if (!fabric) {
            Error e = fabric.error();
            if (e.place.file.empty())
                e.place = specs.place_of(SpecKind::instance, instance_id, "/network/fabric");
            return e;
        }
        c.fabric = std::move(*fabric);
    } else if (nodes > 1) {
        return bad_input("this type has no network between nodes", specs.place_of(SpecKind::instance, instance_id), fmt::format("{} nodes", nodes), "1 node");
    }
    c.node = std::move(*node);
    c.accelerator = std::move(*accelerator);
    if (c.node.nvlink_domain > 1 && c.accelerator.nvlink_per_direction <= BytesPerSecond{})
        return bad_input("the instance has an NVLink domain, but its GPU has no NVLink", specs.place_of(SpecKind::instance, instance_id, "/nvlink_domain"),
            fmt::format("{}", c.node.nvlink_domain), "1");
    if (c.node.host_link_per_direction <= BytesPerSecond{})
        c.node.host_link_per_direction = c.accelerator.host_link_per_direction;
    c.nodes = nodes;
    const long long all = static_cast<long long>(nodes) * c.node.accelerators;
    if (all > 2'000'000'000LL || gpus < 0 || gpus > all)
        return bad_input("the number of GPUs is out of range", {}, fmt::format("{}", gpus > 0 || gpus < 0 ? gpus : all),
            fmt::format("1 to {} ({} x {} of {}), or 0 for all", all, nodes, c.node.accelerators, instance_id));
    c.gpus = gpus == 0 ? static_cast<int>(all) : gpus;
    return c;
}

namespace {

template <typename Read> Status read_all(const SpecStore& specs, SpecKind kind, Read read)
{
    for (const std::string& id : specs.ids(kind))
        if (const auto value = read(id); !value)
            return value.error();
    return Done{};
}

} // namespace

Status check_hardware(const SpecStore& specs)
{
    if (Status s = read_all(specs, SpecKind::accelerator, [&](const std::string& id) { return read_accelerator(specs, id); }); !s)
        return s;
    if (Status s = read_all(specs, SpecKind::fabric, [&](const std::string& id) { return read_fabric(specs, id); }); !s)
        return s;
    if (Status s = read_all(specs, SpecKind::storage, [&](const std::string& id) { return read_storage(specs, id); }); !s)
        return s;
    return read_all(specs, SpecKind::instance, [&](const std::string& id) { return build_cluster(specs, id, 1); });
}

} // namespace ridgepoint
