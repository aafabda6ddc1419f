#include "model/measured/training/progress_bar.h"

#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

constexpr std::string_view bullet = " \u2022 ";

bool has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the clock begins: behind the step of all steps.
std::size_t clock_of(std::string_view line)
{
    if (const std::size_t open = line.find(" ["); open != std::string_view::npos && has(line.substr(open), "<"))
        return open;
    const std::size_t mark = line.find(bullet); // "0:01:10 \u2022 0:08:30"
    return mark == std::string_view::npos || mark == 0 ? std::string_view::npos : line.rfind(' ', mark - 1);
}

// "Train:", "Training", "train_loss", but not the name of a pod ("trainer-0").
bool names_training(std::string_view line)
{
    for (std::size_t at = line.find("rain"); at != std::string_view::npos; at = line.find("rain", at + 4))
        if (!line.substr(at).starts_with("rainer"))
            return true;
    return has(line, "Epoch ") || has(line, "loss") || has(line, "Loss");
}

} // namespace

bool is_progress_bar(std::string_view line)
{
    return clock_of(line) != std::string_view::npos && (has(line, "it/s") || has(line, "s/it")) && names_training(line);
}

void read_progress_bar(std::string_view line, TrainingStep& step)
{
    const std::size_t clock = clock_of(line);
    const std::size_t slash = line.rfind('/', clock);
    if (clock == std::string_view::npos || slash == std::string_view::npos)
        return;
    std::size_t start = slash;
    while (start > 0 && is_digit(line[start - 1]))
        --start;
    std::string_view rest;
    if (const auto v = leading_number(line.substr(start, slash - start), rest); v && *v < 1e15)
        step.step = static_cast<std::int64_t>(*v);
    if (step.time)
        return;
    for (const std::string_view unit : {"it/s", "s/it"})
        if (const std::size_t at = line.find(unit, clock); at != std::string_view::npos) {
            std::size_t from = at;
            while (from > clock && (line[from - 1] == '.' || is_digit(line[from - 1])))
                --from;
            if (const auto v = leading_number(line.substr(from, at - from), rest); v && *v > 0) {
                step.time = Seconds{unit == "s/it" ? *v : 1 / *v};
                return;
            }
        }
}

} // namespace ridgepoint
