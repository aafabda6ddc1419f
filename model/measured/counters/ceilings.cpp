#include "model/measured/counters/ceilings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

bool positive(const std::optional<double>& v) { return v && *v > 0 && std::isfinite(*v); }

std::vector<std::string> header_of(std::string_view text, char& separator)
{
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
    const std::string_view line = trimmed(text.substr(0, std::min(text.find('\n'), std::size_t{1} << 20)));
    separator = separator_of(line);
    std::vector<std::string> header;
    DelimitedText(line, separator).next(header);
    return header;
}

// "MFMABF16Flops" -> {"MFMABF16", false}, "HBMBw" -> {"HBM", true}; empty: a bound, another column.
std::pair<std::string, bool> roof_of(const std::string& column)
{
    const std::string plain = plain_name(column);
    // "MFMA_FLOPs_F6F4" of some releases is "MFMAF6F4Flops" of the others.
    if (const auto flops = plain.find("flops"); plain.starts_with("mfmaflops") && plain.size() > flops + 5 && !plain.ends_with("low") && !plain.ends_with("high"))
        return {"MFMA" + plain.substr(flops + 5), false};
    for (const char* end : {"bw", "flops", "ops", "flop"})
        if (plain.ends_with(end) && plain.size() > std::string_view(end).size())
            return {column.substr(0, column.size() - std::string_view(end).size()), std::string_view(end) == "bw"};
    return {};
}

// "MFMABF16" -> "MFMA BF16".
std::string spoken(const std::string& name) { return name.starts_with("MFMA") && name.size() > 4 ? "MFMA " + name.substr(4) : name; }

Expected<Measured> ceilings_measured(std::vector<MeasuredCeilings> all, json facts, const std::string& file, const char* format, std::vector<Skipped> skipped, std::vector<std::string> notes)
{
    std::erase_if(all, [](const MeasuredCeilings& c) { return c.bandwidths.empty() && c.peaks.empty(); });
    if (all.empty())
        return bad_input("a table of roofs without a single figure", Place{file, 0, {}}, {}, "bandwidths or peaks");
    Measured m;
    m.file = file;
    m.format = format;
    m.facts = std::move(facts);
    m.skipped = std::move(skipped);
    m.notes = std::move(notes);
    m.content = std::move(all);
    return m;
}

// [[level, GB/s]] of an ERT section.
std::vector<std::pair<std::string, double>> ert_pairs(const json& section, std::vector<Skipped>& skipped, const std::string& place)
{
    std::vector<std::pair<std::string, double>> out;
    if (!section.is_object() || !section.contains("data") || !section["data"].is_array())
        return out;
    std::size_t index = 0;
    for (const json& entry : section["data"]) {
        const std::string at = fmt::format("{}/data/{}", place, index++);
        const auto v = entry.is_array() && entry.size() >= 2 ? number_of(entry[1]) : std::nullopt;
        if (!positive(v) || !entry[0].is_string())
            skip(skipped, "entry that is no pair of a name and a positive number", at);
        else
            out.emplace_back(entry[0].get<std::string>(), *v);
    }
    return out;
}

bool says_true(const json& value)
{
    if (value.is_array())
        return !value.empty() && says_true(value[0]);
    return value == true || value == "True" || value == "true" || value == "1" || value == 1;
}

// Labels and file names of ERT runs lie: a "p100" result may be the host's. Notes what the run itself says.
void note_device(const json& metadata, double dram, std::vector<std::string>& notes)
{
    const json config = metadata.is_object() && metadata.contains("CONFIG") ? metadata["CONFIG"] : json();
    const bool stated = config.is_object() && config.contains("ERT_GPU");
    if (stated && says_true(config["ERT_GPU"]))
        return;
    if (stated)
        notes.emplace_back("the run used no GPU (ERT_GPU is not set): these are roofs of the host, whatever the file is called");
    else if (dram > 0 && dram < 150)
        notes.push_back(fmt::format("the memory reaches {:.4g} GB/s and the file does not say that a GPU was used: these look like roofs of a host", dram));
    else
        notes.emplace_back("the file does not say whether a GPU was used");
}

