#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> training_formats() { return {}; }

} // namespace ridgepoint
