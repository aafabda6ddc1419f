#pragma once
// What the two files that JAX and XLA write have in common: devices with lines, of which only the streams are time that
// the GPU spent; lines such as "XLA Ops" and "Framework Name Scope" tell the same time again.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/trace/kernel_rules.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {

// The number in "/device:GPU:3"; -1: no GPU.
int gpu_number(std::string_view plane);
bool is_stream_line(std::string_view line); // "Stream #16(Compute)"

class XlaTimeline {
public:
    // An event of a stream line. Times in picoseconds: sums of facts are theirs, columns have nanoseconds.
    void add(const std::string& device, const std::string& line, std::string_view name, std::int64_t start_ps, std::int64_t duration_ps, std::int64_t correlation, const std::string& place);
    void add_launch(std::int64_t correlation, std::int64_t start_ps) { m_builder.add_launch(correlation, start_ps / 1000); }
    void add_step(std::string name, std::int64_t start_ps, std::int64_t duration_ps) { m_builder.add_step(std::move(name), start_ps / 1000, duration_ps / 1000, true); }
    TimelineBuilder& builder() { return m_builder; }

    // `facts`: what the format adds beside "gpus".
    Timeline build(const KernelRules& rules, nlohmann::json facts);

private:
    struct Device {
        std::vector<std::string> lines;
        std::vector<std::pair<std::int64_t, std::int64_t>> intervals; // ps
        std::int64_t sum_ps = 0;
        std::map<std::string, bool, std::less<>> names;
    };
    TimelineBuilder m_builder;
    std::map<std::string, Device> m_devices;
};

} // namespace ridgepoint
