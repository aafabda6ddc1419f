#include "views/widgets/cell_table.h"

#include <utility>

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMessageBox>
#include <QSaveFile>
#include <QSortFilterProxyModel>

#include "views/items/csv.h"

namespace ridgepoint {

CellTable::CellTable(const QString& name, QWidget* parent)
    : QTableView(parent)
    , m_model(new CellTableModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
{
    setAccessibleName(name);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(CellTableModel::sort_role);
    setModel(m_proxy);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setContextMenuPolicy(Qt::CustomContextMenu);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder); // as it comes, until the user sorts
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    connect(this, &QWidget::customContextMenuRequested, this, &CellTable::show_menu);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (const auto id = selected_id(); id && !m_quiet)
            emit row_selected(*id);
    });
    connect(this, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
        emit row_activated(index.data(CellTableModel::id_role).toULongLong());
    });
}

void CellTable::set_table(std::vector<TableColumn> columns, std::vector<CellTableModel::Row> rows, std::vector<quint64> ids)
{
    const std::optional<quint64> selected = selected_id();
    const bool filled = !rows.empty();
    const int count = static_cast<int>(columns.size());
    horizontalHeader()->setStretchLastSection(!columns.empty() && !columns.back().right); // numbers stay beside their row
    m_quiet = true;
    m_model->set_table(std::move(columns), std::move(rows), std::move(ids));
    m_quiet = false;
    select_id(selected);
    if (const int shown = filled ? count : -count; shown != m_columns) {
        m_columns = shown;
        widen();
    }
}

void CellTable::widen()
{
    resizeColumnsToContents();
    constexpr int widest = 420;
    for (int c = 0; m_even && c < m_model->columnCount(); ++c)
        horizontalHeader()->setSectionResizeMode(c, c == 0 ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
    const int sized = m_model->columnCount() - (horizontalHeader()->stretchLastSection() ? 1 : 0); // the last takes what is left
    for (int c = 0; !m_even && c < sized; ++c)
        setColumnWidth(c, std::min(columnWidth(c) + 8, widest));
}

void CellTable::select_id(std::optional<quint64> id)
{
    m_quiet = true;
    if (!id)
        clearSelection();
    for (int row = 0; id && row < m_proxy->rowCount(); ++row)
        if (const QModelIndex index = m_proxy->index(row, 0); index.data(CellTableModel::id_role).toULongLong() == *id) {
            selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
            scrollTo(index);
            break;
        }
    m_quiet = false;
}

std::optional<quint64> CellTable::selected_id() const
{
    const QModelIndexList rows = selectionModel()->selectedRows();
    return rows.isEmpty() ? std::nullopt : std::optional<quint64>(rows.first().data(CellTableModel::id_role).toULongLong());
}

QString CellTable::csv() const { return to_csv(*m_proxy, CellTableModel::sort_role); }

void CellTable::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (const auto id = selected_id())
            emit row_activated(*id);
        return;
    }
    QTableView::keyPressEvent(event);
}

void CellTable::show_menu(QPoint position)
{
    QMenu menu(this);
    const QModelIndex index = indexAt(position);
    menu.addAction(tr("Copy &value"), this, [index] { QApplication::clipboard()->setText(index.data().toString()); })->setEnabled(index.isValid());
    menu.addAction(tr("Copy as &CSV"), this, [this] { QApplication::clipboard()->setText(csv()); });
    menu.addAction(tr("&Save CSV…"), this, &CellTable::save_csv);
    menu.exec(viewport()->mapToGlobal(position));
}

void CellTable::save_csv()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the table"), accessibleName() + QStringLiteral(".csv"), tr("CSV (*.csv)"));
    if (file.isEmpty())
        return;
    QSaveFile out(file);
    const QByteArray text = csv().toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit())
        QMessageBox::warning(this, tr("Save the table"), tr("%1 could not be written: %2").arg(file, out.errorString()));
}

} // namespace ridgepoint
