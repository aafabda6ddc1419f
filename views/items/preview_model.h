#pragma once
// The first rows of a table of text as they stand in the file, with what is wrong with some cells.

#include <map>
#include <memory>
#include <utility>

#include <QAbstractTableModel>
#include <QColor>

#include "model/measured/measured.h"

namespace ridgepoint {

class PreviewModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int most_rows = 200;

    explicit PreviewModel(std::shared_ptr<const MeasuredTable> table, QObject* parent = nullptr);

    // By row and column; columns that mean something are told apart from those that are left out.
    void set_wrong(std::map<std::pair<int, int>, QString> wrong, std::vector<QString> meanings);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    std::shared_ptr<const MeasuredTable> m_table;
    std::map<std::pair<int, int>, QString> m_wrong;
    std::vector<QString> m_meanings; // of each column; empty: left out
};

} // namespace ridgepoint
