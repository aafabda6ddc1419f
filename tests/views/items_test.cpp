#include <QAbstractItemModelTester>
#include <QLocale>
#include <QSortFilterProxyModel>
#include <gtest/gtest.h>

#include "tests/views/sample_results.h"
#include "views/items/csv.h"
#include "views/items/kernel_table_model.h"
#include "views/items/operator_table_model.h"

namespace ridgepoint {
namespace {

TEST(OperatorTableModel, obeys_the_rules_of_item_models)
{
    OperatorTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const sample::Result& r = sample::result_405b();
    model.set_operators(r.estimate.operators, r.roofline, {QStringLiteral("Dense")});
    EXPECT_EQ(model.rowCount(), static_cast<int>(r.estimate.operators.size()));
    model.set_operators({}, {});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(OperatorTableModel, sorts_by_numbers_not_by_text)
{
    OperatorTableModel model;
    const sample::Result& r = sample::result_405b();
    model.set_operators(r.estimate.operators, r.roofline);
    QSortFilterProxyModel proxy;
    proxy.setSourceModel(&model);
    proxy.setSortRole(OperatorTableModel::sort_role);
    proxy.sort(OperatorTableModel::time_total, Qt::DescendingOrder);
    double last = 1e300;
    for (int row = 0; row < proxy.rowCount(); ++row) {
        const double time
            = proxy.index(row, OperatorTableModel::time_total).data(OperatorTableModel::sort_role).toDouble();
        EXPECT_LE(time, last);
        last = time;
        const int op = proxy.index(row, 0).data(OperatorTableModel::operator_role).toInt();
        EXPECT_DOUBLE_EQ(time, r.estimate.operators[static_cast<std::size_t>(op)].total_time().value());
    }
}

TEST(OperatorTableModel, shares_add_up_to_one)
{
    OperatorTableModel model;
    const sample::Result& r = sample::result_405b();
    model.set_operators(r.estimate.operators, r.roofline);
    double sum = 0;
    for (int row = 0; row < model.rowCount(); ++row)
        sum += model.index(row, OperatorTableModel::share).data(OperatorTableModel::sort_role).toDouble();
    EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(KernelTableModel, takes_executions_together_by_name)
{
    KernelTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    MeasuredKernels k;
    k.names = {"a", "b", "unused"};
    k.kernels = {{FlopPerByte{10}, FlopPerSecond{1e12}, seconds(1e-3), KernelClass::gemm, 0},
        {FlopPerByte{30}, FlopPerSecond{3e12}, seconds(1e-3), KernelClass::gemm, 0},
        {FlopPerByte{1}, FlopPerSecond{1e12}, seconds(5e-3), KernelClass::norm, 1}};
    model.set_kernels(k);
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.index(0, KernelTableModel::name).data().toString(), QStringLiteral("b")); // longest first
    const auto raw = [&](int column) { return model.index(1, column).data(KernelTableModel::sort_role).toDouble(); };
    EXPECT_DOUBLE_EQ(raw(KernelTableModel::count), 2);
    EXPECT_DOUBLE_EQ(raw(KernelTableModel::time_total), 2e-3);
    // 1e9 + 3e9 FLOP over 1e8 + 1e8 B and over 2 ms.
    EXPECT_NEAR(raw(KernelTableModel::intensity), 20, 1e-9);
    EXPECT_NEAR(raw(KernelTableModel::achieved), 2e12, 1);
}

TEST(Csv, quotes_where_it_must_and_numbers_have_a_point)
{
    EXPECT_EQ(csv_cell(QStringLiteral("plain")), QStringLiteral("plain"));
    EXPECT_EQ(csv_cell(QStringLiteral("f<a, b>")), QStringLiteral("\"f<a, b>\""));
    EXPECT_EQ(csv_cell(QStringLiteral("say \"x\"")), QStringLiteral("\"say \"\"x\"\"\""));
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    EXPECT_EQ(csv_number(0.1), QStringLiteral("0.1"));
    EXPECT_EQ(csv_number(1234567.5), QStringLiteral("1234567.5"));
    QLocale::setDefault(before);
    EXPECT_EQ(csv_number(std::nan("")), QString());
}

TEST(Csv, a_table_has_a_header_with_units_and_raw_numbers)
{
    OperatorTableModel model;
    const sample::Result& r = sample::result_405b();
    model.set_operators(r.estimate.operators, r.roofline);
    const QStringList lines = to_csv(model, OperatorTableModel::sort_role).split(QStringLiteral("\r\n"));
    EXPECT_EQ(lines.size(), model.rowCount() + 2);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("time total [s]")));
    const QStringList one = to_csv(model, OperatorTableModel::sort_role, {model.index(2, 0), model.index(2, 1)})
                                .split(QStringLiteral("\r\n"));
    EXPECT_EQ(one.size(), 3);
    EXPECT_EQ(one[1], lines[3]);
}

} // namespace
} // namespace ridgepoint
