#include "model/trace/large_pages.h"

#include <cstdlib>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ridgepoint {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20; // x86-64 and arm64 with 4 KiB pages

// Smaller tables would be mostly unused page.
bool is_large(std::size_t bytes) { return bytes >= 2 * large_page; }

} // namespace

void* allocate_large(std::size_t bytes)
{
    if (!is_large(bytes))
        return ::operator new(bytes);
    if (bytes > static_cast<std::size_t>(-1) - large_page)
        throw std::bad_alloc();
    void* const at = std::aligned_alloc(large_page, (bytes + large_page - 1) / large_page * large_page);
    if (at == nullptr)
        throw std::bad_alloc();
#ifdef __linux__
    madvise(at, bytes, MADV_HUGEPAGE); // a wish: without it, small pages
#endif
    return at;
}

void free_large(void* at, std::size_t bytes) noexcept
{
    if (is_large(bytes))
        std::free(at);
    else
        ::operator delete(at);
}

} // namespace ridgepoint
