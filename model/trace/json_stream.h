#pragma once
// A sliding window over the text of a file, with room in front of it and readable bytes behind it so that a SIMD parser
// can work on it in place.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/base/progress.h"
#include "model/trace/byte_source.h"

namespace ridgepoint {

class JsonStream {
public:
    static constexpr std::size_t front_room = 64;
    static constexpr std::size_t back_room = 128;

    // A reader that is told to stop finds that the text ends.
    JsonStream(ByteSource& source, const Progress& progress) : m_source(source), m_progress(progress), m_bytes(front_room + back_room) {}

    // The text at hand. At least one byte before begin() may be overwritten, back_room bytes behind end() may be read.
    [[nodiscard]] char* begin() { return m_bytes.data() + m_begin; }
    [[nodiscard]] char* end() { return m_bytes.data() + m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_begin; }
    [[nodiscard]] std::uint64_t offset() const { return m_offset; } // of begin() in the text
    [[nodiscard]] bool at_end() const { return m_ended; } // no text beyond end()

    void consume(std::size_t n)
    {
        m_begin += n;
        m_offset += n;
    }
    // Makes `want` bytes available; false if the text ends before.
    bool fill(std::size_t want);
    // The next byte after white space, not consumed; -1 at the end of the text.
    int next();

    // Skips one JSON value whatever its depth, brackets matched outside strings. The first `keep` bytes go to `text`, if
    // given. False: the text ended inside the value.
    bool skip_value(std::string* text = nullptr, std::size_t keep = 0);

private:
    ByteSource& m_source;
    const Progress& m_progress;
    std::vector<char> m_bytes;
    std::size_t m_begin = front_room;
    std::size_t m_end = front_room;
    std::uint64_t m_offset = 0;
    bool m_ended = false;
};

} // namespace ridgepoint
