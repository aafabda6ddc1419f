#include <gtest/gtest.h>

#include "app/cli/text_table.h"

namespace ridgepoint::cli {
namespace {

TEST(TextTable, AlignsTextLeftAndNumbersRight)
{
    TextTable t({"Part", ">time"});
    t.add({"GEMM", "1.5 s"});
    t.add({"Attention", "12.0 s"});
    EXPECT_EQ(t.text(""), "Part         time\n-----------------\nGEMM        1.5 s\nAttention  12.0 s\n");
}

TEST(TextTable, CountsCodePointsNotBytes)
{
    EXPECT_EQ(display_width("µs"), 2u);
    TextTable t({"", ">"});
    t.add({"ä", "1"});
    t.add({"ab", "10"});
    EXPECT_EQ(t.text(""), "ä    1\nab  10\n");
}

TEST(TextTable, ShortensWithoutCuttingACharacter)
{
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdefg", 6), "abc...");
    EXPECT_EQ(shortened("ääääääää", 6), "äää...");
}

TEST(TextTable, WrapsAtBlanks)
{
    EXPECT_EQ(wrapped("one two three", "  ", 10), "  one two\n  three\n");
    EXPECT_EQ(wrapped("", "  ", 10), "  \n");
}

} // namespace
} // namespace ridgepoint::cli
