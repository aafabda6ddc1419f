#include "model/measured/measured.h"

namespace ridgepoint {

std::vector<TextFormat> graph_formats() { return {}; }

} // namespace ridgepoint
