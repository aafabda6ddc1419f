#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> counter_formats() { return {}; }

} // namespace ridgepoint
