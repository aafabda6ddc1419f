#include "views/items/operator_table_model.h"

#include <array>
#include <cmath>

#include <QColor>

#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

struct ColumnText
{
    const char* shown;
    const char* csv; // with its unit: the raw number is in base units
    const char* tip;
};
constexpr std::array<ColumnText, OperatorTableModel::column_count> columns = {{
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Operator"), "operator",
        QT_TRANSLATE_NOOP("OperatorTableModel", "What is executed")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Phase"), "phase",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Forward, recompute, backward, optimizer, prefill or decode")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Layer"), "layer",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Kind of layer")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Count"), "count",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Executions per step on the GPU that decides the step time")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "m"), "m",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Rows of the matrix product")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "n"), "n",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Columns of the matrix product")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "k"), "k",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Inner dimension of the matrix product")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "FLOPs"), "FLOPs each [FLOP]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Executed by one run")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "HBM"), "HBM each [B]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Bytes of device memory moved by one run")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "NVLink"), "NVLink each [B]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Bytes this GPU sends over NVLink in one run")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Network"), "network each [B]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Bytes this GPU sends between nodes in one run")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Intensity"), "intensity [FLOP/B]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "FLOPs per byte of device memory")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Time each"), "time each [s]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Of one run, not counting overlap")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Time total"), "time total [s]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Of all runs of the step, not counting overlap")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Share"), "share of all operators",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Of the time of all operators")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Hidden"), "hidden share",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Share of its time that runs behind other work")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Achieved"), "achieved [FLOP/s]",
        QT_TRANSLATE_NOOP("OperatorTableModel", "FLOPs over time")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Of roof"), "of roof",
        QT_TRANSLATE_NOOP("OperatorTableModel", "Achieved over what the roofline allows at this intensity")},
    {QT_TRANSLATE_NOOP("OperatorTableModel", "Bound by"), "bound",
        QT_TRANSLATE_NOOP("OperatorTableModel", "The resource with the largest share of its time")},
}};

bool is_text(int column)
{
    return column == OperatorTableModel::operator_name || column == OperatorTableModel::phase
        || column == OperatorTableModel::layer || column == OperatorTableModel::bound;
}

} // namespace

OperatorTableModel::OperatorTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void OperatorTableModel::set_operators(
    const OperatorList& operators, const RooflineModel& roofline, const QStringList& layer_names)
{
    beginResetModel();
    m_operators = operators;
    m_layer_names = layer_names;
    m_of_roof.assign(operators.size(), -1.0);
    for (const RooflinePoint& p : roofline.points)
        if (p.level == MemoryLevel::hbm && p.operator_index < m_of_roof.size())
            m_of_roof[p.operator_index] = p.of_roof;
    m_total = 0;
    for (const Operator& op : operators)
        m_total += op.total_time().value();
    endResetModel();
}

int OperatorTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_operators.size());
}
int OperatorTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : column_count;
}

QVariant OperatorTableModel::raw(int row, int column) const
{
    const Operator& op = m_operators[static_cast<std::size_t>(row)];
    const double time = op.time.total().value();
    const auto known = [](double v) { return v > 0 ? QVariant(v) : QVariant(); };
    switch (column) {
    case count:
        return op.count;
    case shape_m:
        return known(op.m);
    case shape_n:
        return known(op.n);
    case shape_k:
        return known(op.k);
    case flops:
        return op.flops.value();
    case hbm:
        return op.hbm.value();
    case nvlink:
        return op.nvlink.value();
    case network:
        return op.network.value();
    case intensity:
        return known(op.intensity().value());
    case time_each:
        return time;
    case time_total:
        return op.total_time().value();
    case share:
        return m_total > 0 ? op.total_time().value() / m_total : 0.0;
    case hidden:
        return op.hidden;
    case achieved:
        return known(time > 0 ? op.flops.value() / time : 0.0);
    case of_roof:
        return known(m_of_roof[static_cast<std::size_t>(row)]);
    default:
        return shown(row, column);
    }
}

QString OperatorTableModel::shown(int row, int column) const
{
    const Operator& op = m_operators[static_cast<std::size_t>(row)];
    switch (column) {
    case operator_name:
        return to_qt(name_of(op.kind));
    case phase:
        return to_qt(name_of(op.phase));
    case layer:
        if (op.layer_kind == outside_layers)
            return QStringLiteral("–");
        return op.layer_kind < m_layer_names.size() ? m_layer_names[op.layer_kind] : QString::number(op.layer_kind + 1);
    case bound:
        return to_qt(name_of(op.time.bound()));
    default:
        break;
    }
    const QVariant value = raw(row, column);
    if (!value.isValid())
        return {};
    const double v = value.toDouble();
    switch (column) {
    case count:
    case shape_m:
    case shape_n:
    case shape_k:
        return std::floor(v) == v ? to_qt(group_thousands(v)) : to_qt(format_number(v));
    case flops:
        return v > 0 ? to_qt(format(Flops{v})) : QString();
    case hbm:
    case nvlink:
    case network:
        return v > 0 ? to_qt(format_decimal(Bytes{v})) : QString();
    case intensity:
        return to_qt(format_number(v));
    case time_each:
    case time_total:
        return to_qt(format(Seconds{v}));
    case hidden:
        return v > 0 ? to_qt(format_percent(v, 0)) : QString();
    case share:
    case of_roof:
        return to_qt(format_percent(v));
    case achieved:
        return to_qt(format(FlopPerSecond{v}));
    default:
        return {};
    }
}

QVariant OperatorTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return shown(index.row(), index.column());
    case sort_role:
        return raw(index.row(), index.column());
    case operator_role:
        return index.row();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((is_text(index.column()) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return index.column() == operator_name
            ? QVariant(QStringLiteral("%1, %2").arg(shown(index.row(), operator_name), shown(index.row(), phase)))
            : QVariant();
    default:
        return {};
    }
}

QVariant OperatorTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= column_count)
        return QAbstractTableModel::headerData(section, orientation, role);
    const ColumnText& text = columns[static_cast<std::size_t>(section)];
    switch (role) {
    case Qt::DisplayRole:
        return tr(text.shown);
    case sort_role:
        return QString::fromLatin1(text.csv);
    case Qt::ToolTipRole:
        return tr(text.tip);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((is_text(section) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    default:
        return {};
    }
}

} // namespace ridgepoint
