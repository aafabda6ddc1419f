#include <gtest/gtest.h>

#include <array>

#include "model/units/parse.h"

namespace ridgepoint {
namespace {

TEST(Units, FactorsAreThoseOfTheStandards)
{
    struct Row {
        const char* text;
        Dimension what;
        double base;
    };
    // SI prefixes are powers of ten, IEC prefixes powers of two (IEC 80000-13); a byte has 8 bits, an hour 3600 s.
    const std::array rows = {
        Row{"3.35 TB/s", dimension<BytesPerSecond>, 3.35e12},
        Row{"400 Gbit/s", dimension<BytesPerSecond>, 50e9},
        Row{"100 Mbit/s", dimension<BytesPerSecond>, 12.5e6},
        Row{"450 GB/s", dimension<BytesPerSecond>, 450e9},
        Row{"1 GiB/s", dimension<BytesPerSecond>, 1073741824.0},
        Row{"989.5 TFLOP/s", dimension<FlopPerSecond>, 989.5e12},
        Row{"153.5 TOP/s", dimension<FlopPerSecond>, 153.5e12},
        Row{"80 GB", dimension<Bytes>, 80e9},
        Row{"80 GiB", dimension<Bytes>, 85899345920.0},
        Row{"81559 MiB", dimension<Bytes>, 85520809984.0},
        Row{"7.5 TB", dimension<Bytes>, 7.5e12},
        Row{"35 us", dimension<Seconds>, 35e-6},
        Row{"2 h", dimension<Seconds>, 7200.0},
        Row{"1830 MHz", dimension<Hertz>, 1.83e9},
        Row{"10.2 kW", dimension<Watts>, 10200.0},
        Row{"1 kWh", dimension<Joules>, 3.6e6},
        Row{"36 USD/h", dimension<DollarsPerSecond>, 0.01},
        Row{"15 Ttokens", dimension<Tokens>, 15e12},
        Row{"40 %", dimension<double>, 0.4},
        Row{"8 GPUs", dimension<double>, 8.0},
        Row{"8", dimension<double>, 8.0},
        Row{" 64GB ", dimension<Bytes>, 64e9},
        Row{"1e3 MB", dimension<Bytes>, 1e9},
    };
    for (const Row& row : rows) {
        const Expected<double> v = parse_base_units(row.text, row.what);
        ASSERT_TRUE(v.has_value()) << row.text << ": " << v.error().text();
        EXPECT_DOUBLE_EQ(*v, row.base) << row.text;
    }
}

TEST(Units, ThroughputPerCapacityTimesCapacityIsThroughput)
{
    // 1000 MB/s per TiB on 4.8 TiB: 4800 MB/s.
    const Expected<Hertz> rate = parse_quantity<Hertz>("1000 MB/s/TiB");
    const Expected<Bytes> size = parse_quantity<Bytes>("4.8 TiB");
    ASSERT_TRUE(rate.has_value() && size.has_value());
    EXPECT_NEAR(in_gigabytes_per_second(*rate * *size), 4.8, 1e-12);
}

TEST(Units, CaseAndPrefixMatter)
{
    EXPECT_EQ(find_unit("gb"), nullptr);
    EXPECT_EQ(find_unit("Gb/s"), nullptr); // a bit or a byte? write Gbit/s or GB/s
    EXPECT_EQ(find_unit("GBps"), nullptr);
    EXPECT_EQ(find_unit(""), nullptr);
    ASSERT_NE(find_unit("GB"), nullptr);
    ASSERT_NE(find_unit("GiB"), nullptr);
    EXPECT_NE(find_unit("GB")->to_base(1), find_unit("GiB")->to_base(1));
}

TEST(Units, WrongDimensionNamesBothAndOffersUnits)
{
    const Expected<BytesPerSecond> v = parse_quantity<BytesPerSecond>("80 GB");
    ASSERT_FALSE(v.has_value());
    EXPECT_NE(v.error().message.find("memory"), std::string::npos) << v.error().text();
    EXPECT_NE(v.error().message.find("bandwidth"), std::string::npos);
    EXPECT_EQ(v.error().found, "\"GB\"");
    EXPECT_NE(v.error().expected.find("Gbit/s"), std::string::npos);
}

TEST(Units, NoNumberNoQuantity)
{
    for (const char* text : {"", "   ", "GB", "nan GB", "inf GB", "-inf GB", "1e400 GB", "12 parsecs", "1 2 GB", "0x10 GB", "5"})
        EXPECT_FALSE(parse_quantity<Bytes>(text).has_value()) << text;
    EXPECT_FALSE(to_base_units(1e308, "TB", dimension<Bytes>).has_value()); // overflows in base units
}

TEST(Units, EveryDimensionNameIsFoundAgain)
{
    for (const Dimension& d : {dimension<double>, dimension<Flops>, dimension<Bytes>, dimension<Seconds>, dimension<Dollars>,
             dimension<Joules>, dimension<Tokens>, dimension<FlopPerSecond>, dimension<BytesPerSecond>, dimension<FlopPerByte>,
             dimension<Hertz>, dimension<Watts>, dimension<DollarsPerSecond>, dimension<TokensPerSecond>, dimension<BytesPerToken>}) {
        ASSERT_NE(find_dimension(name_of(d)), nullptr) << name_of(d);
        EXPECT_EQ(*find_dimension(name_of(d)), d);
        EXPECT_FALSE(units_of(d).empty()) << name_of(d);
    }
    EXPECT_EQ(find_dimension("furlongs"), nullptr);
}

} // namespace
} // namespace ridgepoint
