#include "views/panels/mapping_dialog.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "views/items/preview_model.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    enum Column { Name, Values, Meaning, Unit };

    constexpr std::array all_targets{MappingTarget::training_log, MappingTarget::serving_benchmark, MappingTarget::collective_benchmark, MappingTarget::metrics};

    QString holds(MappingTarget t)
    {
        switch (t) {
        case MappingTarget::training_log:
            return MappingDialog::tr("Training log: a row a step");
        case MappingTarget::serving_benchmark:
            return MappingDialog::tr("Serving benchmark: a row a run");
        case MappingTarget::collective_benchmark:
            return MappingDialog::tr("Collective benchmark: a row a size");
        case MappingTarget::metrics:
            break;
        }
        return MappingDialog::tr("Metrics: a row an instant");
    }

    void choose(QComboBox* box, const QString& data)
    {
        const QSignalBlocker quiet(box);
        box->setCurrentIndex(std::max(0, box->findData(data)));
    }

    QWidget* titled(const QString& title, QWidget* body)
    {
        auto* part = new QWidget;
        auto* layout = new QVBoxLayout(part);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(3);
        auto* label = new QLabel(title);
        label->setBuddy(body);
        layout->addWidget(label);
        layout->addWidget(body, 1);
        return part;
    }

} // namespace

MappingDialog::MappingDialog(std::shared_ptr<const MeasuredTable> table, const QString& file, const ColumnMapping* mapping, QWidget* parent)
    : QDialog(parent), m_table(std::move(table)), m_guesses(guess_mappings(*m_table))
{
    setWindowTitle(tr("Meaning of columns"));
    auto* layout = new QVBoxLayout(this);
    const QLocale locale;
    auto* intro = new QLabel(tr("%1 has %2 rows and %3 columns of no tool that is known here. Say what it holds and what its columns mean; the guess by their names stands there already.")
                                 .arg(QFileInfo(file).fileName(), locale.toString(static_cast<qulonglong>(m_table->rows.size())), locale.toString(static_cast<qulonglong>(m_table->columns.size()))));
    intro->setWordWrap(true);
    layout->addWidget(intro);

    auto* line = new QHBoxLayout;
    m_target = new QComboBox;
    m_target->setAccessibleName(tr("What the table holds"));
    for (const MappingTarget t : all_targets)
        m_target->addItem(holds(t), static_cast<int>(t));
    auto* label = new QLabel(tr("The table &holds"));
    label->setBuddy(m_target);
    line->addWidget(label);
    line->addWidget(m_target);
    line->addStretch(1);
    layout->addLayout(line);

    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(make_columns());
    parts->addWidget(make_preview());
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    layout->addWidget(parts, 1);

    m_verdict = new QLabel;
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_verdict->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(m_verdict);
    m_problems = new QListWidget;
    m_problems->setAccessibleName(tr("What does not fit"));
    m_problems->setMaximumHeight(5 * (fontMetrics().height() + 4));
    connect(m_problems, &QListWidget::currentRowChanged, this, [this](int row) {
        if (const QListWidgetItem* item = m_problems->item(row)) {
            const QModelIndex cell = m_preview_model->index(item->data(Qt::UserRole).toInt(), item->data(Qt::UserRole + 1).toInt());
            if (cell.isValid()) {
                m_preview->setCurrentIndex(cell);
                m_preview->scrollTo(cell);
            }
        }
    });
    layout->addWidget(m_problems);
    layout->addWidget(make_buttons());

    connect(m_target, &QComboBox::currentIndexChanged, this, &MappingDialog::change_target);
    if (mapping != nullptr || !m_guesses.empty()) {
        set_mapping(mapping != nullptr ? *mapping : m_guesses.front());
    } else {
        change_target();
    }
    resize(880, 680);
}

