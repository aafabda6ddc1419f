#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> serving_formats() { return {}; }

} // namespace ridgepoint
