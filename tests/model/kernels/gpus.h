#pragma once
// GPUs as the data sheets state them, and the constants of specs/efficiency, for tests of this floor alone.

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "model/hardware/accelerator.h"
#include "model/kernels/read.h"
#include "model/specs/store.h"

namespace ridgepoint::test {

inline Accelerator gpu(const std::string& id)
{
    struct Sheet {
        double bf16, fp8, fp4, hbm_tb;
        int sms;
        double nvlink_gb;
    };
    const Sheet s = id == "a100" ? Sheet{312, 0, 0, 2.039, 108, 300}
        : id == "h100"           ? Sheet{989.5, 1979, 0, 3.35, 132, 450}
        : id == "h200"           ? Sheet{989.5, 1979, 0, 4.8, 132, 450}
        : id == "b300"           ? Sheet{2250, 4500, 13500, 8.0, 148, 900}
        : id == "gb200"          ? Sheet{2500, 5000, 10000, 8.0, 152, 900}
        : id == "gb300"          ? Sheet{2500, 5000, 15000, 8.0, 152, 900}
                                 : Sheet{2250, 4500, 9000, 8.0, 148, 900};
    Accelerator a;
    a.id = id;
    a.peaks[static_cast<std::size_t>(Arithmetic::bf16)].dense = teraflops_per_second(s.bf16);
    a.peaks[static_cast<std::size_t>(Arithmetic::fp8)].dense = teraflops_per_second(s.fp8);
    a.peaks[static_cast<std::size_t>(Arithmetic::fp4)].dense = teraflops_per_second(s.fp4);
    a.hbm_bandwidth = gigabytes_per_second(1000 * s.hbm_tb);
    a.sms = s.sms;
    a.l2 = bytes(id == "a100" ? 40e6 : id[0] == 'h' ? 50e6 : 126e6);
    a.nvlink_per_direction = gigabytes_per_second(s.nvlink_gb);
    a.efficiency_id = id;
    return a;
}

inline void add_efficiency(SpecStore& store, const std::string& id)
{
    const std::string file = std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/efficiency/" + id + ".json";
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const Status s = store.add(SpecKind::efficiency, text, file, "built-in");
    ASSERT_TRUE(s) << s.error().text();
}

inline KernelConstants kernel_constants(const std::string& id, const std::string& software = {})
{
    SpecStore store;
    add_efficiency(store, id);
    Expected<KernelConstants> c = read_kernel_constants(store, id, software);
    EXPECT_TRUE(c) << (c ? "" : c.error().text());
    return c ? *c : KernelConstants{};
}

} // namespace ridgepoint::test
