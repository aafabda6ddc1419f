#pragma once
// One trace event as raw tokens of the text it was read from. Strings keep their quotes and escapes; what an event means
// is decided in one place (EventTable), whichever scanner found it.

#include <string_view>

namespace ridgepoint {

struct EventFields {
    std::string_view ph, cat, name, pid, tid, ts, dur;
    // From args.
    std::string_view external_id, correlation, device, stream, bytes;
    std::string_view input_dims, input_types, concrete_inputs; // whole arrays
    std::string_view collective, dtype, in_elements, out_elements, group_size, process_group, group_description, group_ranks;
};

// A token without its quotes, if it has any; escapes stay.
inline std::string_view inside(std::string_view token)
{
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

// The field of `args` that a key (without quotes) names; null if it is of no interest.
std::string_view EventFields::* args_field(std::string_view key);
// The same for the event's own keys, "args" excepted.
std::string_view EventFields::* event_field(std::string_view key);

} // namespace ridgepoint
