#include "views/items/kernel_table_model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::pair<const char*, const char*>, KernelTableModel::column_count> columns = {{
    {QT_TRANSLATE_NOOP("KernelTableModel", "Kernel"), "kernel"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Class"), "class"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Count"), "count"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Time total"), "time total [s]"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Share"), "share of placed time"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Time mean"), "time mean [s]"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Intensity"), "intensity [FLOP/B]"},
    {QT_TRANSLATE_NOOP("KernelTableModel", "Achieved"), "achieved [FLOP/s]"},
}};

bool is_text(int column)
{
    return column == KernelTableModel::name || column == KernelTableModel::kernel_class;
}

} // namespace

KernelTableModel::KernelTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void KernelTableModel::set_kernels(const MeasuredKernels& kernels)
{
    beginResetModel();
    std::vector<Row> rows(kernels.names.size());
    for (const MeasuredKernel& k : kernels.kernels) {
        if (k.name >= rows.size())
            continue;
        Row& row = rows[k.name];
        const double flops = k.achieved.value() * k.time.value();
        row.kernel_class = k.kernel_class;
        row.name_index = k.name;
        row.count += 1;
        row.time += k.time.value();
        row.flops += flops;
        row.bytes += k.intensity.value() > 0 ? flops / k.intensity.value() : 0.0;
    }
    std::erase_if(rows, [](const Row& r) { return r.count == 0; });
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) { return a.time > b.time; });
    m_total = 0;
    for (Row& r : rows) {
        r.name = to_qt(kernels.names[r.name_index]);
        m_total += r.time;
    }
    m_rows = std::move(rows);
    endResetModel();
}

int KernelTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int KernelTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : column_count;
}

QVariant KernelTableModel::raw(const Row& r, int column) const
{
    switch (column) {
    case name:
        return r.name;
    case kernel_class:
        return to_qt(name_of(r.kernel_class));
    case count:
        return r.count;
    case time_total:
        return r.time;
    case share:
        return m_total > 0 ? r.time / m_total : 0.0;
    case time_mean:
        return r.time / r.count;
    case intensity:
        return r.bytes > 0 ? QVariant(r.flops / r.bytes) : QVariant();
    case achieved:
        return r.time > 0 ? QVariant(r.flops / r.time) : QVariant();
    default:
        return {};
    }
}

QString KernelTableModel::shown(const Row& r, int column) const
{
    const QVariant value = raw(r, column);
    if (is_text(column) || !value.isValid())
        return value.toString();
    const double v = value.toDouble();
    switch (column) {
    case count:
        return to_qt(group_thousands(v));
    case share:
        return to_qt(format_percent(v));
    case intensity:
        return to_qt(format_number(v));
    case achieved:
        return to_qt(format(FlopPerSecond{v}));
    default:
        return to_qt(format(Seconds{v}));
    }
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const Row& r = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return shown(r, index.column());
    case Qt::ToolTipRole:
        return index.column() == name ? QVariant(r.name) : QVariant();
    case sort_role:
        return raw(r, index.column());
    case name_role:
        return r.name_index;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((is_text(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count)
        return QAbstractTableModel::headerData(section, orientation, role);
    const auto& [shown_text, csv_text] = columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return tr(shown_text);
    case sort_role:
        return QString::fromLatin1(csv_text);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((is_text(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    default:
        return {};
    }
}

} // namespace ridgepoint
