// Logs with a heading a step and its figures on the lines below: Composer (llm-foundry), OLMo and OLMo-core.

#include <array>

#include <fmt/format.h>

#include "model/measured/training/log_lines.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

struct Kind {
    std::string_view format, framework, heading;
};
constexpr std::array kinds{Kind{"Composer log", "Composer", "[batch="}, Kind{"OLMo log", "OLMo", "[step="}};

// "[step=20/739328,epoch=1]", "[batch=20/4800]:"; what stands behind the bracket may hold figures.
std::optional<std::int64_t> heading_of(std::string_view line, std::string_view heading, std::string_view& behind)
{
    const std::size_t at = line.find(heading);
    if (at == std::string_view::npos)
        return std::nullopt;
    std::string_view rest;
    const auto v = leading_number(line.substr(at + heading.size()), rest);
    const std::size_t end = line.find(']', at);
    if (!v || *v < 0 || *v > 9e15 || end == std::string_view::npos)
        return std::nullopt;
    behind = line.substr(end + 1);
    if (behind.starts_with(':'))
        behind.remove_prefix(1);
    return static_cast<std::int64_t>(*v);
}

template<std::size_t Which>
bool recognises(std::string_view text)
{
    const std::size_t at = text.find(kinds[Which].heading);
    return at != std::string_view::npos && (text.find("throughput/") != std::string_view::npos);
}

template<std::size_t Which>
Expected<Measured> read(std::string_view text, const std::string& file)
{
    const Kind& kind = kinds[Which];
    TrainingLog log;
    log.framework = kind.framework;
    std::vector<Skipped> skipped;
    read_settings(text, log);
    std::optional<TrainingStep> open;
    std::int64_t opened_at = 0;
    const auto close = [&] {
        if (!open)
            return;
        if (open->time || open->tokens_per_second_per_gpu || open->tokens_per_second || open->samples_per_second || open->flops_per_gpu || open->mfu)
            log.steps.push_back(*open);
        else
            skip(skipped, "step without a throughput", fmt::format("line {}", opened_at));
        open.reset();
    };
    const auto take = [&](std::string_view line) {
        for (const NamedNumber& f : named_numbers(line))
            if (!put_setting(log, f.name, f.value))
                if (const auto q = quantity_named(f.name); q && q->quantity != TrainingQuantity::step)
                    put(*open, *q, f.value, f.unit);
    };
    LogLines lines(text);
    LogLine line;
    while (lines.next(line)) {
        std::string_view behind;
        if (const auto step = heading_of(line.text, kind.heading, behind)) {
            close();
            open = TrainingStep{};
            open->step = *step;
            open->rank = line.rank;
            opened_at = line.number;
            take(behind);
        } else if (open && (line.text.starts_with(' ') || line.text.starts_with('\t'))) {
            take(line.text);
        }
    }
    close();
    std::vector<std::string> notes;
    if (Which == 0)
        notes.emplace_back("Composer's throughputs are averages over a window of batches and printed with four decimals; names without \"device\" are of the whole job.");
    return finished(kind.format, file, std::move(log), std::move(skipped), std::move(notes));
}

} // namespace

std::vector<TextFormat> step_block_formats() { return {{kinds[0].format, recognises<0>, read<0>}, {kinds[1].format, recognises<1>, read<1>}}; }

} // namespace ridgepoint
