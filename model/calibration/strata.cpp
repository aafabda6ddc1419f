#include "model/calibration/strata.h"

#include <cmath>

#include <fmt/format.h>

#include "model/calibration/row_models.h"

namespace ridgepoint {

std::string whole_band(double value, const std::vector<int>& edges)
{
    if (std::isnan(value))
        return "not stated";
    int low = 1;
    for (const int edge : edges) {
        if (value <= edge)
            return fmt::format("{} to {}", low, edge);
        low = edge + 1;
    }
    return fmt::format("{} and more", low);
}

std::string message_band(double bytes)
{
    return bytes < 65536 ? "0 to 64 KiB" : bytes < 1048576 ? "64 KiB to 1 MiB" : bytes < 67108864 ? "1 MiB to 64 MiB" : "64 MiB and more";
}

std::string joined(const std::vector<std::string_view>& words)
{
    std::string out;
    for (const std::string_view word : words)
        out += fmt::format("{}{}", out.empty() ? "" : ", ", word);
    return out;
}

std::string sharing_of_heads(double query_heads, double kv_heads)
{
    return kv_heads >= query_heads ? "multi-head" : kv_heads > 1 ? "grouped-query" : "multi-query";
}

std::string fabric_class(std::string_view interconnect)
{
    if (contains_word(interconnect, "EFA"))
        return "EFA";
    if (contains_word(interconnect, "RoCE"))
        return "RoCE";
    if (contains_word(interconnect, "TCPX"))
        return "TCPX";
    const bool switched = contains_word(interconnect, "NVL72");
    if (contains_word(interconnect, "InfiniBand") || contains_word(interconnect, "IB"))
        return switched ? "NVL72 and InfiniBand" : "InfiniBand";
    return contains_word(interconnect, "NV") ? "NVLink" : "not stated";
}

std::string training_style(std::string_view framework, const Layout& layout)
{
    if (contains_word(framework, "JAX"))
        return "JAX";
    return layout.sharding == DataSharding::zero3 || layout.sharding == DataSharding::hsdp ? "FSDP" : "Megatron-style";
}

void state_interval(Prediction& p, const Estimate& e, Scored what)
{
    if (what == Scored::first_token) { // queues make it several times too long or short, so the interval is a factor
        if (e.first_token_error > 0) {
            p.interval_low = p.low / (1.0 + e.first_token_error);
            p.interval_high = p.high * (1.0 + e.first_token_error);
        }
        return;
    }
    const double half = what == Scored::rate && e.serving ? e.rate_error : e.relative_error;
    if (half <= 0 || half >= 1)
        return;
    // A rate's error is that of its time turned round.
    p.interval_low = what == Scored::rate ? p.low / (1.0 + half) : p.low * (1.0 - half);
    p.interval_high = what == Scored::rate ? p.high / (1.0 - half) : p.high * (1.0 + half);
}

} // namespace ridgepoint
