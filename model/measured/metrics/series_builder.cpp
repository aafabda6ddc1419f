#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "model/measured/metrics/metric_formats.h"

namespace ridgepoint {
namespace {

// Days from 1970-01-01 to a date of the proleptic Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days_from_civil(std::int64_t y, unsigned m, unsigned d)
{
    y -= m <= 2 ? 1 : 0;
    const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
    const auto yoe = static_cast<unsigned>(y - era * 400);
    const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + static_cast<std::int64_t>(doe) - 719468;
}

bool take_digits(std::string_view& text, std::size_t most, int& value)
{
    std::size_t n = 0;
    value = 0;
    while (n < text.size() && n < most && text[n] >= '0' && text[n] <= '9')
        value = value * 10 + (text[n++] - '0');
    text.remove_prefix(n);
    return n > 0;
}

bool take(std::string_view& text, std::string_view any)
{
    if (text.empty() || any.find(text.front()) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

std::optional<double> epoch_seconds(double v)
{
    if (!(v >= 0) || !std::isfinite(v))
        return std::nullopt;
    return v > 1e17 ? v * 1e-9 : v > 1e14 ? v * 1e-6 : v > 1e11 ? v * 1e-3 : v;
}

std::string key_of(const std::string& name, const std::map<std::string, std::string>& labels)
{
    std::string key = name;
    for (const auto& [label, value] : labels) {
        key += '\1';
        key += label;
        key += '\2';
        key += value;
    }
    return key;
}

} // namespace

bool is_blank_sentinel(std::string_view metric, double value)
{
    // As doubles the int64 sentinels are all 2^63.
    if (value >= 9223372036854775000.0)
        return std::isfinite(value);
    const bool dcgm = metric.starts_with("DCGM_");
    return dcgm && ((value >= 2147483632.0 && value <= 2147483635.0) || (value >= 140737488355328.0 && value <= 140737488355331.0));
}

bool is_counter_name(std::string_view m)
{
    if (m.starts_with("node_amazonefa_"))
        return m != "node_amazonefa_info";
    return m.ends_with("_total") || m.ends_with("_count") || m.ends_with("_bucket") || m == "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" || m == "port_xmit_data" || m == "port_rcv_data";
}

std::optional<double> unix_seconds(std::string_view text)
{
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
        text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
        text.remove_suffix(1);
    double epoch = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), epoch);
    if (!text.empty() && r.ec == std::errc{} && r.ptr == text.data() + text.size())
        return epoch_seconds(epoch);
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (!take_digits(text, 4, year) || !take(text, "-/") || !take_digits(text, 2, month) || !take(text, "-/") || !take_digits(text, 2, day) || month < 1 || month > 12 || day < 1 || day > 31 || year < 1970)
        return std::nullopt;
    double fraction = 0;
    if (take(text, "T ,")) {
        while (take(text, " ")) { }
        if (!take_digits(text, 2, hour) || !take(text, ":") || !take_digits(text, 2, minute))
            return std::nullopt;
        if (take(text, ":") && !take_digits(text, 2, second))
            return std::nullopt;
        if (take(text, ".,"))
            for (double weight = 0.1; !text.empty() && text.front() >= '0' && text.front() <= '9'; weight /= 10) {
                fraction += weight * (text.front() - '0');
                text.remove_prefix(1);
            }
    }
    if (hour > 23 || minute > 59 || second > 60)
        return std::nullopt;
    while (take(text, " ")) { }
    int offset = 0;
    if (text == "Z" || text == "UTC" || text == "GMT" || text.empty()) {
        text = {};
    } else {
        const int sign = text.front() == '-' ? -1 : 1;
        int oh = 0, om = 0;
        if (!take(text, "+-") || !take_digits(text, 2, oh))
            return std::nullopt;
        take(text, ":");
        take_digits(text, 2, om);
        if (!text.empty())
            return std::nullopt;
        offset = sign * (oh * 3600 + om * 60);
    }
    return static_cast<double>(days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day)) * 86400 + hour * 3600 + minute * 60 + second - offset) + fraction;
}

