// Any bytes as a measured file, as the program opens one: containers, logs around data and recognition are passed through.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/measured/measured.h"

using namespace ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto found = read_measured_text({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!found) {
        if (found.error().message.empty())
            std::abort();
        return 0;
    }
    if (found->empty())
        std::abort();
    for (const Measured& m : *found)
        if (m.format.empty() || facts_of(m).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty())
            std::abort();
    return 0;
}
