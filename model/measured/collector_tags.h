#pragma once
// What log collectors put before every line: "2025-10-01T10:00:00.123456789Z " of kubectl and docker --timestamps,
// "[pod/name/container] " of kubectl --prefix, "bench-1  | " of docker compose.

#include <string>
#include <string_view>

namespace ridgepoint {

// The text without them; empty where the first line has none or most lines have not.
std::string without_collector_tags(std::string_view text);

} // namespace ridgepoint
