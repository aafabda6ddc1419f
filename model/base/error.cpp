#include "model/base/error.h"

#include <fmt/format.h>

namespace ridgepoint {

std::string Place::text() const
{
    std::string out = file;
    if (line > 0)
        out += out.empty() ? fmt::format("line {}", line) : fmt::format(":{}", line);
    if (!pointer.empty())
        out += out.empty() ? pointer : fmt::format(" at {}", pointer);
    return out;
}

std::string Error::text() const
{
    std::string out = place.text();
    if (!out.empty())
        out += ": ";
    out += message;
    if (!found.empty() && !expected.empty())
        out += fmt::format(" (found {}, expected {})", found, expected);
    else if (!found.empty())
        out += fmt::format(" (found {})", found);
    else if (!expected.empty())
        out += fmt::format(" (expected {})", expected);
    if (!hint.empty())
        out += fmt::format(". {}", hint);
    return out;
}

Error bad_input(std::string message, Place place, std::string found, std::string expected)
{
    return Error{ErrorKind::bad_input, std::move(place), std::move(message), std::move(found), std::move(expected), {}};
}

Error infeasible(std::string message, std::string hint)
{
    return Error{ErrorKind::infeasible, {}, std::move(message), {}, {}, std::move(hint)};
}

Error io_error(std::string message, std::string file)
{
    return Error{ErrorKind::io, Place{std::move(file), 0, {}}, std::move(message), {}, {}, {}};
}

} // namespace ridgepoint
