// Any bytes as a measured file of one family: reading ends, with facts that can be printed or with an error. The family is
// chosen when compiling: RIDGEPOINT_FUZZ_FORMATS is its list of formats.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/measured/measured.h"

using namespace ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto formats = RIDGEPOINT_FUZZ_FORMATS();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const TextFormat& format : formats) {
        if (!format.recognises(text))
            continue;
        const auto measured = format.read(text, "fuzz");
        if (!measured && measured.error().message.empty())
            std::abort();
        if (measured && measured->facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty())
            std::abort();
    }
    return 0;
}
