#include "model/base/error.h"

#include <gtest/gtest.h>

using namespace ridgepoint;

TEST(Error, SaysPlaceMessageFoundExpectedAndHint)
{
    Error e = bad_input("tp must divide the heads", {"plan.ridgepoint", 12, "/layout/tp"}, "3", "a divisor of 64");
    e.hint = "tp 4 works";
    EXPECT_EQ(e.text(), "plan.ridgepoint:12 at /layout/tp: tp must divide the heads (found 3, expected a divisor of 64). tp 4 works");
}

TEST(Error, LeavesOutWhatIsUnknown)
{
    EXPECT_EQ(bad_input("no").text(), "no");
    EXPECT_EQ((Place{"", 3, ""}).text(), "line 3");
    EXPECT_EQ((Place{"", 0, "/a"}).text(), "/a");
}

TEST(Expected, HoldsAValueOrAnError)
{
    const Expected<int> good = 3;
    const Expected<int> bad = infeasible("too big", "halve it");
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 3);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().kind, ErrorKind::infeasible);
    EXPECT_EQ(bad.error().hint, "halve it");
}
