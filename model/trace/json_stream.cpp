#include "model/trace/json_stream.h"

#include <algorithm>
#include <cstring>

namespace ridgepoint {

bool JsonStream::fill(std::size_t want)
{
    if (size() >= want || m_ended)
        return size() >= want;
    std::memmove(m_bytes.data() + front_room, begin(), size());
    m_end = front_room + size();
    m_begin = front_room;
    if (m_bytes.size() < front_room + want + back_room)
        m_bytes.resize(front_room + want + back_room);
    constexpr std::size_t most_at_once = 4U << 20; // between two looks at the clock of whoever waits
    while (size() < want) {
        const std::size_t n = m_progress.stopped() ? 0 : m_source.read(end(), std::min(most_at_once, want - size()));
        m_end += n;
        if (n == 0) {
            m_ended = true;
            break;
        }
    }
    std::memset(end(), ' ', back_room);
    return size() >= want;
}

int JsonStream::next()
{
    constexpr std::size_t chunk = 64U << 10;
    for (;;) {
        for (const char *p = begin(), *e = end(); p != e; ++p)
            if (static_cast<unsigned char>(*p) > ' ') {
                consume(static_cast<std::size_t>(p - begin()));
                return static_cast<unsigned char>(*p);
            }
        consume(size());
        if (!fill(chunk) && size() == 0)
            return -1;
    }
}

bool JsonStream::skip_value(std::string* text, std::size_t keep)
{
    constexpr std::size_t chunk = 64U << 10;
    const auto take = [&](std::size_t n) {
        if (text && text->size() < keep)
            text->append(begin(), std::min(n, keep - text->size()));
        consume(n);
    };
    if (next() < 0)
        return false;
    std::int64_t depth = 0;
    bool in_string = false;
    bool escaped = false;
    bool started = false;
    for (;;) {
        const char* const e = end();
        for (const char* p = begin(); p != e; ++p) {
            const char c = *p;
            const auto done = static_cast<std::size_t>(p - begin());
            if (in_string) {
                if (escaped)
                    escaped = false;
                else if (c == '\\')
                    escaped = true;
                else if (c == '"') {
                    in_string = false;
                    if (depth == 0) {
                        take(done + 1);
                        return true;
                    }
                }
            } else if (c == '"') {
                in_string = true;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                if (depth == 0) { // the container of a bare word ends
                    take(done);
                    return true;
                }
                if (--depth == 0) {
                    take(done + 1);
                    return true;
                }
            } else if (depth == 0 && started && (c == ',' || static_cast<unsigned char>(c) <= ' ')) {
                take(done);
                return true;
            }
            started = true;
        }
        take(size());
        if (!fill(chunk) && size() == 0)
            return false;
    }
}

} // namespace ridgepoint
