// Any bytes to one reader of a family, recognised or not: reading ends, with something that holds together or with an
// error that says why. The first byte chooses the reader. RIDGEPOINT_FUZZ_FAMILY: timelines, graphs or totals.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/measured/measured.h"
#include "model/trace/facts.h"
#include "model/trace/format.h"
#include "model/trace/queries.h"

using namespace ridgepoint;

namespace {

void check(const Timeline& t)
{
    const TimelineSummary s = summarize(t);
    if (s.busy > s.span || s.overlap > s.collective_union || s.gpu_events != static_cast<std::int64_t>(t.size()))
        std::abort();
    top_kernels(t, 10);
    collective_totals(t);
    step_breakdowns(t);
    if (t.own_facts)
        (void)t.own_facts->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check(const Error& e)
{
    if (e.message.empty())
        std::abort();
}

void read_with(const TraceFormat& format, std::string_view text)
{
    static const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    if (!rules)
        std::abort();
    const auto source = bytes_of(text);
    const auto t = format.read(*source, "fuzz", *rules, {});
    t ? check(*t) : check(t.error());
}

void read_with(const TextFormat& format, std::string_view text)
{
    (void)format.recognises(text);
    const auto m = format.read(text, "fuzz");
    if (!m)
        return check(m.error());
    (void)m->facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (const auto* t = std::get_if<Timeline>(&m->content))
        check(*t);
}

const auto& readers()
{
    static const auto all = RIDGEPOINT_FUZZ_FAMILY();
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0)
        return 0;
    read_with(readers()[data[0] % readers().size()], {reinterpret_cast<const char*>(data) + 1, size - 1});
    return 0;
}
