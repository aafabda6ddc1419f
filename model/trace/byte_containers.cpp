#include "model/trace/byte_containers.h"

#include <vector>

#include <fmt/format.h>
#include <lzma.h>
#include <zstd.h>

namespace ridgepoint {
namespace {

constexpr std::size_t packed_window = std::size_t{256} << 10;
constexpr std::uint64_t largest_memory = std::uint64_t{256} << 20;

// What both have in common: packed bytes come in windows, trouble is kept for the end.
class Unpacker : public ByteSource {
public:
    explicit Unpacker(std::unique_ptr<ByteSource> packed) : m_packed(std::move(packed)), m_in(packed_window) {}
    [[nodiscard]] double fraction() const override { return m_packed->fraction(); }
    [[nodiscard]] std::string trouble() const override { return m_trouble; }

protected:
    std::size_t next_window() { return m_packed->read(m_in.data(), m_in.size()); }
    std::size_t fail(std::string trouble, std::size_t done)
    {
        m_trouble = std::move(trouble);
        m_ended = true;
        return done;
    }

    std::unique_ptr<ByteSource> m_packed;
    std::vector<char> m_in;
    std::string m_trouble;
    std::uint64_t m_made = 0;
    bool m_ended = false;
};

class XzSource : public Unpacker {
public:
    explicit XzSource(std::unique_ptr<ByteSource> packed) : Unpacker(std::move(packed))
    {
        if (lzma_stream_decoder(&m_stream, largest_memory, LZMA_CONCATENATED) != LZMA_OK)
            fail("the xz decoder could not start", 0);
    }
    ~XzSource() override { lzma_end(&m_stream); }
    XzSource(const XzSource&) = delete;
    XzSource& operator=(const XzSource&) = delete;

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        m_stream.next_out = reinterpret_cast<std::uint8_t*>(to);
        m_stream.avail_out = most;
        while (!m_ended && m_stream.avail_out > 0) {
            if (m_stream.avail_in == 0 && !m_input_ended) {
                m_stream.avail_in = next_window();
                m_stream.next_in = reinterpret_cast<const std::uint8_t*>(m_in.data());
                m_input_ended = m_stream.avail_in == 0;
            }
            const lzma_ret rc = lzma_code(&m_stream, m_input_ended ? LZMA_FINISH : LZMA_RUN);
            const std::size_t done = most - m_stream.avail_out;
            if (rc == LZMA_STREAM_END)
                m_ended = true;
            else if (rc == LZMA_BUF_ERROR)
                return fail(fmt::format("the xz file ends early, after {} bytes of text", m_made + done), done);
            else if (rc == LZMA_MEMLIMIT_ERROR)
                return fail("the xz file asks for a window of more than 256 MiB", done);
            else if (rc != LZMA_OK)
                return fail(fmt::format("the xz file is damaged after {} bytes of text", m_made + done), done);
        }
        const std::size_t done = most - m_stream.avail_out;
        m_made += done;
        return done;
    }

private:
    lzma_stream m_stream = LZMA_STREAM_INIT;
    bool m_input_ended = false;
};

class ZstdSource : public Unpacker {
public:
    explicit ZstdSource(std::unique_ptr<ByteSource> packed) : Unpacker(std::move(packed)), m_context(ZSTD_createDCtx())
    {
        if (!m_context)
            fail("the zstd decoder could not start", 0);
        else
            ZSTD_DCtx_setParameter(m_context, ZSTD_d_windowLogMax, 28); // 2^28 = largest_memory
    }
    ~ZstdSource() override { ZSTD_freeDCtx(m_context); }
    ZstdSource(const ZstdSource&) = delete;
    ZstdSource& operator=(const ZstdSource&) = delete;

protected:
    std::size_t read_more(char* to, std::size_t most) override
    {
        ZSTD_outBuffer out{to, most, 0};
        while (!m_ended && out.pos < out.size) {
            if (m_window.pos == m_window.size) {
                m_window = {m_in.data(), next_window(), 0};
                if (m_window.size == 0) {
                    if (m_in_frame)
                        return fail(fmt::format("the zstd file ends early, after {} bytes of text", m_made + out.pos), out.pos);
                    m_ended = true;
                    break;
                }
            }
            const std::size_t rc = ZSTD_decompressStream(m_context, &out, &m_window);
            if (ZSTD_isError(rc))
                return fail(fmt::format("the zstd file is damaged after {} bytes of text ({})", m_made + out.pos, ZSTD_getErrorName(rc)), out.pos);
            m_in_frame = rc != 0;
        }
        m_made += out.pos;
        return out.pos;
    }

private:
    ZSTD_DCtx* m_context;
    ZSTD_inBuffer m_window{nullptr, 0, 0};
    bool m_in_frame = true;
};

} // namespace

std::unique_ptr<ByteSource> through_xz_or_zstd(std::unique_ptr<ByteSource> source)
{
    const std::string_view magic = source->peek(6);
    if (magic == std::string_view("\xfd"
                                  "7zXZ\0",
            6))
        return std::make_unique<XzSource>(std::move(source));
    if (magic.starts_with("\x28\xb5\x2f\xfd"))
        return std::make_unique<ZstdSource>(std::move(source));
    return source;
}

} // namespace ridgepoint
