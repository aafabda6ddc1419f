#pragma once
// A file as a stream of text: plain, gzip of any number of members inflated on a second thread, xz or zstd. Never mapped: a file
// that shrinks while it is read then ends early instead of killing the program, and memory stays that of one window.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/base/error.h"

namespace ridgepoint {

class ByteSource {
public:
    virtual ~ByteSource() = default;

    // Up to `most` bytes; fewer only at the end, 0 at the end.
    std::size_t read(char* to, std::size_t most);
    // The first bytes, up to `most`, without consuming them. Only before the first read.
    std::string_view peek(std::size_t most);

    [[nodiscard]] virtual double fraction() const = 0; // of the file on disk that has been read, 0 to 1
    // What was wrong with the container (a cut or damaged gzip member), once the end is reached; empty if nothing.
    [[nodiscard]] virtual std::string trouble() const { return {}; }
    // The file on disk whose bytes these are, for a library that must open it itself; empty if unpacked or in memory.
    [[nodiscard]] virtual std::string plain_file() const { return {}; }

protected:
    virtual std::size_t read_more(char* to, std::size_t most) = 0;

private:
    std::string m_peeked;
    std::size_t m_peeked_used = 0;
};

// Opens the file and looks through gzip, xz and zstd by their magic bytes, whatever the name says, and through UTF-16.
Expected<std::unique_ptr<ByteSource>> open_bytes(const std::string& file);
// The same over text in memory (tests, fuzzing). The text must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::string_view text);

} // namespace ridgepoint
