#include "model/fleet/fleet.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "model/economics/power.h"

namespace ridgepoint {
namespace {

constexpr double hours_per_month = 730.0; // 8760 / 12, as in cost_of
constexpr double instances_looked_at = 1000.0; // for the break-even, or twice the demand if that is more

class Planner {
public:
    Planner(const Job& job, const Estimate& estimate, const LoadPrediction& load, const Fleet& fleet, const std::optional<Price>& price, const std::array<double, 24>& shape)
        : m_job(job)
        , m_load(load)
        , m_fleet(fleet)
        , m_price(price)
        , m_shape(shape)
        , m_activity(activity_of(estimate.time))
    {
    }

    FleetPrediction run()
    {
        const int gpus = m_load.gpus_per_replica;
        const int per_instance = std::max(1, m_job.cluster.node.accelerators);
        m_out.rate_per_replica = m_load.at_limits->rate / m_load.replicas;
        m_out.planned_rate_per_replica = m_out.rate_per_replica * (1.0 - m_fleet.headroom);
        m_out.replicas_per_instance = per_instance / gpus;
        m_out.instances_per_replica = (gpus + per_instance - 1) / per_instance;
        m_out.mean_input = m_load.mean_input;
        m_out.mean_output = m_load.mean_output * m_load.samples;
        m_out.prefill_share = m_load.at_limits->prefill_share;
        for (int h = 0; h < 24; ++h)
            m_out.day.push_back(hour(m_fleet.mean_rate, h));
        double input = 0.0, output = 0.0;
        Joules energy;
        for (int m = 0; m < m_fleet.months; ++m) {
            m_out.months.push_back(month(m));
            input += m_out.months.back().input_tokens;
            output += m_out.months.back().output_tokens;
            energy += m_out.months.back().energy;
        }
        m_out.energy_per_token = energy / Tokens{input + output};
        if (m_price)
            price_tokens(input, output);
        compare_with_api(input, output);
        return std::move(m_out);
    }

private:
    [[nodiscard]] int instances_for(double rate) const
    {
        const double replicas = std::ceil(rate / m_out.planned_rate_per_replica - 1e-9);
        const double n = m_out.replicas_per_instance > 0 ? std::ceil(replicas / m_out.replicas_per_instance) : replicas * m_out.instances_per_replica;
        return static_cast<int>(std::min(n, 1e8)) + m_fleet.spare_instances;
    }

    [[nodiscard]] int peak_instances(double mean) const { return instances_for(mean * *std::max_element(m_shape.begin(), m_shape.end())); }

    [[nodiscard]] FleetHour hour(double mean, int h) const
    {
        FleetHour out;
        out.rate = mean * m_shape[static_cast<std::size_t>(h)];
        out.instances = instances_for(out.rate);
        const int running = m_fleet.scale_by_hour ? out.instances : peak_instances(mean);
        const double per_instance = m_out.replicas_per_instance > 0 ? m_out.replicas_per_instance : 1.0 / m_out.instances_per_replica;
        const double sustained = running * per_instance * m_load.largest_rate / m_load.replicas;
        out.utilization = std::min(1.0, out.rate / sustained);
        // Busy power for the share of the time that the load would take at full throughput, idle power for the rest.
        const Watts busy = node_power(m_job.cluster.node, m_job.cluster.accelerator, m_activity);
        const Watts idle = node_power(m_job.cluster.node, m_job.cluster.accelerator, 0.0);
        out.power = (busy * out.utilization + idle * (1.0 - out.utilization)) * running * power_usage_effectiveness;
        return out;
    }

    [[nodiscard]] double instance_hours(double mean) const // of a month
    {
        if (!m_fleet.scale_by_hour)
            return peak_instances(mean) * hours_per_month;
        double sum = 0.0;
        for (const double share : m_shape)
            sum += instances_for(mean * share);
        return sum * hours_per_month / 24.0;
    }

    [[nodiscard]] DollarsPerSecond instance_price() const { return m_price->per_gpu * static_cast<double>(m_job.cluster.node.accelerators); }

    [[nodiscard]] FleetMonth month(int m) const
    {
        FleetMonth out;
        out.month = m;
        out.mean_rate = m_fleet.mean_rate * std::pow(1.0 + m_fleet.growth, m);
        out.peak_rate = out.mean_rate * *std::max_element(m_shape.begin(), m_shape.end());
        out.instances = instances_for(out.peak_rate);
        out.instance_hours = instance_hours(out.mean_rate);
        if (m_price)
            out.cost = instance_price() * hours(out.instance_hours);
        for (int h = 0; h < 24; ++h)
            out.energy += hour(out.mean_rate, h).power * hours(hours_per_month / 24.0);
        const double requests = out.mean_rate * hours_per_month * 3600.0;
        out.input_tokens = requests * m_out.mean_input;
        out.output_tokens = requests * m_out.mean_output;
        return out;
    }

