#pragma once
// Plan A beside the plan that is open (B): what makes the difference of their times, which fields differ, and when the choice
// flips.

#include <optional>

#include <QWidget>

#include "model/whatif/comparison.h"

class QLabel;
class QStackedWidget;

namespace ridgepoint {

class CellTable;
class WaterfallChart;

class ComparePanel final : public QWidget {
    Q_OBJECT

public:
    explicit ComparePanel(QWidget* parent = nullptr);

    void show_empty();
    void show_error(const QString& name_a, const QString& text);
    void show_comparison(const PlanComparison& comparison, const std::optional<BreakEven>& even, const QString& name_a, const QString& name_b, const QString& time_name);

    [[nodiscard]] WaterfallChart* chart() const { return m_chart; }
    [[nodiscard]] CellTable* fields() const { return m_fields; }
    [[nodiscard]] CellTable* sums() const { return m_sums; }
    [[nodiscard]] QString sentence() const;

signals:
    void file_requested();
    void keep_requested(); // the plan as it is, as A
    void field_requested(const QString& path);

private:
    QWidget* build_empty();
    QWidget* build_comparison();

    QStackedWidget* m_stack;
    QLabel* m_sentence;
    QLabel* m_even;
    WaterfallChart* m_chart;
    CellTable* m_sums;
    CellTable* m_fields;
    std::vector<FieldDifference> m_differing;
};

} // namespace ridgepoint
