#pragma once
// What went wrong, where, and what would mend it: one value for every mistake that a user can make.
// Three kinds of failure have three mechanisms: bad input and infeasible plans travel as Expected<T>; a programmer's
// error is an assert; exhausted resources are exceptions caught at the edge of the programs.

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace ridgepoint {

// A place in somebody's file. Empty fields are unknown. `line` counts from 1; `pointer` is a JSON pointer (RFC 6901).
struct Place {
    std::string file;
    int line = 0;
    std::string pointer;

    [[nodiscard]] std::string text() const; // "file:12 at /layout/tp"; empty if nothing is known
};

enum class ErrorKind {
    bad_input, // a file, an option or a value is wrong: exit status 2
    infeasible, // the plan is understood, but cannot run: exit status 1
    io, // a file cannot be read or written
    cancelled,
};

struct Error {
    ErrorKind kind = ErrorKind::bad_input;
    Place place;
    std::string message; // one sentence
    std::string found; // the offending value as the user wrote it; empty if it does not help
    std::string expected; // what would have been accepted
    std::string hint; // the smallest change that would mend it

    // "plan.ridgepoint:12 at /layout/tp: message (found 3, expected a divisor of 64). Hint"
    [[nodiscard]] std::string text() const;
};

Error bad_input(std::string message, Place place = {}, std::string found = {}, std::string expected = {});
Error infeasible(std::string message, std::string hint = {});
Error io_error(std::string message, std::string file);

// A value or the reason why there is none (std::expected is C++23).
template <typename T> class [[nodiscard]] Expected {
public:
    Expected(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Expected(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const { return m_state.index() == 0; }
    explicit operator bool() const { return has_value(); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(value()); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& value()
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    const T& value() const
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] const Error& error() const
    {
        assert(!has_value());
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

// The same for work that yields nothing.
struct Done {};
using Status = Expected<Done>;

} // namespace ridgepoint