QWidget* MappingDialog::make_columns()
{
    const int shown = static_cast<int>(std::min<std::size_t>(m_table->columns.size(), most_columns));
    m_columns = new QTableWidget(shown, 4);
    m_columns->setHorizontalHeaderLabels({tr("Column"), tr("First values"), tr("Means"), tr("Unit")});
    m_columns->setAccessibleName(tr("Columns and what they mean"));
    m_columns->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_columns->setSelectionMode(QAbstractItemView::NoSelection);
    m_columns->setTabKeyNavigation(false); // Tab walks through the boxes
    m_columns->verticalHeader()->hide();
    for (int row = 0; row < shown; ++row) {
        const auto column = static_cast<std::size_t>(row);
        const QString name = to_qt(m_table->columns[column]);
        for (const auto& [at, text] : {std::pair{Name, name}, std::pair{Values, example(column)}}) {
            auto* item = new QTableWidgetItem(text);
            item->setToolTip(text);
            item->setFlags(Qt::ItemIsEnabled);
            m_columns->setItem(row, at, item);
        }
        auto* meaning_box = new QComboBox;
        meaning_box->setAccessibleName(tr("Meaning of %1").arg(name));
        auto* unit_box = new QComboBox;
        unit_box->setAccessibleName(tr("Unit of %1").arg(name));
        for (QComboBox* box : {meaning_box, unit_box})
            box->setFocusPolicy(Qt::StrongFocus); // the wheel scrolls the table
        connect(meaning_box, &QComboBox::currentIndexChanged, this, [this, row] {
            fill_units(row);
            check();
        });
        connect(unit_box, &QComboBox::currentIndexChanged, this, &MappingDialog::check);
        m_columns->setCellWidget(row, Meaning, meaning_box);
        m_columns->setCellWidget(row, Unit, unit_box);
    }
    m_columns->verticalHeader()->setDefaultSectionSize(std::max(fontMetrics().height() + 8, QComboBox().sizeHint().height() + 2));
    m_columns->horizontalHeader()->setSectionResizeMode(Values, QHeaderView::Stretch);
    m_columns->setColumnWidth(Name, 200);
    m_columns->setColumnWidth(Meaning, 190);
    m_columns->setColumnWidth(Unit, 110);
    const bool wide = m_table->columns.size() > static_cast<std::size_t>(most_columns);
    return titled(wide ? tr("&Columns (the first %1)").arg(most_columns) : tr("&Columns"), m_columns);
}

QWidget* MappingDialog::make_preview()
{
    m_preview_model = new PreviewModel(m_table, this);
    m_preview = new QTableView;
    m_preview->setAccessibleName(tr("First rows"));
    m_preview->setModel(m_preview_model);
    m_preview->setTabKeyNavigation(false);
    m_preview->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    const bool cut = m_table->rows.size() > static_cast<std::size_t>(PreviewModel::most_rows);
    return titled(cut ? tr("First %1 &rows").arg(PreviewModel::most_rows) : tr("&Rows"), m_preview);
}

