#include "app/desktop/report_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDate>
#include <QDateEdit>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>

#include "model/report/logo.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString setting(const char* key) { return QSettings().value(QStringLiteral("report/") + QLatin1String(key)).toString(); }
    void set(const char* key, const QVariant& value) { QSettings().setValue(QStringLiteral("report/") + QLatin1String(key), value); }

} // namespace

ReportDialog::ReportDialog(bool has_measured, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Export the report"));
    auto* form = new QFormLayout(this);
    m_detail = new QComboBox;
    m_detail->addItem(tr("Everything: memory, bounds, operators, assumptions, sources"), QStringLiteral("engineering"));
    m_detail->addItem(tr("For deciders: answer, alternatives, money, risks"), QStringLiteral("executive"));
    m_detail->setCurrentIndex(setting("detail") == QStringLiteral("executive") ? 1 : 0);
    form->addRow(tr("&Detail"), m_detail);
    m_paper = new QComboBox;
    m_paper->addItem(tr("A4"), static_cast<int>(QPageSize::A4));
    m_paper->addItem(tr("Letter"), static_cast<int>(QPageSize::Letter));
    m_paper->setCurrentIndex(setting("paper") == QStringLiteral("letter") ? 1 : 0);
    form->addRow(tr("&Paper of a PDF"), m_paper);
    m_organization = add_line("organization", tr("Prepared &for"), form);
    m_author = add_line("author", tr("&By"), form);
    m_reference = add_line("reference", tr("&Reference"), form);
    m_date = new QDateEdit(QDate::currentDate());
    m_date->setDisplayFormat(QStringLiteral("yyyy-MM-dd"));
    m_date->setCalendarPopup(true);
    m_date->setToolTip(tr("Tells how old the prices are"));
    form->addRow(tr("D&ate"), m_date);

    auto* logo_row = new QHBoxLayout;
    m_logo = new QLineEdit(setting("logo"));
    m_logo->setClearButtonEnabled(true);
    m_logo->setPlaceholderText(tr("PNG or SVG"));
    m_logo->setMinimumWidth(m_logo->fontMetrics().averageCharWidth() * 40);
    auto* choose = new QPushButton(tr("&Choose…"));
    connect(choose, &QPushButton::clicked, this, [this] {
        if (const QString file = QFileDialog::getOpenFileName(this, tr("Logo of the report"), {}, tr("Pictures (*.png *.svg)")); !file.isEmpty())
            m_logo->setText(file);
    });
    logo_row->addWidget(m_logo, 1);
    logo_row->addWidget(choose);
    form->addRow(tr("&Logo"), logo_row);
    m_measured = new QCheckBox(tr("Set the prediction against the &measured files that are open"));
    m_measured->setChecked(has_measured);
    m_measured->setVisible(has_measured);
    form->addRow(m_measured);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    form->addRow(buttons);
}

QLineEdit* ReportDialog::add_line(const char* key, const QString& label, QFormLayout* form)
{
    auto* line = new QLineEdit(setting(key));
    line->setMaxLength(200);
    form->addRow(label, line);
    return line;
}

Expected<ReportRequest> ReportDialog::request(const std::vector<Measured>* measured) const
{
    ReportRequest r;
    r.paper = static_cast<QPageSize::PageSizeId>(m_paper->currentData().toInt());
    r.content.detail = m_detail->currentIndex() == 1 ? ReportDetail::executive : ReportDetail::engineering;
    r.content.organization = to_std(m_organization->text());
    r.content.author = to_std(m_author->text());
    r.content.reference = to_std(m_reference->text());
    if (const Expected<Date> date = parse_date(to_std(m_date->date().toString(Qt::ISODate))))
        r.content.today = *date;
    if (!m_logo->text().isEmpty()) {
        Expected<std::string> logo = read_logo(to_std(m_logo->text()));
        if (!logo)
            return logo.error();
        r.content.logo = std::move(*logo);
    }
    if (m_measured->isChecked())
        r.content.measured = measured;
    return r;
}

void ReportDialog::remember() const
{
    set("detail", m_detail->currentData());
    set("paper", m_paper->currentIndex() == 1 ? QStringLiteral("letter") : QStringLiteral("a4"));
    set("organization", m_organization->text());
    set("author", m_author->text());
    set("reference", m_reference->text());
    set("logo", m_logo->text());
}

} // namespace ridgepoint
