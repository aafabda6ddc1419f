#include <gtest/gtest.h>

#include "model/units/date.h"

namespace ridgepoint {
namespace {

TEST(Dates, AreReadAndWrittenAsOneSpelling)
{
    EXPECT_EQ(parse_date("1970-01-01")->days(), 0);
    EXPECT_EQ(parse_date("2000-03-01")->days(), 11017); // 30 years of 365 days, 7 leap days, 31 + 29 days
    for (const char* text : {"1970-01-01", "2024-02-29", "2026-11-30", "9999-12-31"})
        EXPECT_EQ(parse_date(text)->text(), text);
    EXPECT_EQ(*parse_date("2027-01-01") - *parse_date("2026-01-01"), 365);
    EXPECT_EQ(*parse_date("2025-01-01") - *parse_date("2024-01-01"), 366);
}

TEST(Dates, NothingElseIsADate)
{
    for (const char* text : {"", "2026", "2026-11", "26-11-30", "2026-1-30", "2026-11-3", "2026/11/30", "30-11-2026", "2026-13-01", "2026-00-10", "2026-02-29", "2026-04-31", "2026-11-00",
             "+026-11-30", "2026-11-30 ", " 2026-11-30", "2026-11-30T00:00", "1969-12-31", "tomorrow", "2026-1a-30", "\0"}) {
        const Expected<Date> d = parse_date(text);
        ASSERT_FALSE(d) << text;
        EXPECT_EQ(d.error().kind, ErrorKind::bad_input);
        EXPECT_FALSE(d.error().expected.empty());
    }
    EXPECT_FALSE(parse_date(std::string(1'000'000, '9'))) << "and says so in a line";
    EXPECT_LT(parse_date(std::string(1'000'000, '9')).error().found.size(), 100U);
}

TEST(Dates, MoveByWholeDays)
{
    const Date d = *parse_date("2026-11-30");
    EXPECT_EQ(d.plus(Seconds{0.0}), d);
    EXPECT_EQ(d.plus(Seconds{86400.0}).text(), "2026-12-01");
    EXPECT_EQ(d.plus(Seconds{86401.0}).text(), "2026-12-02") << "a day begun is a day";
    EXPECT_EQ(d.minus(Seconds{86401.0}).text(), "2026-11-28") << "so that a start is never too late";
    EXPECT_EQ(d.plus(Seconds{1e300}).text(), "9999-12-31");
    EXPECT_EQ(d.minus(Seconds{1e300}).text(), "0001-01-01");
}

TEST(Dates, SourcesMayLeaveOutDayAndMonth)
{
    EXPECT_EQ(parse_source_date("2026")->text(), "2026-12-31");
    EXPECT_EQ(parse_source_date("2024-02")->text(), "2024-02-29");
    EXPECT_EQ(parse_source_date("2026-07-20")->text(), "2026-07-20");
    EXPECT_FALSE(parse_source_date("2023-2026"));
    EXPECT_FALSE(parse_source_date("2026-14"));
}

} // namespace
} // namespace ridgepoint
