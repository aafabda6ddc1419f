#pragma once
// Where data sets, weights and checkpoints lie: the tiers between device memory and the durable copy. Rates that belong
// to an instance (NVMe, EBS, host link) are in Node; here is what the service side allows.

#include <string>

#include "model/units/prices.h"

namespace ridgepoint {

enum class StorageKind : unsigned char { parallel_file_system, object_store, local_nvme, block };

struct StorageTier { // a rate of zero: the tier sets no such limit, or none is published
    std::string id; // "fsx-lustre-persistent2-1000"
    std::string name;
    StorageKind kind = StorageKind::parallel_file_system;
    // Grows with what one provisions: bytes/s per byte.
    Hertz read_per_capacity;
    Hertz write_per_capacity;
    Hertz read_burst_per_capacity; // network side, from cache
    Bytes capacity_step; // sizes come in multiples of this
    BytesPerSecond throughput_step; // tiers sold by throughput instead of capacity
    BytesPerSecond throughput_maximum; // of one file system
    // One client instance.
    BytesPerSecond client_ena; // TCP through ENA
    BytesPerSecond client_efa;
    BytesPerSecond client_gpudirect; // EFA and GPUDirect Storage
    BytesPerSecond per_connection;
    BytesPerSecond drive_read; // local NVMe, one drive
    BytesPerSecond drive_write;
    Seconds first_byte;
    Hertz get_per_prefix; // requests
    Hertz put_per_prefix;
    DollarsPerByteSecond price; // list price of capacity; zero: part of the instance, or not known
    Dollars thousand_puts, thousand_gets;
    bool shares_efa = false; // takes its client rate out of the NICs that collectives use

    [[nodiscard]] BytesPerSecond read_rate(Bytes capacity) const { return capacity * read_per_capacity; }
    [[nodiscard]] BytesPerSecond write_rate(Bytes capacity) const { return capacity * write_per_capacity; }
};

} // namespace ridgepoint
