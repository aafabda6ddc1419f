// Any bytes as a training log: times are positive, the steady part lies within them.

#include "tests/fuzz/measured_fuzz.h"

using namespace ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto formats = training_formats();
    fuzz_formats(formats, {reinterpret_cast<const char*>(data), size}, [](const Measured& m) {
        const auto* log = std::get_if<TrainingLog>(&m.content);
        if (log == nullptr)
            std::abort();
        for (const TrainingStep& s : log->steps)
            if (s.time && !(*s.time > Seconds{}))
                std::abort();
        const SteadyPart steady = steady_part(*log);
        if (steady.used < 0 || (steady.step && !(*steady.step > Seconds{})))
            std::abort();
        m.facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    });
    return 0;
}
