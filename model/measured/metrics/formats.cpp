#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> metric_formats() { return {}; }

std::vector<TextFormat> table_formats() { return {}; }

} // namespace ridgepoint
