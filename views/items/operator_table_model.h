#pragma once
// The operators of an estimate as a table. DisplayRole is for people; sort_role holds the raw number; operator_role the
// index into the operator list. Sort with a QSortFilterProxyModel whose sort role is sort_role.

#include <QAbstractTableModel>

#include "model/roofline/roofline.h"

namespace ridgepoint {

class OperatorTableModel final : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        operator_name,
        phase,
        layer,
        count,
        shape_m,
        shape_n,
        shape_k,
        flops,
        hbm,
        nvlink,
        network,
        intensity,
        time_each,
        time_total,
        share,
        hidden,
        achieved,
        of_roof,
        bound,
        column_count
    };
    static constexpr int sort_role = Qt::UserRole;
    static constexpr int operator_role = Qt::UserRole + 1;

    explicit OperatorTableModel(QObject* parent = nullptr);

    // `layer_names` by Operator::layer_kind, e.g. "Dense", "MoE". Shares are of the sum of total times.
    void set_operators(
        const OperatorList& operators, const RooflineModel& roofline, const QStringList& layer_names = {});
    [[nodiscard]] const OperatorList& operators() const { return m_operators; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(
        int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] QVariant raw(int row, int column) const;
    [[nodiscard]] QString shown(int row, int column) const;

    OperatorList m_operators;
    QStringList m_layer_names;
    std::vector<double> m_of_roof; // by operator; negative: has none
    double m_total = 0;
};

} // namespace ridgepoint