QWidget* MappingDialog::make_buttons()
{
    auto* bar = new QWidget;
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* load = new QPushButton(tr("&Load mapping…"));
    auto* save = new QPushButton(tr("&Save mapping…"));
    m_remember = new QCheckBox(tr("Re&member for files with these columns"));
    m_remember->setChecked(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    m_use = buttons->button(QDialogButtonBox::Ok);
    m_use->setText(tr("&Use mapping"));
    for (QPushButton* b : {load, save})
        b->setAutoDefault(false);
    layout->addWidget(load);
    layout->addWidget(save);
    layout->addWidget(m_remember);
    layout->addStretch(1);
    layout->addWidget(buttons);
    connect(load, &QPushButton::clicked, this, &MappingDialog::load_requested);
    connect(save, &QPushButton::clicked, this, &MappingDialog::save_requested);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return bar;
}

MappingTarget MappingDialog::target() const { return static_cast<MappingTarget>(m_target->currentData().toInt()); }
QComboBox* MappingDialog::meaning(int row) const { return static_cast<QComboBox*>(m_columns->cellWidget(row, Meaning)); }
QComboBox* MappingDialog::unit(int row) const { return static_cast<QComboBox*>(m_columns->cellWidget(row, Unit)); }

QString MappingDialog::example(std::size_t column) const
{
    QStringList values;
    for (const auto& row : m_table->rows) {
        if (values.size() == 3)
            break;
        if (column < row.size() && !row[column].empty())
            values << to_qt(row[column]).left(40);
    }
    return values.join(QStringLiteral(", "));
}

// The guess for what the table holds now; nothing is guessed where nothing fits.
void MappingDialog::change_target()
{
    const auto guess = std::find_if(m_guesses.begin(), m_guesses.end(), [this](const ColumnMapping& g) { return g.target == target(); });
    set_mapping(guess != m_guesses.end() ? *guess : ColumnMapping{target(), {}});
}

void MappingDialog::set_mapping(const ColumnMapping& mapping)
{
    m_quiet = true;
    {
        const QSignalBlocker quiet(m_target);
        m_target->setCurrentIndex(m_target->findData(static_cast<int>(mapping.target)));
    }
    for (int row = 0; row < m_columns->rowCount(); ++row) {
        QComboBox* box = meaning(row);
        {
            const QSignalBlocker quiet(box);
            box->clear();
            box->addItem(tr("(leave out)"), QString());
            for (const std::string_view field : fields_of(mapping.target))
                box->addItem(to_qt(field), to_qt(field));
        }
        const auto said = std::find_if(mapping.columns.begin(), mapping.columns.end(), [&](const auto& c) { return c.column == m_table->columns[static_cast<std::size_t>(row)]; });
        choose(box, said == mapping.columns.end() ? QString() : to_qt(said->is));
        fill_units(row);
        if (said != mapping.columns.end())
            choose(unit(row), to_qt(said->unit));
    }
    m_quiet = false;
    check();
}

void MappingDialog::fill_units(int row)
{
    QComboBox* box = unit(row);
    const QSignalBlocker quiet(box);
    const QString before = box->currentData().toString();
    box->clear();
    const QString field = meaning(row)->currentData().toString();
    const auto units = units_of(target(), to_std(field));
    if (!units.empty())
        box->addItem(tr("%1 (not stated)").arg(to_qt(units.front())), QString());
    for (const std::string_view u : units)
        box->addItem(to_qt(u), to_qt(u));
    box->setEnabled(!units.empty());
    box->setCurrentIndex(units.empty() ? -1 : std::max(0, box->findData(before)));
}

ColumnMapping MappingDialog::mapping() const
{
    ColumnMapping m;
    m.target = target();
    for (int row = 0; row < m_columns->rowCount(); ++row)
        if (const QString is = meaning(row)->currentData().toString(); !is.isEmpty())
            m.columns.push_back({m_table->columns[static_cast<std::size_t>(row)], to_std(is), to_std(unit(row)->currentData().toString())});
    return m;
}

bool MappingDialog::is_remembered() const { return m_remember->isChecked(); }

void MappingDialog::show_error(const Error& error)
{
    m_verdict->setText(to_qt(error.text()));
}

void MappingDialog::check()
{
    if (m_quiet)
        return;
    const ColumnMapping said = mapping();
    const MappingCheck found = check_mapping(*m_table, said);
    std::map<std::pair<int, int>, QString> wrong;
    for (const MappingProblem& p : found.problems)
        if (p.row >= 0 && p.row < PreviewModel::most_rows)
            wrong.emplace(std::pair{static_cast<int>(p.row), p.column}, to_qt(p.message));
    std::vector<QString> meanings(m_table->columns.size());
    for (const ColumnMapping::Column& c : said.columns) {
        const auto at = std::find(m_table->columns.begin(), m_table->columns.end(), c.column) - m_table->columns.begin();
        meanings[static_cast<std::size_t>(at)] = c.unit.empty() ? to_qt(c.is) : QStringLiteral("%1 [%2]").arg(to_qt(c.is), to_qt(c.unit));
    }
    m_preview_model->set_wrong(std::move(wrong), std::move(meanings));
    m_preview->resizeColumnsToContents();
    show_problems(found);
}

void MappingDialog::show_problems(const MappingCheck& found)
{
    const QLocale locale;
    const auto number = [&](std::int64_t n) { return locale.toString(static_cast<qlonglong>(n)); };
    const bool usable = std::none_of(found.problems.begin(), found.problems.end(), [](const MappingProblem& p) { return p.row < 0; });
    m_problems->clear();
    for (const MappingProblem& p : found.problems) {
        const QString column = p.column < 0 ? QString() : to_qt(m_table->columns[static_cast<std::size_t>(p.column)]);
        QString text = to_qt(p.message);
        if (p.row >= 0)
            text = tr("Row %1, column \"%2\": \"%3\" is %4").arg(number(p.row + 1), column, to_qt(p.found), text);
        else if (p.column >= 0)
            text = tr("Column \"%1\": %2").arg(column, text);
        else if (!text.isEmpty())
            text[0] = text[0].toUpper();
        auto* item = new QListWidgetItem(text, m_problems);
        item->setData(Qt::UserRole, static_cast<int>(std::min<std::int64_t>(p.row, PreviewModel::most_rows)));
        item->setData(Qt::UserRole + 1, p.column);
    }
    m_problems->setVisible(!found.problems.empty());
    const bool all = found.rows_checked == static_cast<std::int64_t>(m_table->rows.size());
    const QString checked = all ? tr("all %1 rows").arg(number(found.rows_checked)) : tr("the first %1 rows").arg(number(found.rows_checked));
    if (!usable)
        m_verdict->setText(tr("This cannot be read yet:"));
    else if (found.wrong_cells > 0)
        m_verdict->setText(tr("%1 cells of %2 do not fit and will be left out:").arg(number(found.wrong_cells), checked));
    else
        m_verdict->setText(tr("Every value of %1 fits.").arg(checked));
    m_use->setEnabled(usable);
}

} // namespace ridgepoint
