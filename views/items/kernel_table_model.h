#pragma once
// Measured kernels that have a place on the roofline, taken together by name, longest total first.

#include <QAbstractTableModel>

#include "views/charts/measured_kernels.h"

namespace ridgepoint {

class KernelTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { name, kernel_class, count, time_total, share, time_mean, intensity, achieved, column_count };
    static constexpr int sort_role = Qt::UserRole;
    static constexpr int name_role = Qt::UserRole + 1; // index into MeasuredKernels::names

    explicit KernelTableModel(QObject* parent = nullptr);

    void set_kernels(const MeasuredKernels& kernels);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Row
    {
        QString name;
        std::uint32_t name_index = 0;
        KernelClass kernel_class = KernelClass::other;
        double count = 0, time = 0, flops = 0, bytes = 0;
    };
    [[nodiscard]] QVariant raw(const Row& row, int column) const;
    [[nodiscard]] QString shown(const Row& row, int column) const;

    std::vector<Row> m_rows;
    double m_total = 0;
};

} // namespace ridgepoint
