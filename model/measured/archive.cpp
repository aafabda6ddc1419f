#include "model/measured/archive.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

constexpr std::size_t block = 512;
using Header = std::array<char, block>;

std::string_view field(std::string_view header, std::size_t at, std::size_t size)
{
    const std::string_view f = header.substr(at, size);
    return f.substr(0, f.find('\0'));
}

std::optional<std::uint64_t> octal(std::string_view f)
{
    while (f.starts_with(' '))
        f.remove_prefix(1);
    std::uint64_t n = 0;
    const auto r = std::from_chars(f.data(), f.data() + f.size(), n, 8);
    return r.ec == std::errc{} ? std::optional(n) : std::nullopt;
}

// Octal text, or with the first bit set a binary number (GNU, beyond 8 GiB).
std::optional<std::uint64_t> size_of(std::string_view header)
{
    const std::string_view f = header.substr(124, 12);
    if ((static_cast<unsigned char>(f[0]) & 0x80U) == 0)
        return octal(field(header, 124, 12));
    std::uint64_t n = 0;
    for (const char c : f.substr(4))
        n = (n << 8) | static_cast<unsigned char>(c);
    return n < (std::uint64_t{1} << 60) ? std::optional(n) : std::nullopt;
}

// The sum of the header's bytes, its own field taken as blanks.
bool sum_is_right(std::string_view header)
{
    const auto stated = octal(field(header, 148, 8));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < block; ++i)
        sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(header[i]);
    return stated && *stated == sum;
}

// The path of a pax header: "27 path=some/long/name\n".
std::string pax_path(std::string_view text)
{
    const auto at = text.find(" path=");
    if (at == std::string_view::npos)
        return {};
    const std::string_view value = text.substr(at + 6);
    return std::string(value.substr(0, value.find('\n')));
}

bool pass(ByteSource& source, std::uint64_t bytes)
{
    std::array<char, 16384> buffer;
    while (bytes > 0) {
        const std::size_t n = source.read(buffer.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, buffer.size())));
        if (n == 0)
            return false;
        bytes -= n;
    }
    return true;
}

// Grows with what is really there: a header may promise more than the file has.
bool take(ByteSource& source, std::uint64_t size, std::string& text)
{
    while (text.size() < size) {
        const std::size_t before = text.size();
        const auto want = static_cast<std::size_t>(std::min<std::uint64_t>(size - before, std::size_t{1} << 20));
        text.resize(before + want);
        const std::size_t n = source.read(text.data() + before, want);
        text.resize(before + n);
        if (n == 0)
            return false;
    }
    return true;
}

} // namespace

bool is_tar(std::string_view head) { return head.size() >= block && (head.substr(257, 5) == "ustar" || (head[0] != '\0' && head[0] != '{' && head[0] != '[')) && sum_is_right(head.substr(0, block)); }

Status each_member(ByteSource& source, const std::string& file, const ArchiveLimits& limits, const Progress& progress, const std::function<void(ArchiveMember)>& visit, std::string& trouble)
{
    Header bytes;
    std::string long_name;
    int files = 0;
    for (std::int64_t headers = 0; headers < 1'000'000; ++headers) {
        if (progress.stopped())
            return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
        progress.at(source.fraction());
        const std::size_t n = source.read(bytes.data(), block);
        const std::string_view header(bytes.data(), block);
        if (n == 0 || (n == block && header.find_first_not_of('\0') == std::string_view::npos))
            break; // the end: two empty blocks, or nothing
        const auto size = n == block && sum_is_right(header) ? size_of(header) : std::nullopt;
        if (!size) {
            trouble = "the tar archive is damaged or ends inside a header";
            break;
        }
        const char type = header[156];
        const std::uint64_t padding = (block - *size % block) % block;
        if (type == 'L' || type == 'x') { // the name of the next member
            std::string text;
            if (*size > 65536 || !take(source, *size, text) || !pass(source, padding)) {
                trouble = "the tar archive has a damaged name";
                break;
            }
            long_name = type == 'x' ? pax_path(text) : std::string(text.c_str());
            continue;
        }
        ArchiveMember m;
        m.size = *size;
        const std::string_view prefix = header.substr(257, 6) == std::string_view("ustar\0", 6) ? field(header, 345, 155) : std::string_view();
        m.name = !long_name.empty() ? long_name : (prefix.empty() ? "" : std::string(prefix) + "/") + std::string(field(header, 0, 100));
        long_name.clear();
        const bool ordinary = type == '0' || type == '\0' || type == '7';
        if (!ordinary || m.size > limits.largest_file) {
            if (!pass(source, m.size + padding))
                trouble = "the tar archive ends early";
            m.too_large = ordinary;
        } else if (!take(source, m.size, m.text) || !pass(source, padding)) {
            if (m.text.size() < m.size) {
                trouble = fmt::format("the tar archive ends inside {}", m.name);
                break;
            }
        }
        if (ordinary) {
            visit(std::move(m));
            if (++files >= limits.most_files) {
                trouble = fmt::format("only the first {} files of the archive were read", files);
                break;
            }
        }
        if (!trouble.empty())
            break;
    }
    if (files == 0)
        return bad_input(trouble.empty() ? "the archive holds no files" : trouble, Place{file, 0, {}}, {}, "an archive of measured files");
    return Done{};
}

} // namespace ridgepoint
