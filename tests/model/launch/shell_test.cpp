#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/launch/shell.h"
#include "model/launch/toml.h"

namespace ridgepoint {
namespace {

std::vector<std::string> words(const std::string& text)
{
    std::vector<std::string> out;
    const auto commands = split_shell(text, "t");
    EXPECT_TRUE(commands) << commands.error().text();
    if (commands)
        for (const ShellCommand& c : *commands)
            for (const ShellWord& w : c)
                out.push_back(w.text);
    return out;
}

TEST(Shell, QuotesAnyNameAsOneWord)
{
    for (const std::string name : {"plain-name_1.2", "two words", "it's", "\"quoted\"", "$(rm -rf /)", "`id`", "a\nb", "", "~", "\\", "é", "tab\there", "$HOME", "#x", "*", "a;b", "'\n'"}) {
        EXPECT_EQ(words(shell_quote(name)), std::vector<std::string>{name}) << shell_quote(name);
        EXPECT_EQ(shell_quote(name).find('\n'), std::string::npos) << "no name adds a line to a script";
    }
}

TEST(Shell, QuotesRandomBytes)
{
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        std::string name;
        for (int n = std::uniform_int_distribution(0, 12)(random); n > 0; --n)
            name += static_cast<char>(std::uniform_int_distribution(1, 255)(random)); // a word of a shell has no NUL
        const auto commands = split_shell("x " + shell_quote(name) + " y", "t");
        ASSERT_TRUE(commands);
        ASSERT_EQ(commands->size(), 1U);
        ASSERT_EQ(commands->front().size(), 3U);
        EXPECT_EQ(commands->front()[1].text, name);
        EXPECT_FALSE(commands->front()[1].expands);
    }
}

// The same by a real shell.
TEST(Shell, BashReadsTheSameWord)
{
    for (const std::string name : {"it's $(x) `y` \"z\"", "a\nb\\n", "\xff\x01 é"}) {
        std::FILE* bash = popen(("bash -c " + shell_quote("printf %s " + shell_quote(name)) + " 2>/dev/null").c_str(), "r");
        ASSERT_NE(bash, nullptr);
        std::string read;
        for (int c = std::fgetc(bash); c != EOF; c = std::fgetc(bash))
            read += static_cast<char>(c);
        if (pclose(bash) != 0)
            GTEST_SKIP() << "no bash here";
        EXPECT_EQ(read, name);
    }
}

TEST(Shell, ContinuesLinesAndDropsComments)
{
    EXPECT_THAT(words("a \\\n  --b c # no\n# all of it\n--d=e\\\nf"), testing::ElementsAre("a", "--b", "c", "--d=ef"));
    EXPECT_EQ(split_shell("a b; c && d\ne", "t")->size(), 4U);
    EXPECT_EQ((*split_shell("a\n\n  b", "t"))[1][0].line, 3);
}

TEST(Shell, LeavesSubstitutionsAlone)
{
    const auto c = split_shell("x $(rm -rf /) \"${A:-b c}\" `id` 'no $x'", "t");
    ASSERT_TRUE(c);
    ASSERT_EQ(c->front().size(), 5U);
    EXPECT_TRUE(c->front()[1].expands);
    EXPECT_EQ(c->front()[1].text, "$(rm -rf /)");
    EXPECT_TRUE(c->front()[2].expands);
    EXPECT_TRUE(c->front()[3].expands);
    EXPECT_FALSE(c->front()[4].expands);
}

TEST(Shell, NamesTheLineOfWhatNeverEnds)
{
    for (const char* text : {"a\nb 'c", "a\nb \"c", "a\nb $'c", "a\nb $(c", "a\nb `c", "a\nb ${c"}) {
        const auto c = split_shell(text, "job.sh");
        ASSERT_FALSE(c) << text;
        EXPECT_EQ(c.error().place.line, 2) << text;
        EXPECT_EQ(c.error().place.file, "job.sh");
    }
    EXPECT_FALSE(split_shell(std::string(most_shell_bytes + 1, 'a'), "t"));
    EXPECT_FALSE(split_shell(std::string("a\0b", 3), "t"));
}

TEST(Toml, ReadsTablesAndScalars)
{
    const auto t = parse_toml("# c\ntop = 1_000\n[a.b]\nx = \"q\\\"\\n\\u00e9\" # d\ny = [\"p\", 'r',\n 2, ] \nz=true\nw = -1.5e3\r\n", "t");
    ASSERT_TRUE(t) << t.error().text();
    ASSERT_EQ(t->size(), 5U);
    EXPECT_EQ((*t)[0].key, "top");
    EXPECT_EQ((*t)[0].values.front(), "1000");
    EXPECT_EQ((*t)[1].key, "a.b.x");
    EXPECT_EQ((*t)[1].values.front(), "q\"\n\u00e9");
    EXPECT_THAT((*t)[2].values, testing::ElementsAre("p", "r", "2"));
    EXPECT_EQ((*t)[2].line, 5);
    EXPECT_EQ((*t)[3].values.front(), "true");
    EXPECT_EQ((*t)[4].values.front(), "-1.5e3");
}

TEST(Toml, SaysWhatItDoesNotRead)
{
    const std::pair<const char*, int> wrong[] = {{"a = 1\nb = {c = 1}", 2}, {"[[a]]", 1}, {"\na =", 2}, {"a = 1\na = 2", 2}, {"a = \"x", 1}, {"a 1", 1}, {"[a\nb = 1", 1}, {"a = [1", 1},
        {"a = \"\"\"x\"\"\"", 1}, {"a = 1 2", 1}, {"= 1", 1}, {"a = \"\\q\"", 1}, {"a = nonsense", 1}, {"a = [[1]]", 1}};
    for (const auto& [text, line] : wrong) {
        const auto t = parse_toml(text, "c.toml");
        ASSERT_FALSE(t) << text;
        EXPECT_EQ(t.error().place.line, line) << text << ": " << t.error().text();
    }
    std::string many = "a = [";
    for (std::size_t i = 0; i < most_toml_values + 2; ++i)
        many += "1,";
    EXPECT_FALSE(parse_toml(many + "]", "t"));
}

TEST(Toml, NeverHangsOnRandomBytes)
{
    std::mt19937 random(11);
    const std::string letters = "a=[]\"'\\\n# .1{}-\t\xff,";
    for (int i = 0; i < 5000; ++i) {
        std::string text;
        for (int n = std::uniform_int_distribution(0, 30)(random); n > 0; --n)
            text += letters[std::uniform_int_distribution<std::size_t>(0, letters.size() - 1)(random)];
        (void)parse_toml(text, "t");
        (void)split_shell(text, "t");
    }
}

} // namespace
} // namespace ridgepoint
