#include "model/trace/protobuf_wire.h"

#include <bit>

namespace ridgepoint {

double WireField::as_double() const
{
    if (type == Type::fixed64)
        return std::bit_cast<double>(value);
    if (type == Type::fixed32)
        return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value)));
    return static_cast<double>(as_int());
}

std::optional<std::uint64_t> WireReader::varint()
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < m_rest.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(m_rest[i]);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
        if (byte < 0x80) {
            m_rest.remove_prefix(i + 1);
            return value;
        }
    }
    m_failed = true;
    return std::nullopt;
}

std::optional<std::string_view> WireReader::take(std::uint64_t size)
{
    if (size > m_rest.size()) {
        m_failed = true;
        return std::nullopt;
    }
    const std::string_view bytes = m_rest.substr(0, static_cast<std::size_t>(size));
    m_rest.remove_prefix(bytes.size());
    return bytes;
}

std::optional<WireField> WireReader::next()
{
    if (m_rest.empty() || m_failed)
        return std::nullopt;
    const auto tag = varint();
    if (!tag)
        return std::nullopt;
    WireField f;
    const std::uint64_t number = *tag >> 3;
    if (number == 0 || number > 0x1FFF'FFFF) {
        m_failed = true;
        return std::nullopt;
    }
    f.number = static_cast<std::uint32_t>(number);
    const auto fixed = [&](std::size_t size) -> bool {
        const auto bytes = take(size);
        if (!bytes)
            return false;
        for (std::size_t i = 0; i < size; ++i)
            f.value |= static_cast<std::uint64_t>(static_cast<unsigned char>((*bytes)[i])) << (8 * i);
        return true;
    };
    switch (*tag & 7) {
    case 0: {
        const auto value = varint();
        if (!value)
            return std::nullopt;
        f.value = *value;
        return f;
    }
    case 1:
        f.type = WireField::Type::fixed64;
        return fixed(8) ? std::optional(f) : std::nullopt;
    case 2: {
        f.type = WireField::Type::bytes;
        const auto size = varint();
        const auto bytes = size ? take(*size) : std::nullopt;
        if (!bytes)
            return std::nullopt;
        f.bytes = *bytes;
        return f;
    }
    case 5:
        f.type = WireField::Type::fixed32;
        return fixed(4) ? std::optional(f) : std::nullopt;
    default: // groups went out of use before any of the formats here began
        m_failed = true;
        return std::nullopt;
    }
}

bool is_message(std::string_view bytes, std::uint32_t largest_field)
{
    WireReader reader(bytes);
    while (const auto f = reader.next())
        if (f->number > largest_field)
            return false;
    return !reader.failed();
}

} // namespace ridgepoint
