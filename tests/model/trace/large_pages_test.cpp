// Tables of rows in large pages: nothing but faster.

#include <cstdint>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "model/trace/large_pages.h"

namespace ridgepoint {

TEST(LargePages, RowsSurviveGrowingOverTheLimit)
{
    RowTable<std::uint64_t> rows; // 16 MB at the end: from small memory into large pages, and through several of them
    constexpr std::uint64_t n = 2'000'000;
    for (std::uint64_t i = 0; i < n; ++i)
        rows.push_back(i * i);
    for (std::uint64_t i = 0; i < n; ++i)
        ASSERT_EQ(rows[i], i * i);
    const RowTable<std::uint64_t> copy = rows;
    rows.clear();
    rows.shrink_to_fit();
    EXPECT_EQ(copy.size(), n);
    EXPECT_EQ(copy.back(), (n - 1) * (n - 1));
}

TEST(LargePages, MoreThanThereIsThrows)
{
    EXPECT_THROW(allocate_large(static_cast<std::size_t>(-1)), std::bad_alloc);
    EXPECT_THROW(RowTable<std::uint64_t>().reserve(static_cast<std::size_t>(-1)), std::length_error);
    void* const small = allocate_large(1);
    ASSERT_NE(small, nullptr);
    free_large(small, 1);
}

} // namespace ridgepoint
