#include "model/trace/byte_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "model/trace/byte_containers.h"
#include "model/trace/utf16_source.h"

namespace ridgepoint {
namespace {

struct CloseFile {
    void operator()(std::FILE* f) const { std::fclose(f); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

class PlainSource : public ByteSource {
public:
    PlainSource(FileHandle file, std::uint64_t size, std::string path) : m_file(std::move(file)), m_size(size), m_path(std::move(path))
    {
        std::setvbuf(m_file.get(), nullptr, _IONBF, 0); // windows are large: a second buffer only costs a copy
    }
    [[nodiscard]] double fraction() const override
    {
        return m_size ? std::min(1.0, static_cast<double>(m_done) / static_cast<double>(m_size)) : 1.0;
    }
    [[nodiscard]] std::string plain_file() const override { return m_path; }

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        const std::size_t n = std::fread(to, 1, most, m_file.get());
        m_done += n;
        return n;
    }

private:
    FileHandle m_file;
    std::uint64_t m_size = 0;
    std::uint64_t m_done = 0;
    std::string m_path;
};

class TextSource : public ByteSource {
public:
    explicit TextSource(std::string_view text) : m_text(text) {}
    [[nodiscard]] double fraction() const override
    {
        return m_text.empty() ? 1.0 : static_cast<double>(m_done) / static_cast<double>(m_text.size());
    }

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        const std::size_t n = std::min(most, m_text.size() - m_done);
        if (n > 0)
            std::memcpy(to, m_text.data() + m_done, n);
        m_done += n;
        return n;
    }

private:
    std::string_view m_text;
    std::size_t m_done = 0;
};

// Inflates ahead of the reader, a few blocks deep.
class GzipSource : public ByteSource {
public:
    GzipSource(std::unique_ptr<ByteSource> packed) : m_packed(std::move(packed)), m_worker([this] { work(); }) {}
    ~GzipSource() override
    {
        {
            const std::lock_guard lock(m_mutex);
            m_abandoned = true;
        }
        m_changed.notify_all();
        m_worker.join();
    }
    [[nodiscard]] double fraction() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_fraction;
    }
    [[nodiscard]] std::string trouble() const override
    {
        const std::lock_guard lock(m_mutex);
        return m_trouble;
    }

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        std::size_t done = 0;
        while (done < most) {
            if (m_used == m_block.size() && !next_block())
                break;
            const std::size_t n = std::min(most - done, m_block.size() - m_used);
            std::memcpy(to + done, m_block.data() + m_used, n);
            m_used += n;
            done += n;
        }
        return done;
    }

private:
    static constexpr std::size_t block_size = 1U << 20;
    static constexpr std::size_t blocks_ahead = 6;

    bool next_block()
    {
        std::unique_lock lock(m_mutex);
        if (m_block.capacity() == block_size)
            m_spare.push_back(std::move(m_block));
        m_block.clear();
        m_used = 0;
        m_changed.wait(lock, [this] { return !m_ready.empty() || m_finished; });
        if (m_ready.empty())
            return false;
        m_block = std::move(m_ready.front());
        m_ready.pop_front();
        lock.unlock();
        m_changed.notify_all();
        return true;
    }

    // Hands a block over; false if nobody wants more.
    bool deliver(std::vector<char>& block)
    {
        std::unique_lock lock(m_mutex);
        m_fraction = m_packed->fraction();
        m_changed.wait(lock, [this] { return m_ready.size() < blocks_ahead || m_abandoned; });
        if (m_abandoned)
            return false;
        if (!block.empty())
            m_ready.push_back(std::move(block));
        block.clear();
        if (!m_spare.empty()) {
            block = std::move(m_spare.back());
            m_spare.pop_back();
            block.clear();
        }
        block.reserve(block_size);
        lock.unlock();
        m_changed.notify_all();
        return true;
    }

