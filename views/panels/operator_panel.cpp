#include "views/panels/operator_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "views/items/csv.h"
#include "views/widgets/icon.h"

namespace ridgepoint {

OperatorPanel::OperatorPanel(QWidget* parent)
    : QWidget(parent)
    , m_model(new OperatorTableModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
    , m_filter(new QLineEdit(this))
    , m_table(new QTableView(this))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(OperatorTableModel::sort_role);
    m_proxy->setFilterKeyColumn(-1);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);

    m_filter->setPlaceholderText(tr("Filter by name, phase or bound"));
    m_filter->setAccessibleName(tr("Filter the operators"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(themed_icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->setMaximumWidth(320);
    auto* csv = new QPushButton(tr("Save CSV…"), this);
    csv->setAccessibleName(tr("Save the operators as CSV"));
    auto* hint = new QLabel(tr("Of one GPU in the stage that decides the time"), this);
    hint->setForegroundRole(QPalette::PlaceholderText);
    hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    m_table->setModel(m_proxy);
    m_table->setAccessibleName(tr("Operators"));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(OperatorTableModel::time_total, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionsMovable(true);
    // What people look for first stands first: how long, how much of the step, bound by what.
    int place = OperatorTableModel::layer + 1;
    for (const int column : {OperatorTableModel::time_total, OperatorTableModel::share, OperatorTableModel::bound, OperatorTableModel::of_roof, OperatorTableModel::achieved,
             OperatorTableModel::intensity})
        m_table->horizontalHeader()->moveSection(m_table->horizontalHeader()->visualIndex(column), place++);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);

    auto* bar = new QHBoxLayout;
    bar->addWidget(m_filter, 2);
    bar->addWidget(hint, 3);
    bar->addWidget(csv);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 0);
    layout->setSpacing(4);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);

    connect(m_filter, &QLineEdit::textChanged, m_proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(csv, &QPushButton::clicked, this, &OperatorPanel::save_csv);
    connect(m_table, &QWidget::customContextMenuRequested, this, &OperatorPanel::show_menu);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (!m_quiet)
            emit selection_changed(selection());
    });
}

void OperatorPanel::set_operators(const OperatorList& operators, const RooflineModel& roofline, const QStringList& layer_names)
{
    m_quiet = true; // a model reset clears the selection: that is not the user's doing
    const bool first = m_model->rowCount() == 0;
    m_model->set_operators(operators, roofline, layer_names);
    if (first)
        m_table->resizeColumnsToContents();
    m_quiet = false;
}

void OperatorPanel::set_selection(const QList<int>& operators)
{
    m_quiet = true;
    QItemSelection chosen;
    QModelIndex last;
    for (int row = 0; row < m_proxy->rowCount(); ++row) {
        const QModelIndex index = m_proxy->index(row, 0);
        if (operators.contains(index.data(OperatorTableModel::operator_role).toInt())) {
            chosen.select(index, index);
            last = index;
        }
    }
    m_table->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (last.isValid()) {
        m_table->selectionModel()->setCurrentIndex(last, QItemSelectionModel::NoUpdate);
        m_table->scrollTo(last);
    }
    m_quiet = false;
}

QList<int> OperatorPanel::selection() const
{
    QList<int> operators;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        operators << index.data(OperatorTableModel::operator_role).toInt();
    return operators;
}

void OperatorPanel::copy(bool only_selected)
{
    const QModelIndexList rows = only_selected ? m_table->selectionModel()->selectedRows() : QModelIndexList();
    QApplication::clipboard()->setText(to_csv(*m_proxy, OperatorTableModel::sort_role, rows));
}

void OperatorPanel::save_csv()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the operators"), QStringLiteral("operators.csv"), tr("CSV (*.csv)"));
    if (file.isEmpty())
        return;
    QSaveFile out(file);
    const QByteArray text = to_csv(*m_proxy, OperatorTableModel::sort_role).toUtf8();
    if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit())
        QMessageBox::warning(this, tr("Save the operators"), tr("%1 could not be written: %2").arg(file, out.errorString()));
}

void OperatorPanel::show_menu(QPoint position)
{
    QMenu menu(this);
    const QModelIndex index = m_table->indexAt(position);
    QAction* value = menu.addAction(tr("Copy value"));
    value->setEnabled(index.isValid());
    QAction* rows = menu.addAction(tr("Copy selected rows as CSV"));
    rows->setEnabled(m_table->selectionModel()->hasSelection());
    QAction* all = menu.addAction(tr("Copy all rows as CSV"));
    menu.addSeparator();
    QAction* only = menu.addAction(index.isValid() ? tr("Only \"%1\"").arg(index.data().toString()) : tr("Only this value"));
    only->setEnabled(index.isValid());
    QAction* chosen = menu.exec(m_table->viewport()->mapToGlobal(position));
    if (chosen == value)
        QApplication::clipboard()->setText(index.data().toString());
    else if (chosen == rows)
        copy(true);
    else if (chosen == all)
        copy(false);
    else if (chosen == only)
        m_filter->setText(index.data().toString());
}

} // namespace ridgepoint
