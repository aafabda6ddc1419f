#include "model/report/accuracy_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double well_above = 1.5; // times the median of the quantity
constexpr double worth_naming = 0.1; // a median error below it is no weakness
constexpr std::size_t weak_per_quantity = 6;

// Ten per cent and more without a decimal would hide what changed between versions; a thousand with one is noise.
std::string percent(double fraction)
{
    if (!std::isfinite(fraction))
        return "-";
    const std::string text = fmt::format("{:.{}f} %", 100.0 * fraction, std::fabs(fraction) >= 9.995 ? 0 : 1);
    return text == "-0.0 %" ? "0.0 %" : text;
}

std::string share(double fraction) { return std::isfinite(fraction) ? fmt::format("{:.0f} %", 100.0 * fraction) : "-"; }

std::string correlation(double r) { return std::isfinite(r) ? fmt::format("{:.2f}", r) : "-"; }

std::string cell(std::string text) // '|' would end it
{
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
        text.insert(at, "\\");
    return text.empty() ? "(none)" : text;
}

std::string row(const std::vector<std::string>& cells)
{
    std::string out = "|";
    for (const std::string& c : cells)
        out += fmt::format(" {} |", cell(c));
    return out + "\n";
}

// The first columns are text, `numbers` more are numbers.
std::string head(const std::vector<std::string>& titles, std::size_t numbers)
{
    std::string rule = "|";
    for (std::size_t i = 0; i < titles.size(); ++i)
        rule += i + numbers < titles.size() ? "---|" : "---:|";
    return row(titles) + rule + "\n";
}

std::vector<std::string> score_cells(const QuantityScore& q, const std::string& name, const Score& s)
{
    std::vector<std::string> cells = {name, group_thousands(s.count), percent(s.median_abs_error), percent(s.p90_abs_error), percent(s.bias),
        share(s.within_10), share(s.within_20), share(s.within_50), correlation(s.rank_correlation)};
    if (q.total.groups > 0)
        cells.push_back(correlation(s.group_rank));
    if (q.total.intervals > 0)
        cells.push_back(share(s.coverage()));
    return cells;
}

struct Weak {
    const QuantityScore* quantity;
    std::string stratum;
    const Score* score;
};

// Of strata over the very same rows ("gpu B300", "gpu, fabric B300, EFA") the first is enough.
bool says_the_same(const Weak& a, const Weak& b)
{
    return a.quantity == b.quantity && a.score->count == b.score->count && a.score->median_abs_error == b.score->median_abs_error;
}

std::vector<Weak> weak_strata(const QuantityScore& q)
{
    std::vector<Weak> found;
    for (const auto& [group, values] : q.strata)
        for (const auto& [value, s] : values)
            if (s.count >= fewest_weak_rows && s.median_abs_error >= worth_naming && s.median_abs_error >= well_above * q.total.median_abs_error)
                found.push_back({&q, fmt::format("{}: {}", group, value), &s});
    // Those that cost most over all their rows, so that a large stratum goes before a handful of rows.
    const auto weight = [&](const Weak& w) { return w.score->count * (w.score->median_abs_error - q.total.median_abs_error); };
    std::ranges::stable_sort(found, [&](const Weak& a, const Weak& b) { return weight(a) > weight(b); });
    std::vector<Weak> out;
    for (Weak& w : found)
        if (out.size() < weak_per_quantity && std::ranges::none_of(out, [&](const Weak& o) { return says_the_same(o, w); }))
            out.push_back(std::move(w));
    std::ranges::stable_sort(out, [](const Weak& a, const Weak& b) { return a.score->median_abs_error > b.score->median_abs_error; });
    return out;
}

} // namespace

std::string headline_table(const std::vector<Headline>& lines)
{
    std::string out = head({"What", "Rows", "Predicted", "Median error", "90th percentile", "Bias", "Within 20 %", "In the 80 % interval"}, 7);
    for (const Headline& h : lines) {
        const Score& s = h.score;
        out += row({(h.part ? "– " : "") + h.title, h.part ? " " : group_thousands(h.rows), group_thousands(h.predicted), percent(s.median_abs_error),
            percent(s.p90_abs_error), percent(s.bias), share(s.within_20), share(s.coverage())});
    }
    return out;
}

