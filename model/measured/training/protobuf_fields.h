#pragma once
// The wire format of Protocol Buffers, as far as event files need it (protobuf.dev/programming-guides/encoding).

#include <cstdint>
#include <cstring>
#include <string_view>

namespace ridgepoint {

struct ProtobufField {
    std::uint32_t number = 0;
    enum Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } wire = varint;
    std::uint64_t value = 0; // of the three numeric kinds, as bits
    std::string_view data; // of bytes

    [[nodiscard]] double as_double() const
    {
        double v = 0;
        std::memcpy(&v, &value, sizeof v);
        return v;
    }
    [[nodiscard]] float as_float() const
    {
        const auto bits = static_cast<std::uint32_t>(value);
        float v = 0;
        std::memcpy(&v, &bits, sizeof v);
        return v;
    }
};

// Walks over the fields of one message; sub-messages are walked by a walker of their own, so depth is the caller's.
class ProtobufFields {
public:
    explicit ProtobufFields(std::string_view message) : m_rest(message) {}

    bool next(ProtobufField& field) // false: the end, or broken()
    {
        if (m_rest.empty() || m_broken)
            return false;
        std::uint64_t key = 0;
        if (!take_varint(key) || key >> 3 == 0 || key >> 3 > 0x1fffffffU)
            return fail();
        field.number = static_cast<std::uint32_t>(key >> 3);
        field.data = {};
        field.value = 0;
        switch (key & 7U) {
        case 0:
            field.wire = ProtobufField::varint;
            return take_varint(field.value) || fail();
        case 1:
            field.wire = ProtobufField::fixed64;
            return take_fixed(field.value, 8) || fail();
        case 5:
            field.wire = ProtobufField::fixed32;
            return take_fixed(field.value, 4) || fail();
        case 2: {
            field.wire = ProtobufField::bytes;
            std::uint64_t length = 0;
            if (!take_varint(length) || length > m_rest.size())
                return fail();
            field.data = m_rest.substr(0, static_cast<std::size_t>(length));
            m_rest.remove_prefix(static_cast<std::size_t>(length));
            return true;
        }
        default:
            return fail(); // groups are gone since proto3
        }
    }
    [[nodiscard]] bool broken() const { return m_broken; }

private:
    bool fail()
    {
        m_broken = true;
        return false;
    }
    bool take_varint(std::uint64_t& value)
    {
        value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            if (m_rest.empty())
                return false;
            const auto byte = static_cast<unsigned char>(m_rest.front());
            m_rest.remove_prefix(1);
            if (shift < 64)
                value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if (byte < 0x80)
                return true;
        }
        return false;
    }
    bool take_fixed(std::uint64_t& value, std::size_t size)
    {
        if (m_rest.size() < size)
            return false;
        value = 0;
        for (std::size_t i = 0; i < size; ++i)
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(m_rest[i])) << (8 * i);
        m_rest.remove_prefix(size);
        return true;
    }

    std::string_view m_rest;
    bool m_broken = false;
};

} // namespace ridgepoint