Expected<Measured> ert_measured(const std::vector<std::pair<std::string, double>>& bandwidths, const std::vector<std::pair<std::string, double>>& peaks, std::string device, const std::string& file, const char* format, std::vector<Skipped> skipped,
    std::vector<std::string> notes)
{
    MeasuredCeilings c;
    c.device = std::move(device);
    json facts = {{"gbytes", json::array()}, {"gflops", json::array()}};
    for (const auto& [level, rate] : bandwidths) {
        c.bandwidths.push_back({level, gigabytes_per_second(rate)});
        facts["gbytes"].push_back({level, rate});
    }
    for (const auto& [name, rate] : peaks) {
        c.peaks.push_back({name, FlopPerSecond{rate * 1e9}});
        facts["gflops"].push_back({name, rate});
    }
    return ceilings_measured({std::move(c)}, std::move(facts), file, format, std::move(skipped), std::move(notes));
}

} // namespace

bool is_roofline_csv(std::string_view text)
{
    char separator = ',';
    const auto header = header_of(text, separator);
    const auto has = [&](std::string_view wanted) { return std::any_of(header.begin(), header.end(), [&](const std::string& h) { return plain_name(h) == wanted; }); };
    return has("device") && (has("hbmbw") || has("l2bw") || has("mallbw"));
}

Expected<Measured> read_roofline_csv(std::string_view text, const std::string& file)
{
    char separator = ',';
    const auto header = header_of(text, separator);
    DelimitedText records(text, separator);
    std::vector<std::string> record;
    records.next(record);
    std::vector<MeasuredCeilings> all;
    std::vector<Skipped> skipped;
    json facts = json::object();
    while (records.next(record) && all.size() < 100000) {
        if (record.size() != header.size()) {
            skip(skipped, fmt::format("record without the header's {} fields", header.size()), fmt::format("line {}", records.line()));
            continue;
        }
        MeasuredCeilings& c = all.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i) {
            if (plain_name(header[i]) == "device") {
                c.device = "device " + record[i];
                continue;
            }
            const auto [name, is_bandwidth] = roof_of(header[i]);
            const auto v = number_in(record[i], separator == ';' ? DecimalMark::comma : DecimalMark::point);
            if (name.empty() || plain_name(header[i]) == "device")
                continue;
            std::string key = name; // the file's case is not consistent, that of the facts is
            std::transform(key.begin(), key.end(), key.begin(), [](unsigned char ch) { return static_cast<char>(std::toupper(ch)); });
            facts[key + (is_bandwidth ? "_GBps" : "_GFLOPs")].push_back(positive(v) ? json(*v) : json(nullptr));
            if (!positive(v))
                continue; // 0: the architecture does not have it, or it was not measured
            if (is_bandwidth)
                c.bandwidths.push_back({key, gigabytes_per_second(*v)});
            else
                c.peaks.push_back({spoken(key), FlopPerSecond{*v * 1e9}});
        }
    }
    facts["n_devices"] = all.size();
    return ceilings_measured(std::move(all), std::move(facts), file, "rocprof-compute roofline", std::move(skipped), {"peaks of integer types are operations, not FLOPs"});
}

bool is_ert_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{' && text.find("\"empirical\"") != std::string_view::npos && (text.find("\"gbytes\"") != std::string_view::npos || text.find("\"gflops\"") != std::string_view::npos);
}

Expected<Measured> read_ert_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (!doc->is_object() || !doc->contains("empirical") || !(*doc)["empirical"].is_object())
        return bad_input("a result of the Empirical Roofline Tool without measurements", Place{file, 0, "/empirical"}, {}, "gbytes and gflops");
    const json& empirical = (*doc)["empirical"];
    const auto bandwidths = ert_pairs(empirical.value("gbytes", json()), skipped, "/empirical/gbytes");
    const auto peaks = ert_pairs(empirical.value("gflops", json()), skipped, "/empirical/gflops");
    std::vector<std::string> notes;
    const json metadata = empirical.value("metadata", json());
    double dram = 0;
    for (const auto& [level, rate] : bandwidths)
        if (plain_name(level).find("dram") != std::string::npos)
            dram = rate;
    note_device(metadata, dram, notes);
    std::string device;
    if (metadata.is_object() && metadata.contains("HOSTNAME")) {
        const json& host = metadata["HOSTNAME"];
        const json& name = host.is_array() && !host.empty() ? host[0] : host;
        device = name.is_string() ? name.get<std::string>() : std::string();
    }
    return ert_measured(bandwidths, peaks, device, file, "Empirical Roofline Tool JSON", std::move(skipped), std::move(notes));
}

