#include "app/desktop/launch_dialog.h"

#include <array>

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/desktop/text_file.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString title_of(LaunchFramework f)
    {
        constexpr std::array titles = {"Megatron-LM", "Megatron-Bridge", "torchtitan", "Accelerate FSDP", "MaxText", "vLLM", "SGLang", "TensorRT-LLM"};
        return QLatin1String(titles[static_cast<std::size_t>(f)]);
    }

    const std::array<std::pair<LaunchForm, const char*>, 5> forms = {{{LaunchForm::slurm, QT_TRANSLATE_NOOP("LaunchDialog", "Slurm job")}, {LaunchForm::shell, QT_TRANSLATE_NOOP("LaunchDialog", "Shell script for every host")},
        {LaunchForm::arguments, QT_TRANSLATE_NOOP("LaunchDialog", "Arguments or configuration file alone")}, {LaunchForm::pytorch_job, QT_TRANSLATE_NOOP("LaunchDialog", "Kubernetes PyTorchJob")},
        {LaunchForm::jobset, QT_TRANSLATE_NOOP("LaunchDialog", "Kubernetes JobSet")}}};

} // namespace

LaunchDialog::LaunchDialog(const Plan& plan, const SpecStore& specs, const QString& folder, QWidget* parent)
    : QDialog(parent)
    , m_plan(plan)
    , m_specs(specs)
    , m_folder(folder)
    , m_framework(new QComboBox(this))
    , m_form(new QComboBox(this))
    , m_checkpoint(new QLineEdit(this))
    , m_decode(new QLineEdit(this))
    , m_preview(new QPlainTextEdit(this))
    , m_remarks(new QLabel(this))
{
    setWindowTitle(tr("Launch files"));
    resize(900, 640);
    const std::vector<LaunchFramework> frameworks = launch_frameworks(plan);
    for (const LaunchFramework f : frameworks)
        m_framework->addItem(title_of(f), static_cast<int>(f));
    for (const auto& [form, text] : forms)
        m_form->addItem(tr(text), static_cast<int>(form));
    m_checkpoint->setPlaceholderText(to_qt(repository_of(plan.model, specs)));
    m_checkpoint->setToolTip(tr("Weights or tokenizer: a folder or a repository; empty: the source of the model's spec"));
    m_decode->setPlaceholderText(tr("this plan serves prompts and answers"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Framework"), m_framework);
    form->addRow(tr("F&orm"), m_form);
    form->addRow(tr("&Weights or tokenizer"), m_checkpoint);
    const bool serving = std::holds_alternative<Serving>(plan.workload);
    auto* decode_row = new QWidget(this);
    auto* decode_layout = new QHBoxLayout(decode_row);
    decode_layout->setContentsMargins(0, 0, 0, 0);
    auto* choose = new QPushButton(tr("&Choose…"), decode_row);
    decode_layout->addWidget(m_decode, 1);
    decode_layout->addWidget(choose);
    m_decode->setAccessibleName(tr("Plan of the decode pool"));
    m_decode->setToolTip(tr("With it, this plan is the prefill pool of a disaggregated service"));
    if (serving)
        form->addRow(tr("&Decode pool's plan"), decode_row);
    decode_row->setVisible(serving);
    connect(choose, &QPushButton::clicked, this, [this] {
        if (const QString file = QFileDialog::getOpenFileName(this, tr("Plan of the decode pool"), m_folder, tr("Ridgepoint plans (*.ridgepoint)")); !file.isEmpty())
            m_decode->setText(file);
    });
    m_preview->setReadOnly(true);
    m_preview->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_preview->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_preview->setAccessibleName(tr("The file as it would be written"));
    m_preview->setTabChangesFocus(true);
    m_remarks->setWordWrap(true);
    m_remarks->setTextFormat(Qt::PlainText);
    m_remarks->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_remarks->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_remarks->setContentsMargins(6, 6, 6, 6);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_remarks);
    scroll->setAccessibleName(tr("What the framework cannot express and what is to be filled in"));
    auto* split = new QSplitter(Qt::Vertical, this);
    split->addWidget(m_preview);
    split->addWidget(scroll);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({400, 130});
    split->setChildrenCollapsible(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_save = buttons->addButton(tr("&Save…"), QDialogButtonBox::ActionRole);
    m_copy = buttons->addButton(tr("Co&py"), QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &LaunchDialog::choose_and_save);
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(preview()); });
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(split, 1);
    layout->addWidget(buttons);
    connect(m_framework, &QComboBox::currentIndexChanged, this, &LaunchDialog::update_preview);
    connect(m_form, &QComboBox::currentIndexChanged, this, &LaunchDialog::update_preview);
    connect(m_checkpoint, &QLineEdit::textChanged, this, &LaunchDialog::update_preview);
    connect(m_decode, &QLineEdit::textChanged, this, &LaunchDialog::update_preview);
    update_preview();
}

