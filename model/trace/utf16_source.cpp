#include "model/trace/utf16_source.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "model/trace/utf8.h"

namespace ridgepoint {
namespace {

constexpr std::size_t wide_window = std::size_t{128} << 10;
constexpr unsigned replacement = 0xFFFD; // for half a surrogate pair

class Utf16Source : public ByteSource {
public:
    Utf16Source(std::unique_ptr<ByteSource> wide, bool big_endian) : m_wide(std::move(wide)), m_big_endian(big_endian), m_in(wide_window)
    {
        char mark[2];
        m_wide->read(mark, sizeof mark);
    }
    [[nodiscard]] double fraction() const override { return m_wide->fraction(); }
    [[nodiscard]] std::string trouble() const override { return m_trouble.empty() ? m_wide->trouble() : m_trouble; }

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        std::size_t done = 0;
        while (done < most) {
            if (m_used == m_text.size() && !fill())
                break;
            const std::size_t n = std::min(most - done, m_text.size() - m_used);
            std::memcpy(to + done, m_text.data() + m_used, n);
            m_used += n;
            done += n;
        }
        return done;
    }

private:
    // The next window of text; false at the end.
    bool fill()
    {
        m_text.clear();
        m_used = 0;
        const std::size_t n = m_wide->read(m_in.data(), m_in.size()); // fewer only at the end, so a unit is never cut before it
        for (std::size_t i = 0; i + 1 < n; i += 2)
            take(unit(i));
        if (n < m_in.size()) {
            end_half_pair();
            if (n % 2 != 0)
                m_trouble = "the UTF-16 text ends inside a character";
        }
        return !m_text.empty() || n == m_in.size();
    }

    [[nodiscard]] unsigned unit(std::size_t i) const
    {
        const auto first = static_cast<unsigned char>(m_in[i]), second = static_cast<unsigned char>(m_in[i + 1]);
        return m_big_endian ? first * 256U + second : second * 256U + first;
    }

    void take(unsigned unit)
    {
        if (unit >= 0xDC00 && unit < 0xE000 && m_high) {
            append_utf8(m_text, 0x10000 + ((*m_high - 0xD800) << 10) + (unit - 0xDC00));
            m_high.reset();
            return;
        }
        end_half_pair();
        if (unit >= 0xD800 && unit < 0xDC00)
            m_high = unit;
        else
            append_utf8(m_text, unit >= 0xDC00 && unit < 0xE000 ? replacement : unit);
    }

    void end_half_pair()
    {
        if (m_high)
            append_utf8(m_text, replacement);
        m_high.reset();
    }

    std::unique_ptr<ByteSource> m_wide;
    bool m_big_endian;
    std::vector<char> m_in;
    std::string m_text;
    std::size_t m_used = 0;
    std::optional<unsigned> m_high; // the first half of a surrogate pair
    std::string m_trouble;
};

} // namespace

std::unique_ptr<ByteSource> through_utf16(std::unique_ptr<ByteSource> source)
{
    const std::string_view head = source->peek(4);
    if (head.size() < 4)
        return source;
    const auto ascii = [](char c) { return c > 0; };
    if (head.starts_with("\xff\xfe") && ascii(head[2]) && head[3] == '\0')
        return std::make_unique<Utf16Source>(std::move(source), false);
    if (head.starts_with("\xfe\xff") && head[2] == '\0' && ascii(head[3]))
        return std::make_unique<Utf16Source>(std::move(source), true);
    return source;
}

} // namespace ridgepoint
