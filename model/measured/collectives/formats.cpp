#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> collective_formats() { return {}; }

} // namespace ridgepoint
