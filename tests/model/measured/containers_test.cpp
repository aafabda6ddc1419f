// What a measured file may be wrapped in: another encoding, a folder.

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "model/measured/folder.h"
#include "model/measured/measured.h"
#include "model/trace/byte_source.h"

using namespace ridgepoint;
namespace fs = std::filesystem;

namespace {

// Code units as bytes, behind a byte order mark.
std::string utf16(std::u16string_view text, bool big_endian)
{
    std::string bytes;
    const auto put = [&](char16_t unit) {
        const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
        bytes += big_endian ? high : low;
        bytes += big_endian ? low : high;
    };
    put(0xFEFF);
    for (const char16_t unit : text)
        put(unit);
    return bytes;
}

struct Text {
    std::string text, trouble;
};

Text read_all(const std::string& bytes)
{
    const auto source = bytes_of(bytes);
    Text t;
    char window[7]; // small and odd, so that characters fall across its end
    while (const std::size_t n = source->read(window, sizeof window))
        t.text.append(window, n);
    t.trouble = source->trouble();
    return t;
}

TEST(Utf16, IsReadInBothByteOrders)
{
    const std::u16string text = u"a\u00e9\u20ac\U0001F600\n";
    for (const bool big : {false, true}) {
        const Text t = read_all(utf16(text, big));
        EXPECT_EQ(t.text, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n") << big;
        EXPECT_EQ(t.trouble, "");
    }
}

TEST(Utf16, HalvesOfPairsAndACutEndAreTold)
{
    const std::u16string halves{u'a', 0xD83D, u'b', 0xDE00, u'c', 0xD83D};
    EXPECT_EQ(read_all(utf16(halves, false)).text, "a\xEF\xBF\xBD" "b\xEF\xBF\xBD" "c\xEF\xBF\xBD");
    const Text cut = read_all(utf16(u"ab", false) + "c");
    EXPECT_EQ(cut.text, "ab");
    EXPECT_NE(cut.trouble, "");
}

TEST(Utf16, LongTextsCrossTheWindow)
{
    std::u16string text;
    std::string expected;
    for (int i = 0; i < 100'000; ++i) {
        text += u"x\U0001F600";
        expected += "x\xF0\x9F\x98\x80";
    }
    EXPECT_EQ(read_all(utf16(text, false)).text, expected);
}

TEST(Utf16, ATableOfAToolIsKnownInIt)
{
    const std::string plain = "\"Time (%)\",\"Total Time (ns)\",\"Instances\",\"Avg (ns)\",\"Med (ns)\",\"Min (ns)\",\"Max (ns)\",\"StdDev (ns)\",\"Name\"\n"
                              "60.0,600,2,300.0,300.0,200,400,100.0,\"gemm_a\"\n40.0,400,1,400.0,400.0,400,400,0.0,\"gemm_b\"\n";
    const auto narrow = read_measured_text(plain, "t.csv");
    ASSERT_TRUE(narrow) << narrow.error().text();
    const auto wide = read_measured_text(utf16(std::u16string(plain.begin(), plain.end()), false), "t.csv");
    ASSERT_TRUE(wide) << wide.error().text();
    ASSERT_EQ(1U, wide->size());
    EXPECT_EQ(wide->front().format, narrow->front().format);
    EXPECT_EQ(facts_of(wide->front()), facts_of(narrow->front()));
}

class Folder : public testing::Test {
protected:
    void SetUp() override
    {
        m_root = fs::temp_directory_path() / ("ridgepoint_folder_test_" + std::to_string(getpid()));
        fs::remove_all(m_root);
        fs::create_directories(m_root);
    }
    void TearDown() override { fs::remove_all(m_root); }
    void put(const std::string& name) const
    {
        fs::create_directories((m_root / name).parent_path());
        std::ofstream(m_root / name) << name;
    }
    [[nodiscard]] std::vector<std::string> names(const FolderLimits& limits = {}) const
    {
        const auto found = files_in_folder(m_root.string(), limits);
        if (!found)
            return {found.error().message};
        std::vector<std::string> relative;
        for (const std::string& f : found->files)
            relative.push_back(fs::relative(f, m_root).string());
        return relative;
    }

    fs::path m_root;
};

TEST_F(Folder, GivesItsFilesByNameWithoutHiddenOnesAndThoseBelow)
{
    put("rank1.json");
    put("rank0.json");
    put(".hidden");
    put("below/rank2.json");
    EXPECT_EQ(names(), (std::vector<std::string>{"rank0.json", "rank1.json"}));
}

TEST_F(Folder, WithoutFilesOfItsOwnGivesThoseOfTheNearestLevel)
{
    put("rank1/trace.json");
    put("rank0/trace.json");
    put("rank0/deeper/other.json");
    EXPECT_EQ(names(), (std::vector<std::string>{"rank0/trace.json", "rank1/trace.json"}));
}

TEST_F(Folder, IsBoundedAndSaysSo)
{
    for (int i = 0; i < 5; ++i)
        put("f" + std::to_string(i));
    FolderLimits limits;
    limits.most_files = 3;
    const auto found = files_in_folder(m_root.string(), limits);
    ASSERT_TRUE(found);
    EXPECT_EQ(3U, found->files.size());
    EXPECT_EQ(2U, found->beyond_limit);
}

TEST_F(Folder, WithoutAFileOrUnreadableIsAnError)
{
    EXPECT_EQ(names(), std::vector<std::string>{"the folder holds no file"});
    EXPECT_FALSE(files_in_folder((m_root / "none").string()));
}

} // namespace