std::string strata_table(const QuantityScore& q)
{
    std::vector<std::string> titles = {"Stratum", "Rows", "Median", "90th", "Bias", "≤ 10 %", "≤ 20 %", "≤ 50 %", "Rank"};
    if (q.total.groups > 0)
        titles.emplace_back("Rank in group");
    if (q.total.intervals > 0)
        titles.emplace_back("In interval");
    std::string out = head(titles, titles.size() - 1) + row(score_cells(q, "**all**", q.total));
    std::string alike, small;
    for (const auto& [group, values] : q.strata) {
        if (values.size() == 1) {
            alike += fmt::format("{}{} {}", alike.empty() ? "" : "; ", group, values.begin()->first);
            continue;
        }
        int left_out = 0;
        for (const auto& [value, s] : values) {
            if (s.count >= fewest_rows)
                out += row(score_cells(q, fmt::format("{}: {}", group, value.empty() ? "(none)" : value), s));
            else
                ++left_out;
        }
        if (left_out > 0)
            small += fmt::format("{}{} {}", small.empty() ? "" : ", ", left_out, group);
    }
    if (!alike.empty())
        out += fmt::format("\nThe same in all rows: {}.\n", alike);
    if (!small.empty())
        out += fmt::format("\nStrata of fewer than {} rows, not listed: {}.\n", fewest_rows, small);
    if (q.total.bands > 0)
        out += fmt::format("\n{} rows do not state their whole configuration and are predicted as a band; {} of them measure inside it.\n",
            group_thousands(q.total.bands), group_thousands(q.total.inside_band));
    return out;
}

std::string weak_table(const std::vector<const QuantityScore*>& quantities)
{
    std::string rows;
    for (const QuantityScore* q : quantities)
        for (const Weak& w : weak_strata(*q))
            rows += row({title_of(q->kind, q->quantity), w.stratum, group_thousands(w.score->count), percent(w.score->median_abs_error),
                percent(q->total.median_abs_error), percent(w.score->bias)});
    return rows.empty() ? "No stratum stands out.\n" : head({"What", "Stratum", "Rows", "Median error", "of all rows", "Bias"}, 4) + rows;
}

std::string not_expressed_table(const std::vector<const QuantityScore*>& quantities)
{
    std::string rows;
    for (std::size_t i = 0; i < quantities.size(); ++i) {
        const QuantityScore* q = quantities[i];
        const auto same_rows = [&](const QuantityScore* o) { return o->file == q->file && o->not_expressed == q->not_expressed; };
        if (std::any_of(quantities.begin(), quantities.begin() + static_cast<std::ptrdiff_t>(i), same_rows))
            continue; // named with the first quantity of the file
        std::string title = title_of(q->kind, q->quantity);
        for (std::size_t other = i + 1; other < quantities.size(); ++other)
            if (same_rows(quantities[other]))
                title += ", " + title_of(quantities[other]->kind, quantities[other]->quantity);
        std::vector<std::pair<std::string, int>> reasons(q->not_expressed.begin(), q->not_expressed.end());
        std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.second > b.second; });
        for (const auto& [reason, count] : reasons)
            rows += row({title, reason, group_thousands(count)});
    }
    return rows.empty() ? rows : head({"What", "Reason", "Rows"}, 1) + rows;
}

std::string history_table(const std::vector<AccuracyRecord>& history)
{
    std::vector<std::string> titles = {"Version", "Date"};
    std::vector<std::string> keys;
    for (const auto& [key, title] : headline_keys())
        if (!title.empty() && std::ranges::any_of(history, [&](const AccuracyRecord& r) { return r.medians.contains(key); })) {
            keys.push_back(key);
            titles.push_back(title);
        }
    std::string out = head(titles, keys.size());
    for (const AccuracyRecord& r : history) {
        std::vector<std::string> cells = {r.version, r.date};
        for (const std::string& key : keys) {
            const auto median = r.medians.find(key);
            cells.push_back(median == r.medians.end() ? "-" : fmt::format("{:.1f}", 100.0 * median->second));
        }
        out += row(cells);
    }
    return out;
}

} // namespace ridgepoint