    void finish(std::string trouble)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_finished = true;
            m_fraction = 1;
            m_trouble = std::move(trouble);
        }
        m_changed.notify_all();
    }

    void work()
    {
        try {
            finish(inflate_all());
        } catch (const std::bad_alloc&) {
            finish("memory ran out while inflating the gzip file");
        }
    }

    std::string inflate_all()
    {
        z_stream z{};
        if (inflateInit2(&z, 15 + 16) != Z_OK)
            return "zlib could not start";
        const std::unique_ptr<z_stream, int (*)(z_streamp)> ends(&z, inflateEnd);
        std::vector<unsigned char> in(256U << 10);
        std::vector<char> block;
        block.reserve(block_size);
        std::uint64_t made = 0;
        bool in_member = true; // the caller saw the magic bytes of the first
        for (;;) {
            if (z.avail_in == 0) {
                z.avail_in = static_cast<uInt>(m_packed->read(reinterpret_cast<char*>(in.data()), in.size()));
                z.next_in = in.data();
            }
            if (z.avail_in == 0) {
                if (!deliver(block) || !in_member)
                    return {};
                return fmt::format("the gzip file ends early, after {} bytes of text", made);
            }
            if (!in_member) { // further members follow directly; zero padding is allowed, anything else is not ours
                if (*z.next_in == 0) {
                    ++z.next_in;
                    --z.avail_in;
                    continue;
                }
                if (*z.next_in != 0x1f) {
                    deliver(block);
                    return "bytes that are not gzip follow the last gzip member";
                }
                inflateReset(&z);
                in_member = true;
            }
            const std::size_t before = block.size();
            block.resize(block_size);
            z.next_out = reinterpret_cast<Bytef*>(block.data() + before);
            z.avail_out = static_cast<uInt>(block_size - before);
            const int rc = inflate(&z, Z_NO_FLUSH);
            block.resize(block_size - z.avail_out);
            made += block.size() - before;
            if (rc == Z_STREAM_END)
                in_member = false;
            else if (rc != Z_OK && rc != Z_BUF_ERROR) {
                deliver(block);
                return fmt::format("the gzip file is damaged after {} bytes of text ({})", made, z.msg ? z.msg : "zlib error");
            }
            if (block.size() == block_size && !deliver(block))
                return {};
        }
    }

    std::unique_ptr<ByteSource> m_packed;
    std::vector<char> m_block; // the reader's
    std::size_t m_used = 0;

    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::vector<char>> m_ready;
    std::vector<std::vector<char>> m_spare;
    bool m_finished = false;
    bool m_abandoned = false;
    double m_fraction = 0;
    std::string m_trouble;
    std::thread m_worker; // last: starts when the rest is there
};

std::unique_ptr<ByteSource> through_container(std::unique_ptr<ByteSource> source)
{
    if (source->peek(3) == std::string_view("\x1f\x8b\x08", 3))
        source = std::make_unique<GzipSource>(std::move(source));
    else
        source = through_xz_or_zstd(std::move(source));
    return through_utf16(std::move(source));
}

} // namespace

std::size_t ByteSource::read(char* to, std::size_t most)
{
    std::size_t done = 0;
    if (m_peeked_used < m_peeked.size()) {
        done = std::min(most, m_peeked.size() - m_peeked_used);
        std::memcpy(to, m_peeked.data() + m_peeked_used, done);
        m_peeked_used += done;
        if (m_peeked_used == m_peeked.size()) {
            m_peeked = {};
            m_peeked_used = 0;
        }
    }
    return done < most ? done + read_more(to + done, most - done) : done;
}

std::string_view ByteSource::peek(std::size_t most)
{
    if (m_peeked.size() < most) {
        const std::size_t had = m_peeked.size();
        m_peeked.resize(most);
        m_peeked.resize(had + read_more(m_peeked.data() + had, most - had));
    }
    return std::string_view(m_peeked).substr(0, most);
}

Expected<std::unique_ptr<ByteSource>> open_bytes(const std::string& file)
{
    std::error_code ec;
    if (std::filesystem::is_directory(file, ec))
        return io_error("is a folder, not a file", file);
    FileHandle handle(std::fopen(file.c_str(), "rb"));
    if (!handle)
        return io_error(fmt::format("cannot be opened ({})", std::strerror(errno)), file);
    const auto size = std::filesystem::file_size(file, ec);
    return through_container(std::make_unique<PlainSource>(std::move(handle), ec ? 0 : size, file));
}

std::unique_ptr<ByteSource> bytes_of(std::string_view text) { return through_container(std::make_unique<TextSource>(text)); }

} // namespace ridgepoint