bool is_ert_text(std::string_view text)
{
    int found = 0;
    for (auto at = text.find(" EMP"); at != std::string_view::npos && found < 2; at = text.find(" EMP", at + 4)) {
        const auto end = std::min(text.size(), at + 4);
        found += end == text.size() || text[end] == '\n' || text[end] == '\r' || text[end] == ' ' ? 1 : 0;
    }
    return found >= 2 && text.find("FLOP") != std::string_view::npos;
}

Expected<Measured> read_ert_text(std::string_view text, const std::string& file)
{
    std::vector<std::pair<std::string, double>> bandwidths, peaks;
    std::string device;
    bool gpu = false;
    while (!text.empty()) {
        const auto end = std::min(text.size(), text.find('\n'));
        const auto words = words_of(text.substr(0, std::min(end, std::size_t{4096})));
        text.remove_prefix(std::min(text.size(), end + 1));
        if (words.size() == 2 && words[0] == "HOSTNAME")
            device = words[1];
        gpu = gpu || (words.size() >= 2 && words[0] == "ERT_GPU" && (words[1] == "True" || words[1] == "1"));
        if (words.size() < 3 || words.back() != "EMP")
            continue;
        const auto v = number_in(words.front());
        if (!positive(v) || bandwidths.size() + peaks.size() > 10000)
            continue;
        std::string label;
        for (std::size_t i = 1; i + 1 < words.size(); ++i)
            label += (label.empty() ? "" : " ") + std::string(words[i]);
        (plain_name(label).find("flop") != std::string::npos ? peaks : bandwidths).emplace_back(label, *v);
    }
    std::vector<std::string> notes;
    if (!gpu)
        notes.emplace_back("the text does not say whether a GPU was used: compare it with the vendor's figures");
    return ert_measured(bandwidths, peaks, device, file, "Empirical Roofline Tool output", {}, std::move(notes));
}

bool is_peaks_csv(std::string_view text)
{
    char separator = ',';
    const auto header = header_of(text, separator);
    const auto has = [&](std::string_view wanted) { return std::any_of(header.begin(), header.end(), [&](const std::string& h) { return plain_name(h) == wanted; }); };
    return has("peakflops") && has("peakbandwidth");
}

Expected<Measured> read_peaks_csv(std::string_view text, const std::string& file)
{
    char separator = ',';
    const auto header = header_of(text, separator);
    DelimitedText records(text, separator);
    std::vector<std::string> record;
    records.next(record);
    std::vector<MeasuredCeilings> all;
    std::vector<Skipped> skipped;
    std::vector<std::string> notes;
    json facts = json::object();
    while (records.next(record) && all.size() < 10000) {
        if (record.size() != header.size()) {
            skip(skipped, fmt::format("record without the header's {} fields", header.size()), fmt::format("line {}", records.line()));
            continue;
        }
        MeasuredCeilings& c = all.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i) {
            const std::string column = plain_name(header[i]);
            const auto v = number_in(record[i]);
            if (column == "label" || column == "device" || column == "name")
                c.device = record[i];
            else if (column == "peakflops" && positive(v))
                c.peaks.push_back({"peak", FlopPerSecond{*v}});
            else if (column == "peakbandwidth" && positive(v))
                c.bandwidths.push_back({"DRAM", BytesPerSecond{*v}});
        }
        if (!c.peaks.empty() && !c.bandwidths.empty())
            facts[c.device] = {{"peak_flops", c.peaks[0].rate.value()}, {"peak_bandwidth", c.bandwidths[0].rate.value()}};
    }
    // A measured peak above the theoretical one is real: the boost clock is higher than the rated one.
    if (all.size() == 2 && !all[0].peaks.empty() && !all[1].peaks.empty() && plain_name(all[0].device) == "theoretical" && all[1].peaks[0].rate > all[0].peaks[0].rate)
        notes.emplace_back("the measured peak is above the theoretical one: the GPU ran above its rated clock");
    return ceilings_measured(std::move(all), std::move(facts), file, "table of peaks", std::move(skipped), std::move(notes));
}

} // namespace ridgepoint
