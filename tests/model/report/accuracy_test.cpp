// The page "Accuracy" of figures made by hand, and its history.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/report/accuracy_page.h"

namespace ridgepoint {
namespace {

using testing::HasSubstr;
using testing::Not;

Score scored(int rows, double median)
{
    Score s;
    s.count = rows;
    s.median_abs_error = median;
    s.p90_abs_error = 2 * median;
    s.bias = -median;
    s.within_10 = s.within_20 = s.within_50 = 0.5;
    s.rank_correlation = 0.98;
    s.group_rank = std::numeric_limits<double>::quiet_NaN();
    return s;
}

FileValidation training()
{
    QuantityScore q;
    q.file = "somewhere/rows.csv";
    q.kind = "training";
    q.quantity = "step_time_s";
    q.rows = 103;
    q.predicted = 100;
    q.not_expressed = {{"a | reason", 3}};
    q.total = scored(100, 0.08);
    q.strata["architecture"] = {{"dense", scored(80, 0.05)}, {"moe", scored(20, 0.30)}};
    q.strata["gpu"] = {{"A", scored(96, 0.07)}, {"B", scored(4, 0.9)}};
    q.strata["task"] = {{"pretrain", scored(100, 0.08)}};
    FileValidation v;
    v.file = q.file;
    v.kind = q.kind;
    v.quantities = {q};
    return v;
}

TEST(AccuracyPage, HasTheFiguresAndNoFolder)
{
    const std::string page = accuracy_markdown({{training()}, "## Notes\n\nby hand\n", {}});
    EXPECT_THAT(page, HasSubstr("| Training step | 103 | 100 | 8.0 % | 16.0 % | -8.0 % | 50 % | - |"));
    EXPECT_THAT(page, HasSubstr("| – mixtures of experts |   | 20 | 30.0 % |"));
    EXPECT_THAT(page, HasSubstr("## Notes\n\nby hand\n"));
    EXPECT_THAT(page, HasSubstr("of rows.csv: 100 of 103"));
    EXPECT_THAT(page, Not(HasSubstr("somewhere")));
    EXPECT_THAT(page, Not(HasSubstr("## Versions"))); // no history
    EXPECT_THAT(page, HasSubstr("a \\| reason")); // stays in its cell
    EXPECT_EQ(page.find("nan"), std::string::npos);
}

// "B" is worse, but four rows say little; "dense" is better than all; "moe" stands out.
TEST(AccuracyPage, ChoosesWeakStrataFromTheFigures)
{
    const std::string page = accuracy_markdown({{training()}, {}, {}});
    const std::string weak = page.substr(page.find("## Where it is weak"), page.find("## By stratum") - page.find("## Where it is weak"));
    EXPECT_THAT(weak, HasSubstr("| Training step | architecture: moe | 20 | 30.0 % | 8.0 % | -30.0 % |"));
    EXPECT_THAT(weak, Not(HasSubstr("gpu: B")));
    EXPECT_THAT(weak, Not(HasSubstr("dense")));
}

TEST(AccuracyPage, NamesWhatItDoesNotList)
{
    const std::string page = accuracy_markdown({{training()}, {}, {}});
    EXPECT_THAT(page, HasSubstr("The same in all rows: task pretrain."));
    EXPECT_THAT(page, HasSubstr("fewer than 5 rows, not listed: 1 gpu."));
}

TEST(AccuracyHistory, IsReadAsItWasWritten)
{
    std::vector<AccuracyRecord> history;
    record_accuracy(history, "0.1.0", "2026-11-30", headlines({training()}));
    record_accuracy(history, "0.2.0", "2026-12-24", headlines({training()}));
    history[0].medians["of another version"] = 0.5;
    history[1].medians.erase("training_moe");
    const std::string text = accuracy_history_text(history);
    const Expected<std::vector<AccuracyRecord>> again = parse_accuracy_history(text, "h.csv");
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(accuracy_history_text(*again), text);
    ASSERT_EQ(again->size(), 2U);
    EXPECT_DOUBLE_EQ((*again)[0].medians.at("training_moe"), 0.3);
    EXPECT_FALSE((*again)[1].medians.contains("training_moe"));
    EXPECT_THAT(accuracy_markdown({{training()}, {}, *again}), HasSubstr("| 0.2.0 | 2026-12-24 | 8.0 | 5.0 | - |"));
}

TEST(AccuracyHistory, OneLineAVersionAndDate)
{
    std::vector<AccuracyRecord> history;
    record_accuracy(history, "0.2.0", "2026-12-23", headlines({training()}));
    record_accuracy(history, "0.2.0", "2026-12-24", headlines({training()}));
    record_accuracy(history, "0.2.0", "2026-12-24", headlines({}));
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[0].medians.size(), 3U); // all, dense, moe
    EXPECT_TRUE(history[1].medians.empty());
}

TEST(AccuracyHistory, RefusesWhatIsNoHistory)
{
    EXPECT_TRUE(parse_accuracy_history("", "h.csv")->empty());
    EXPECT_FALSE(parse_accuracy_history("a,b\n1,2\n", "h.csv"));
    EXPECT_FALSE(parse_accuracy_history("version,date,gemm\n0.1,30.11.2026,0.1\n", "h.csv"));
    const auto wrong = parse_accuracy_history("version,date,gemm\n0.1,2026-11-30,good\n", "h.csv");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().place.line, 2);
    EXPECT_EQ(wrong.error().found, "good");
}

TEST(AccuracyPage, CompanionsStandBesideIt)
{
    EXPECT_EQ(accuracy_notes_file("help/accuracy.md"), "help/accuracy-notes.md");
    EXPECT_EQ(accuracy_history_file("accuracy.md"), "accuracy-history.csv");
}

} // namespace
} // namespace ridgepoint
