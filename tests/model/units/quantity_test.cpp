#include "model/units/quantity.h"

#include <type_traits>

#include <gtest/gtest.h>

#include "model/units/format.h"

using namespace ridgepoint;

// Wrong mixes do not compile.
template <typename A, typename B>
concept Addable = requires(A a, B b) { a + b; };
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, Flops>);
static_assert(!Addable<Seconds, double>);
static_assert(!std::is_convertible_v<double, Bytes>);
static_assert(std::is_same_v<decltype(Bytes{} / Seconds{}), BytesPerSecond>);
static_assert(std::is_same_v<decltype(FlopPerSecond{} / BytesPerSecond{1}), FlopPerByte>);
static_assert(std::is_same_v<decltype(Bytes{} / Bytes{1}), double>);

TEST(Units, GigaIsNotGibiAndBitIsNotByte)
{
    EXPECT_DOUBLE_EQ(gigabytes(1).value(), 1e9);
    EXPECT_DOUBLE_EQ(gibibytes(1).value(), 1073741824.0);
    EXPECT_DOUBLE_EQ(gigabits_per_second(400).value(), 50e9); // one 400 Gb/s NIC moves 50 GB/s
    EXPECT_DOUBLE_EQ(in_gibibytes(mebibytes(81559)), 81559.0 / 1024.0); // H100: 79.6 GiB visible
}

TEST(Format, ReadsLikePeopleWriteIt)
{
    EXPECT_EQ(format(teraflops_per_second(989.5)), "990 TFLOP/s");
    EXPECT_EQ(format(teraflops_per_second(1979)), "1.98 PFLOP/s");
    EXPECT_EQ(format(gigabytes_per_second(4800)), "4.80 TB/s");
    EXPECT_EQ(format(mebibytes(81559)), "79.6 GiB");
    EXPECT_EQ(format(microseconds(12)), "12.0 us");
    EXPECT_EQ(format(hours(100)), "4.17 days");
    EXPECT_EQ(format(Dollars{1234567.8}), "$1,234,568");
    EXPECT_EQ(format(Dollars{-12.4}), "-$12.40");
    EXPECT_EQ(format_percent(0.4123), "41.2 %");
    EXPECT_EQ(group_thousands(-1234567), "-1,234,567");
    EXPECT_EQ(format(Seconds{1.0 / 0.0}), "n/a");
}

TEST(Format, StaysBelowAThousandOfEachPrefix)
{
    for (double v = 1.0; v < 1e17; v *= 1.37) {
        const std::string s = format_si(v, "B");
        EXPECT_LT(std::stod(s), 1000.0) << v << " " << s;
    }
}
