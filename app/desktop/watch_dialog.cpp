#include "app/desktop/watch_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/desktop/text_file.h"
#include "model/units/format.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    // Grafana's names of units, as people read them.
    QString value_text(double v, const std::string& unit)
    {
        if (unit == "percentunit")
            return to_qt(format_percent(v));
        if (unit == "Bps")
            return to_qt(format(BytesPerSecond{v}));
        if (unit == "watt")
            return to_qt(format(Watts{v}));
        return to_qt(format(Seconds{v}));
    }

} // namespace

WatchDialog::WatchDialog(const Plan& plan, const Evaluation& evaluation, const QString& folder, QWidget* parent)
    : QDialog(parent)
    , m_plan(plan)
    , m_evaluation(evaluation)
    , m_folder(folder)
    , m_labels(new QLineEdit(this))
    , m_step_metric(new QLineEdit(this))
    , m_table(new CellTable(tr("Expected levels"), this))
    , m_message(new QLabel(this))
{
    setWindowTitle(tr("Watch the run"));
    resize(860, 480);
    m_labels->setPlaceholderText(tr("none; for example cluster=train-7"));
    m_labels->setToolTip(tr("Labels that tell the series of this job from others: name=value, separated by commas"));
    m_step_metric->setPlaceholderText(tr("what the engine exports, or training_step_seconds"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Labels"), m_labels);
    form->addRow(tr("Metric of the &step"), m_step_metric);
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_dashboard = buttons->addButton(tr("Save &dashboard…"), QDialogButtonBox::ActionRole);
    m_rules = buttons->addButton(tr("Save &rules…"), QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_dashboard, &QPushButton::clicked, this, [this] { choose_and_save(true); });
    connect(m_rules, &QPushButton::clicked, this, [this] { choose_and_save(false); });
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_message);
    layout->addWidget(buttons);
    for (QLineEdit* line : {m_labels, m_step_metric})
        connect(line, &QLineEdit::textChanged, this, &WatchDialog::update_levels);
    update_levels();
}

Expected<WatchRequest> WatchDialog::request() const
{
    WatchRequest r;
    r.step_metric = to_std(m_step_metric->text().trimmed());
    for (const QString& label : m_labels->text().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QString name = label.section(QLatin1Char('='), 0, 0).trimmed(), value = label.section(QLatin1Char('='), 1).trimmed();
        if (!label.contains(QLatin1Char('=')))
            return bad_input("a label is a name and its value", {}, to_std(label.trimmed()), "for example cluster=train-7");
        r.labels.emplace_back(to_std(name), to_std(value));
    }
    return r;
}

void WatchDialog::update_levels()
{
    const Expected<WatchRequest> asked = request();
    const Expected<std::vector<Watched>> all = asked ? watched(m_evaluation, *asked) : Expected<std::vector<Watched>>(asked.error());
    m_dashboard->setEnabled(all.has_value());
    m_rules->setEnabled(all.has_value());
    if (!all) {
        m_message->setText(to_qt(all.error().text()));
        return;
    }
    std::vector<CellTableModel::Row> rows;
    for (const Watched& w : *all)
        rows.push_back({{to_qt(w.level.title), {}}, {value_text(w.level.expected, w.level.unit), w.level.expected}, {value_text(w.level.low, w.level.unit), w.level.low}, {value_text(w.level.high, w.level.unit), w.level.high},
            {to_qt(w.expression), {}}});
    m_table->set_table({{tr("Meter"), false, {}}, {tr("Expected"), true, {}}, {tr("From"), true, {}}, {tr("To"), true, {}}, {tr("Measured as"), false, {}}}, std::move(rows));
    m_message->setText(m_evaluation.estimate.feasible() ? tr("The rules record each meter and alert when it stays outside for a quarter of an hour.")
                                                        : tr("This plan does not fit in memory: there will be no such run."));
}

void WatchDialog::choose_and_save(bool dashboard)
{
    const QString file = QFileDialog::getSaveFileName(this, dashboard ? tr("Save the dashboard") : tr("Save the rules"), m_folder + (dashboard ? QStringLiteral("/dashboard.json") : QStringLiteral("/rules.yml")),
        dashboard ? tr("Grafana dashboards (*.json)") : tr("Prometheus rules (*.yml *.yaml)"));
    if (!file.isEmpty())
        dashboard ? save_dashboard(file) : save_rules(file);
}

bool WatchDialog::save(const Expected<std::string>& text, const QString& file, const std::string& what)
{
    const Status written = text ? write_text_file(*text, file, what) : Status(text.error());
    m_message->setText(written ? tr("Wrote %1").arg(file) : to_qt(written.error().text()));
    return static_cast<bool>(written);
}

bool WatchDialog::save_dashboard(const QString& file)
{
    const Expected<WatchRequest> asked = request();
    return save(asked ? grafana_dashboard(m_plan, m_evaluation, *asked) : Expected<std::string>(asked.error()), file, "The dashboard");
}

bool WatchDialog::save_rules(const QString& file)
{
    const Expected<WatchRequest> asked = request();
    return save(asked ? prometheus_rules(m_plan, m_evaluation, *asked) : Expected<std::string>(asked.error()), file, "The rules file");
}

QString WatchDialog::message() const { return m_message->text(); }

} // namespace ridgepoint