MetricSeries& SeriesBuilder::series(const std::string& name, const std::map<std::string, std::string>& labels)
{
    const auto [at, fresh] = m_index.emplace(key_of(name, labels), m_series.size());
    if (fresh) {
        MetricSeries s;
        s.name = name;
        s.labels = labels;
        s.counter = is_counter_name(name);
        m_series.push_back(std::move(s));
    }
    return m_series[at->second];
}

SeriesBuilder::Outcome SeriesBuilder::add(const std::string& name, const std::map<std::string, std::string>& labels, std::optional<double> time, double value)
{
    MetricSeries& s = series(name, labels);
    if (is_blank_sentinel(name, value))
        return Outcome::blank;
    if (!std::isfinite(value))
        return Outcome::missing;
    if (!s.values.empty() && s.times.empty() != !time)
        return Outcome::duplicate; // with and without a time: cannot be put in order
    if (!time && !s.values.empty())
        return Outcome::duplicate;
    if (time) {
        if (!s.times.empty() && s.times.back() == *time)
            return Outcome::duplicate;
        s.times.push_back(*time);
    }
    s.values.push_back(value);
    return Outcome::kept;
}

MetricSet SeriesBuilder::take()
{
    for (MetricSeries& s : m_series) {
        if (std::is_sorted(s.times.begin(), s.times.end()))
            continue;
        std::vector<std::size_t> order(s.times.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return s.times[a] < s.times[b]; });
        std::vector<double> times, values;
        for (const std::size_t i : order)
            if (times.empty() || times.back() != s.times[i]) {
                times.push_back(s.times[i]);
                values.push_back(s.values[i]);
            }
        s.times = std::move(times);
        s.values = std::move(values);
    }
    m_index.clear();
    return {std::move(m_series)};
}

nlohmann::json metric_facts(const MetricSet& set)
{
    std::set<std::string> names, labels;
    std::size_t samples = 0;
    std::optional<double> first, last;
    std::map<std::string, double> sums;
    for (const MetricSeries& s : set.series) {
        names.insert(s.name);
        for (const auto& [label, value] : s.labels)
            labels.insert(label);
        samples += s.values.size();
        if (!s.times.empty()) {
            first = first ? std::min(*first, s.times.front()) : s.times.front();
            last = last ? std::max(*last, s.times.back()) : s.times.back();
        }
        if (s.name.starts_with("node_amazonefa_") && !s.values.empty())
            sums["sum_" + s.name.substr(15)] += s.values.back();
    }
    nlohmann::json f = {{"n_series", set.series.size()}, {"n_samples", samples}, {"n_metrics", names.size()}, {"metrics", names}, {"labels", labels}};
    if (first) {
        f["first_time_s"] = *first;
        f["last_time_s"] = *last;
    }
    for (const auto& [name, sum] : sums)
        f[name] = sum;
    if (set.series.size() <= 256) {
        nlohmann::json list = nlohmann::json::array();
        for (const MetricSeries& s : set.series) {
            nlohmann::json one = {{"name", s.name}, {"labels", s.labels}, {"n", s.values.size()}, {"counter", s.counter}};
            if (!s.values.empty()) {
                double sum = 0;
                for (const double v : s.values)
                    sum += v;
                one["mean"] = sum / static_cast<double>(s.values.size());
                one["max"] = *std::max_element(s.values.begin(), s.values.end());
                one["last"] = s.values.back();
            }
            list.push_back(std::move(one));
        }
        f["series"] = list;
    }
    return f;
}

Measured metrics_of(std::string_view format, const std::string& file, MetricSet set, std::vector<Skipped> skipped, std::vector<std::string> notes, const nlohmann::json& own_facts)
{
    Measured m;
    m.file = file;
    m.format = std::string(format);
    m.facts = metric_facts(set);
    m.facts.update(own_facts);
    m.content = std::move(set);
    m.skipped = std::move(skipped);
    m.notes = std::move(notes);
    return m;
}

} // namespace ridgepoint
