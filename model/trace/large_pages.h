#pragma once
// Memory for tables of millions of rows: in pages of 2 MiB where the system grants them, because the first touch of each small
// page costs more than parsing what is written there.

#include <cstddef>
#include <new>
#include <vector>

namespace ridgepoint {

void* allocate_large(std::size_t bytes); // throws std::bad_alloc
void free_large(void* at, std::size_t bytes) noexcept; // bytes as allocated

template <typename T> struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <typename U> LargePages(const LargePages<U>&) noexcept {}
    T* allocate(std::size_t n)
    {
        if (n > static_cast<std::size_t>(-1) / sizeof(T))
            throw std::bad_array_new_length();
        return static_cast<T*>(allocate_large(n * sizeof(T)));
    }
    void deallocate(T* at, std::size_t n) noexcept { free_large(at, n * sizeof(T)); }
    template <typename U> bool operator==(const LargePages<U>&) const noexcept { return true; }
};

template <typename T> using RowTable = std::vector<T, LargePages<T>>;

} // namespace ridgepoint
