#pragma once
// The wire format of Protocol Buffers, read without their library: a message is a sequence of numbered fields, nothing
// more [https://protobuf.dev/programming-guides/encoding/]. Nothing is copied; a length never reaches beyond its message.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ridgepoint {

struct WireField {
    std::uint32_t number = 0;
    enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } type = Type::varint;
    std::uint64_t value = 0; // of a varint or a fixed one, as raw bits
    std::string_view bytes; // of a length-delimited one: text, a message, or packed numbers

    [[nodiscard]] std::int64_t as_int() const { return static_cast<std::int64_t>(value); }
    [[nodiscard]] std::int64_t as_zigzag() const { return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1); }
    [[nodiscard]] double as_double() const; // of a fixed64, or of a fixed32 as float
};

class WireReader {
public:
    explicit WireReader(std::string_view message) : m_rest(message), m_size(message.size()) {}

    // The next field; none at the end, or where the bytes are no field: failed() tells which.
    std::optional<WireField> next();
    // A number outside of any field: the length in front of a message in a stream of them.
    std::optional<std::uint64_t> varint();
    // That many bytes; none if fewer are left.
    std::optional<std::string_view> take(std::uint64_t size);

    [[nodiscard]] bool at_end() const { return m_rest.empty(); }
    [[nodiscard]] bool failed() const { return m_failed; }
    [[nodiscard]] std::size_t offset() const { return m_size - m_rest.size(); } // of what comes next

private:
    std::string_view m_rest;
    std::size_t m_size;
    bool m_failed = false;
};

// Whether every byte belongs to a field (of numbers up to `largest_field`): a text string practically never does.
bool is_message(std::string_view bytes, std::uint32_t largest_field);

} // namespace ridgepoint
