#include "model/trace/event_fields.h"

namespace ridgepoint {

std::string_view EventFields::* event_field(std::string_view key)
{
    if (key.size() == 2) {
        if (key[0] == 'p' && key[1] == 'h')
            return &EventFields::ph;
        if (key[0] == 't' && key[1] == 's')
            return &EventFields::ts;
        return nullptr;
    }
    if (key.size() == 3) {
        switch (key[0]) {
        case 'c': return key == "cat" ? &EventFields::cat : nullptr;
        case 'd': return key == "dur" ? &EventFields::dur : nullptr;
        case 'p': return key == "pid" ? &EventFields::pid : nullptr;
        case 't': return key == "tid" ? &EventFields::tid : nullptr;
        default: return nullptr;
        }
    }
    return key == "name" ? &EventFields::name : nullptr;
}

std::string_view EventFields::* args_field(std::string_view key)
{
    if (key.empty())
        return nullptr;
    switch (key[0]) {
    case 'E':
    case 'e': return key.size() == 11 && key.substr(1) == "xternal id" ? &EventFields::external_id : nullptr;
    case 'c': return key == "correlation" ? &EventFields::correlation : nullptr;
    case 'd': return key == "device" ? &EventFields::device : key == "dtype" ? &EventFields::dtype : nullptr;
    case 's': return key == "stream" ? &EventFields::stream : nullptr;
    case 'b': return key == "bytes" ? &EventFields::bytes : nullptr;
    case 'C':
        return key == "Concrete Inputs" ? &EventFields::concrete_inputs : key == "Collective name" ? &EventFields::collective : nullptr;
    case 'I': // "Input dims" in 2021
        return key == "Input Dims" || key == "Input dims" ? &EventFields::input_dims
            : key == "Input type"                         ? &EventFields::input_types
            : key == "In msg nelems"                      ? &EventFields::in_elements
                                                          : nullptr;
    case 'O': return key == "Out msg nelems" ? &EventFields::out_elements : nullptr;
    case 'G': return key == "Group size" ? &EventFields::group_size : nullptr;
    case 'P':
        return key == "Process Group Name" ? &EventFields::process_group : key == "Process Group Ranks" ? &EventFields::group_ranks
            : key == "Process Group Description"            ? &EventFields::group_description
                                                            : nullptr;
    default: return nullptr;
    }
}

} // namespace ridgepoint