void LaunchDialog::update_preview()
{
    std::optional<Plan> decode;
    if (!m_decode->text().isEmpty()) {
        Expected<Plan> loaded = load_plan(to_std(m_decode->text()));
        if (!loaded)
            return show_error(loaded.error());
        decode = std::move(*loaded);
    }
    Expected<Launch> launch = launch_plan(m_plan, decode ? &*decode : nullptr, m_specs, static_cast<LaunchFramework>(m_framework->currentData().toInt()),
        {static_cast<LaunchForm>(m_form->currentData().toInt()), to_std(m_checkpoint->text())});
    if (!launch)
        return show_error(launch.error());
    m_preview->setPlainText(to_qt(launch->text));
    show_remarks(*launch);
    m_launch = std::move(*launch);
    m_save->setEnabled(true);
    m_copy->setEnabled(true);
}

void LaunchDialog::show_remarks(const Launch& launch)
{
    QStringList lines;
    if (!launch.not_expressed.empty())
        lines << tr("The framework cannot express these; the run differs from the estimate there:");
    for (const NotExpressed& n : launch.not_expressed)
        lines << tr("  %1: %2. Instead: %3").arg(to_qt(n.field), to_qt(n.what), to_qt(n.instead));
    if (!launch.placeholders.empty())
        lines << tr("To be filled in:");
    for (const std::string& p : launch.placeholders)
        lines << QStringLiteral("  ") + to_qt(p);
    if (launch.not_expressed.empty())
        lines.prepend(tr("Everything in the plan that this framework can be told is expressed."));
    m_remarks->setText(lines.join(QLatin1Char('\n')));
}

void LaunchDialog::show_error(const Error& error)
{
    m_launch.reset();
    m_preview->clear();
    m_remarks->setText(to_qt(error.text()));
    m_save->setEnabled(false);
    m_copy->setEnabled(false);
}

QString LaunchDialog::suggested_name() const
{
    const auto framework = static_cast<LaunchFramework>(m_framework->currentData().toInt());
    switch (static_cast<LaunchForm>(m_form->currentData().toInt())) {
    case LaunchForm::slurm:
        return QStringLiteral("launch.sbatch");
    case LaunchForm::shell:
        return QStringLiteral("launch.sh");
    case LaunchForm::pytorch_job:
    case LaunchForm::jobset:
        return QStringLiteral("launch.yaml");
    case LaunchForm::arguments:
        break;
    }
    return framework == LaunchFramework::torchtitan ? QStringLiteral("train.toml") : framework == LaunchFramework::accelerate_fsdp ? QStringLiteral("fsdp.yaml") : QStringLiteral("arguments.txt");
}

void LaunchDialog::choose_and_save()
{
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the launch file"), m_folder + QLatin1Char('/') + suggested_name(), tr("All files (*)"));
    if (!file.isEmpty())
        save_as(file);
}

bool LaunchDialog::save_as(const QString& file)
{
    if (!m_launch)
        return false;
    if (const Status status = write_text_file(m_launch->text, file, "The launch file"); !status) {
        m_remarks->setText(to_qt(status.error().text()));
        return false;
    }
    show_remarks(*m_launch);
    m_remarks->setText(tr("Wrote %1\n").arg(file) + m_remarks->text());
    return true;
}

QString LaunchDialog::preview() const { return m_preview->toPlainText(); }
QString LaunchDialog::remarks() const { return m_remarks->text(); }

} // namespace ridgepoint
