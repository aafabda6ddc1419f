#include "model/calibration/validate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "model/calibration/predictors.h"

namespace ridgepoint {
namespace {

struct Kind {
    std::vector<std::string_view> columns; // that only this kind has together
    std::string_view name;
    std::unique_ptr<RowPredictor> (*make)(const SpecStore&);
};

const std::vector<Kind>& kinds()
{
    static const std::vector<Kind> all = {
        {{"gbs", "mbs", "dp_sharding", "step_time_s"}, "training", make_training_predictor},
        {{"silicon_ttft_ms", "silicon_tpot_ms", "backend"}, "serving", make_serving_predictor},
        {{"output_tok_s_per_gpu", "isl", "osl", "parallelism"}, "serving_offline", make_offline_predictor},
        {{"gemm_dtype", "m", "n", "k", "latency_us"}, "gemm", make_gemm_predictor},
        {{"moe_dtype", "num_tokens", "moe_ep_size", "latency_us"}, "moe_gemm", make_grouped_gemm_predictor},
        {{"phase", "attn_dtype", "isl", "kv_len", "latency_us"}, "attention_prefill", make_attention_predictor},
        {{"phase", "attn_dtype", "kv_len", "latency_us"}, "attention_decode", make_attention_predictor},
        {{"kernel_source", "kv_cache_dtype", "num_heads", "kv_len", "latency_us"}, "mla_decode", make_mla_predictor},
        {{"nccl_version", "n_gpus", "op", "size_bytes", "latency_us"}, "collectives_node", make_node_collective_predictor},
        {{"n_nodes", "n_gpus", "op", "size_bytes", "time_us"}, "collectives", make_collective_predictor},
        {{"tokens_per_rank", "dispatch_dtype", "time_us"}, "moe_dispatch", make_dispatch_predictor},
        {{"num_token", "num_topk", "dispatch_avg_t_us", "combine_avg_t_us"}, "moe_dispatch_low_latency", make_low_latency_predictor},
        {{"params_opt_gib", "activations_gib"}, "memory", make_memory_predictor},
    };
    return all;
}

bool fits(const Kind& kind, const CsvTable& table)
{
    return std::ranges::all_of(kind.columns, [&](std::string_view c) { return table.column(c) >= 0; });
}

void score_quantities(FileValidation& v, const RowPredictor& predictor)
{
    for (const std::string& quantity : predictor.quantities()) {
        QuantityScore q;
        q.file = v.file;
        q.kind = v.kind;
        q.quantity = quantity;
        std::vector<const Prediction*> all;
        std::map<std::string, std::map<std::string, std::vector<const Prediction*>>> groups;
        for (std::size_t i = 0; i < v.rows.size(); ++i) {
            const double measured = CsvRow(v.table, i).number(quantity);
            if (std::isnan(measured) || measured <= 0.0)
                continue;
            ++q.rows;
            const Prediction* found = nullptr;
            for (const Prediction& p : v.rows[i].predictions)
                if (p.quantity == quantity)
                    found = &p;
            if (found == nullptr) {
                ++q.not_expressed[v.rows[i].not_expressed.empty() ? "this quantity is not predicted for such a row" : v.rows[i].not_expressed];
                continue;
            }
            if (!std::isfinite(found->predicted)) {
                ++q.not_expressed["the row lacks a number that the prediction needs"];
                continue;
            }
            all.push_back(found);
            for (const auto& [key, value] : found->strata)
                groups[key][value].push_back(found);
        }
        q.predicted = static_cast<int>(all.size());
        q.total = score(all);
        for (const auto& [key, values] : groups)
            for (const auto& [value, members] : values)
                q.strata[key][value] = score(members);
        v.quantities.push_back(std::move(q));
    }
}

} // namespace

std::string measurement_kind(const CsvTable& table)
{
    const auto kind = std::ranges::find_if(kinds(), [&](const Kind& k) { return fits(k, table); });
    return kind == kinds().end() ? std::string{} : std::string(kind->name);
}

Expected<FileValidation> validate_file(const std::string& file, const SpecStore& specs, const Progress& progress)
{
    Expected<CsvTable> table = read_csv(file);
    if (!table)
        return table.error();
    const auto kind = std::ranges::find_if(kinds(), [&](const Kind& k) { return fits(k, *table); });
    if (kind == kinds().end()) {
        std::string names;
        for (const Kind& k : kinds())
            names += fmt::format("{}{}", names.empty() ? "" : ", ", k.name);
        return bad_input("The header fits no kind of measurement", {file, 1, {}}, "", "the columns of one of: " + names);
    }
    FileValidation v;
    v.file = file;
    v.kind = std::string(kind->name);
    v.table = std::move(*table);
    const std::unique_ptr<RowPredictor> predictor = kind->make(specs);
    v.rows.reserve(v.table.rows.size());
    for (std::size_t i = 0; i < v.table.rows.size(); ++i) {
        if (progress.stopped())
            return Error{ErrorKind::cancelled, {file, 0, {}}, "Stopped", {}, {}, {}};
        const CsvRow row(v.table, i);
        v.rows.push_back(predictor->predict(row));
        v.rows.back().line = row.line();
        if (i % 64 == 0)
            progress.at(static_cast<double>(i) / static_cast<double>(v.table.rows.size()));
    }
    score_quantities(v, *predictor);
    return v;
}

Expected<MeasurementFolder> find_measurements(const std::string& folder)
{
    std::error_code ec;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
        if (it->path().extension() == ".csv")
            names.push_back(it->path().string());
    if (ec)
        return io_error("The folder cannot be read", folder);
    std::ranges::sort(names);
    MeasurementFolder found;
    for (std::string& name : names) {
        std::ifstream in(name, std::ios::binary);
        std::string header;
        std::getline(in, header); // no kind has a line break within a column's name
        const Expected<CsvTable> table = parse_csv(header, name);
        const bool known = table && std::ranges::any_of(kinds(), [&](const Kind& k) { return fits(k, *table); });
        (known ? found.files : found.unknown).push_back(std::move(name));
    }
    if (found.files.empty())
        return bad_input("The folder holds no measurements", {folder, 0, {}}, fmt::format("{} CSV files of no kind", found.unknown.size()), "CSV files of measured rows");
    return found;
}

std::string rows_with_predictions(const FileValidation& v)
{
    std::string out;
    for (const std::string& h : v.table.header)
        out += csv_field(h) + ",";
    for (const QuantityScore& q : v.quantities)
        out += fmt::format("predicted_{0},error_{0},low80_{0},high80_{0},", q.quantity);
    out += "not_expressed\n";
    for (std::size_t i = 0; i < v.rows.size(); ++i) {
        for (const std::string& f : v.table.rows[i])
            out += csv_field(f) + ",";
        for (const QuantityScore& q : v.quantities) {
            const auto& ps = v.rows[i].predictions;
            const auto p = std::ranges::find_if(ps, [&](const Prediction& x) { return x.quantity == q.quantity; });
            out += p == ps.end() ? ",," : fmt::format("{:.6g},{:.4f},", p->predicted, p->error());
            out += p == ps.end() || !p->has_interval() ? ",," : fmt::format("{:.6g},{:.6g},", p->interval_low, p->interval_high);
        }
        out += csv_field(v.rows[i].not_expressed) + "\n";
    }
    return out;
}

} // namespace ridgepoint
