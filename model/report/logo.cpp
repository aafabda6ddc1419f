#include "model/report/logo.h"

#include "model/specs/json_document.h"

namespace ridgepoint {

Expected<std::string> read_logo(const std::string& file)
{
    constexpr std::size_t largest = std::size_t{2} << 20;
    Expected<std::string> bytes = read_text_file(file, largest);
    if (bytes && !bytes->starts_with("\x89PNG") && bytes->find("<svg") == std::string::npos)
        return bad_input("the logo is no picture that a report can hold", Place{file, 0, {}}, {}, "a PNG or SVG file of at most 2 MiB");
    return bytes;
}

} // namespace ridgepoint
