#include "model/report/accuracy_page.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "model/report/accuracy_tables.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

const char* introduction = R"(# Accuracy

How far the predictions of this version are from published measurements, for every kind of measurement that the project
has. `ridgepoint-cli validate` predicts each row from its configuration alone and the built-in catalogue, and made this
page; no figure is typed by hand. Each row carries its source. Half of the rows that were collected are used here; the
other half is kept back and played no part.

)";

const char* how = R"(## How to read the figures

- **Error** is (predicted - measured) / measured. The tables give the median and the 90th percentile of its absolute value;
  **bias** is the median with its sign: negative means that the prediction is too small.
- **Rank** is Spearman's correlation of predicted and measured values. **Rank in group** is the same among the rows of one
  model on one number of GPUs - the choice of a layout or a precision, where sizes do not help - as a mean over the groups of
  four rows or more, weighted by their rows.
- **In the 80 % interval** counts the rows whose measurement lies in the interval that the prediction states. At 80 % the
  interval is honest; below it is too narrow.
- A row that does not state its whole configuration is predicted as a band and scored at its end without recomputation or
  drafted tokens. A row that the model cannot express is counted with its reason; none is dropped.
- Constants are fitted to part of the same measurements: `specs/efficiency/` says with each law which rows, and the error on
  rows that the fit did not see. No constant belongs to one model or row.

)";

std::string read_all(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string beside(const std::string& page_file, const char* ending)
{
    const std::filesystem::path page(page_file);
    return (page.parent_path() / (page.stem().string() + ending)).string();
}

std::vector<const QuantityScore*> in_order(const std::vector<FileValidation>& files)
{
    std::vector<const QuantityScore*> out;
    for (const FileValidation& file : files)
        for (const QuantityScore& q : file.quantities)
            if (q.rows > 0)
                out.push_back(&q);
    std::ranges::stable_sort(out, {}, [](const QuantityScore* q) { return order_of(q->kind, q->quantity); });
    return out;
}

std::string weaknesses(const std::vector<const QuantityScore*>& quantities)
{
    std::string out = fmt::format("## Where it is weak\n\nChosen by the command: strata of at least {} rows whose median error is 10 % or more and at least half as much "
                                  "again as that of their quantity; of each quantity those that weigh most.\n\n{}\n",
        fewest_weak_rows, weak_table(quantities));
    if (const std::string reasons = not_expressed_table(quantities); !reasons.empty())
        out += "Rows that are not predicted:\n\n" + reasons + "\n";
    return out;
}

std::string strata(const std::vector<const QuantityScore*>& quantities)
{
    std::string out = "## By stratum\n\n";
    for (const QuantityScore* q : quantities)
        out += fmt::format("### {}\n\n`{}` of {}: {} of {} rows predicted.\n\n{}\n", title_of(q->kind, q->quantity), q->quantity,
            std::filesystem::path(q->file).filename().string(), group_thousands(q->predicted), group_thousands(q->rows), strata_table(*q));
    return out;
}

} // namespace

std::string accuracy_notes_file(const std::string& page_file) { return beside(page_file, "-notes.md"); }

std::string accuracy_history_file(const std::string& page_file) { return beside(page_file, "-history.csv"); }

Status read_accuracy_companions(const std::string& page_file, AccuracyPage& page)
{
    page.notes = read_all(accuracy_notes_file(page_file));
    const std::string file = accuracy_history_file(page_file);
    Expected<std::vector<AccuracyRecord>> history = parse_accuracy_history(read_all(file), file);
    if (!history)
        return history.error();
    page.history = std::move(*history);
    return Done{};
}

std::string accuracy_markdown(const AccuracyPage& page)
{
    const std::vector<const QuantityScore*> quantities = in_order(page.files);
    std::string out = introduction;
    out += headline_table(headlines(page.files)) + "\n";
    out += how;
    out += weaknesses(quantities);
    if (!page.notes.empty())
        out += page.notes + (page.notes.ends_with('\n') ? "\n" : "\n\n");
    if (!page.history.empty())
        out += "## Versions\n\nMedian error in per cent of each version that was recorded.\n\n" + history_table(page.history) + "\n";
    out += strata(quantities);
    out.erase(out.find_last_not_of('\n') + 1);
    return out + "\n";
}

} // namespace ridgepoint