    void price_tokens(double input, double output)
    {
        Dollars sum;
        for (const FleetMonth& m : m_out.months)
            sum += *m.cost;
        m_out.cost = sum;
        m_out.per_input_token = sum * m_out.prefill_share / Tokens{input};
        m_out.per_output_token = sum * (1.0 - m_out.prefill_share) / Tokens{output};
    }

    void compare_with_api(double input, double output)
    {
        const double in = m_fleet.api_input_per_million, out = m_fleet.api_output_per_million;
        if (in <= 0.0 && out <= 0.0)
            return;
        m_out.api_cost = Dollars{(input * in + output * out) / 1e6};
        if (!m_price)
            return;
        const double per_request = (m_out.mean_input * in + m_out.mean_output * out) / 1e6;
        // The bill is constant between the rates at which an instance is added, the API's rises with the rate: within each
        // interval the fleet wins from bill / price on. Downwards to the last interval in which it loses.
        double high = std::max(2.0 * m_fleet.mean_rate, instances_looked_at * step_rate());
        while (high > 0.0) {
            const double wins_from = (instance_price() * hours(instance_hours(high))).value() / (per_request * hours_per_month * 3600.0);
            const double low = interval_below(high);
            if (wins_from > high)
                return; // m_out.break_even_rate as the intervals above left it
            m_out.break_even_rate = std::max(wins_from, low);
            if (wins_from > low)
                return;
            high = low;
        }
    }

    [[nodiscard]] double step_rate() const { return m_out.planned_rate_per_replica * std::max(1, m_out.replicas_per_instance); } // of one more instance or replica

    // The largest mean rate below `rate` at which some hour needs one instance less.
    [[nodiscard]] double interval_below(double rate) const
    {
        const double peak = *std::max_element(m_shape.begin(), m_shape.end());
        double low = 0.0;
        for (const double share : m_shape)
            if (share > 0.0 && (m_fleet.scale_by_hour || share == peak))
                low = std::max(low, (std::ceil(rate * share / step_rate() - 1e-9) - 1.0) * step_rate() / share);
        return low < rate * (1.0 - 1e-9) ? low : 0.0;
    }

    const Job& m_job;
    const LoadPrediction& m_load;
    const Fleet& m_fleet;
    const std::optional<Price>& m_price;
    const std::array<double, 24> m_shape;
    const double m_activity;
    FleetPrediction m_out;
};

} // namespace

Expected<std::array<double, 24>> day_shape(const Fleet& fleet)
{
    const auto wrong = [&](const std::string& message) {
        return bad_input(message, Place{{}, 0, "/fleet/hours"}, fleet.hours, "24 numbers with commas between, at least one above 0");
    };
    std::array<double, 24> out{};
    std::size_t count = 0;
    double sum = 0.0;
    std::string_view rest = fleet.hours;
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" ,"), rest.size()));
        if (rest.empty())
            break;
        double v = 0.0;
        const auto [stopped, error] = std::from_chars(rest.data(), rest.data() + rest.size(), v);
        if (error != std::errc{} || !(v >= 0.0 && v <= 1e12))
            return wrong("an hour's demand is not a number");
        if (count == out.size())
            return wrong("a day has 24 hours");
        out[count++] = v;
        rest.remove_prefix(static_cast<std::size_t>(stopped - rest.data()));
    }
    for (std::size_t h = 0; h < 24; ++h) {
        if (count == 0)
            out[h] = 1.0 + (fleet.peak_to_mean - 1.0) * std::cos((static_cast<double>(h) - 14.0) * std::numbers::pi / 12.0);
        sum += out[h];
    }
    if (count != 0 && count != 24)
        return wrong("a day has 24 hours");
    if (!(sum > 0.0))
        return wrong("the hours of the day hold no demand");
    for (double& v : out)
        v *= 24.0 / sum;
    return out;
}

Expected<FleetPrediction> plan_fleet(const Job& job, const Estimate& estimate, const LoadPrediction& load, const Fleet& fleet, const std::optional<Price>& price)
{
    if (!load.at_limits)
        return infeasible(fmt::format("Even an idle replica breaks the {} limit: no number of instances helps", load.limited_by), "Raise the limit, raise tp or take a faster GPU");
    const Expected<std::array<double, 24>> shape = day_shape(fleet);
    if (!shape)
        return shape.error();
    return Planner(job, estimate, load, fleet, price, *shape).run();
}

} // namespace ridgepoint
