// Work off the GUI thread: late results are dropped, reading can be cancelled, the newest always wins.

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "app/desktop/evaluator.h"
#include "app/desktop/measured_loader.h"
#include "app/desktop/trace_comparer.h"
#include "tests/app/fixture.h"

namespace ridgepoint {
namespace {

// An evaluation that takes as long as the test wants.
struct Gate {
    std::atomic<int> started{0};
    std::atomic<int> open{0}; // how many may pass
};

Evaluator::Function gated(const std::shared_ptr<Gate>& gate)
{
    return [gate](const Plan& plan, const SpecStore&) -> EvaluationPointer {
        const int mine = ++gate->started;
        while (gate->open < mine)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return std::make_shared<EvaluationResult>(plan, bad_input("not of interest here"));
    };
}

TEST(EvaluatorTest, LateResultIsDroppedAndTheNewestShown)
{
    const auto gate = std::make_shared<Gate>();
    Evaluator evaluator(gated(gate));
    QStringList shown;
    QObject::connect(&evaluator, &Evaluator::finished, [&](const EvaluationPointer& result) { shown << to_qt(result->plan.name); });
    Plan plan;
    plan.name = "first";
    evaluator.request(plan, SpecStore());
    ASSERT_TRUE(QTest::qWaitFor([&] { return gate->started == 1; }));
    plan.name = "second";
    evaluator.request(plan, SpecStore()); // while the first runs
    plan.name = "third";
    evaluator.request(plan, SpecStore()); // replaces the second before it begins
    gate->open = 10;
    ASSERT_TRUE(QTest::qWaitFor([&] { return !evaluator.is_busy(); }));
    EXPECT_EQ(shown, QStringList{QStringLiteral("third")});
    EXPECT_EQ(evaluator.dropped(), 1U);
    EXPECT_EQ(gate->started, 2); // the second was never computed
}

TEST(EvaluatorTest, DestroyedWhileRunning)
{
    const auto gate = std::make_shared<Gate>();
    bool shown = false;
    {
        Evaluator evaluator(gated(gate));
        QObject::connect(&evaluator, &Evaluator::finished, [&] { shown = true; });
        evaluator.request(Plan{}, SpecStore());
        ASSERT_TRUE(QTest::qWaitFor([&] { return gate->started == 1; }));
    }
    gate->open = 10;
    QTest::qWait(50);
    EXPECT_FALSE(shown);
}

TEST(EvaluatorTest, ExhaustionIsAnErrorNotACrash)
{
    Plan plan = example_plan();
    const EvaluationPointer result = evaluate_now(plan, SpecStore()); // an empty catalogue knows no model
    ASSERT_FALSE(result->evaluation);
    EXPECT_FALSE(result->evaluation.error().message.empty());
}

std::vector<Measured> file_named(const std::string& file)
{
    Timeline t;
    t.file = file;
    std::vector<Measured> one(1);
    one.front().file = file;
    one.front().content = std::move(t);
    return one;
}

TEST(MeasuredLoaderTest, SecondFileMakesTheFirstStale)
{
    std::atomic<bool> second_done{false};
    MeasuredLoader loader([&](const std::string& file, const Progress& progress) -> Expected<std::vector<Measured>> {
        if (file == "slow") {
            while (!second_done || !progress.stopped())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return file_named(file); // a reader that does not look at the stop token in time
        }
        return file_named(file);
    });
    QStringList loaded;
    QObject::connect(&loader, &MeasuredLoader::loaded, [&](const std::vector<MeasuredView>& views) {
        loaded << to_qt(views.front().measured->file);
        second_done = true;
    });
    loader.open({QStringLiteral("slow")});
    QTest::qWait(20);
    loader.open({QStringLiteral("quick")});
    ASSERT_TRUE(QTest::qWaitFor([&] { return second_done.load(); }));
    QTest::qWait(50);
    EXPECT_EQ(loaded, QStringList{QStringLiteral("quick")});
}

TEST(MeasuredLoaderTest, CancelStopsAndReportsNothingMore)
{
    std::atomic<bool> stopped{false};
    std::atomic<bool> begun{false};
    MeasuredLoader loader([&](const std::string&, const Progress& progress) -> Expected<std::vector<Measured>> {
        begun = true;
        for (int i = 0; !progress.stopped(); ++i) {
            progress.at(static_cast<double>(i % 1000) / 1000.0);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        stopped = true;
        Error error;
        error.kind = ErrorKind::cancelled;
        error.message = "cancelled";
        return error;
    });
    QSignalSpy cancelled(&loader, &MeasuredLoader::cancelled);
    QSignalSpy failed(&loader, &MeasuredLoader::failed);
    QSignalSpy progress(&loader, &MeasuredLoader::progress);
    loader.open({QStringLiteral("endless")});
    ASSERT_TRUE(QTest::qWaitFor([&] { return begun && progress.count() > 2; }));
    loader.cancel();
    EXPECT_EQ(cancelled.count(), 1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return stopped.load(); }));
    const qsizetype reports = progress.count();
    QTest::qWait(50);
    EXPECT_EQ(progress.count(), reports);
    EXPECT_EQ(cancelled.count(), 1);
    EXPECT_EQ(failed.count(), 0);
    EXPECT_FALSE(loader.is_busy());
}

TEST(MeasuredLoaderTest, AReaderThatThrowsIsAnError)
{
    MeasuredLoader loader([](const std::string&, const Progress&) -> Expected<std::vector<Measured>> { throw std::bad_alloc(); });
    QSignalSpy failed(&loader, &MeasuredLoader::failed);
    loader.open({QStringLiteral("huge")});
    ASSERT_TRUE(failed.count() > 0 || failed.wait(5000));
    EXPECT_FALSE(loader.is_busy());
}

TEST(TraceComparerTest, KnowsTheDeviceByItsModelNumber)
{
    Accelerator h100;
    h100.id = "h100-sxm";
    EXPECT_TRUE(is_same_device("NVIDIA H100 80GB HBM3", h100));
    EXPECT_TRUE(is_same_device("", h100)); // not said
    EXPECT_FALSE(is_same_device("Tesla V100-SXM2-32GB", h100));
    EXPECT_FALSE(is_same_device("NVIDIA H200", h100));
}

TEST(KernelTotalsTest, AddUpByNameLongestFirst)
{
    Timeline t;
    t.names = {"a", "b", "unused"};
    t.start_ns = {0, 10, 20};
    t.duration_ns = {5, 30, 7};
    t.name = {0, 1, 0};
    t.kernel_class = {KernelClass::gemm, KernelClass::attention, KernelClass::gemm};
    t.work = {{100, 10, true}, {}, {50, 10, true}};
    const auto totals = kernel_totals(t);
    ASSERT_EQ(totals.size(), 2U);
    EXPECT_EQ(totals[0].name, QStringLiteral("b"));
    EXPECT_EQ(totals[0].with_work, 0);
    EXPECT_EQ(totals[1].count, 2);
    EXPECT_DOUBLE_EQ(totals[1].sum.value(), 12e-9);
    EXPECT_DOUBLE_EQ(totals[1].longest.value(), 7e-9);
    EXPECT_DOUBLE_EQ(totals[1].flops, 150);
}

} // namespace
} // namespace ridgepoint
