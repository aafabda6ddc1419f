#include "app/desktop/launch_import_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "model/specs/json_document.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::size_t largest_text = std::size_t{1} << 20; // as the command line takes

    SearchPicker* picker(const SpecStore& specs, SpecKind kind, const QString& none, QWidget* parent)
    {
        auto* box = new SearchPicker(parent);
        if (!none.isEmpty())
            box->addItem(none, QString());
        for (const std::string& id : specs.ids(kind))
            box->addItem(to_qt(id), to_qt(id));
        return box;
    }

} // namespace

LaunchImportDialog::LaunchImportDialog(const SpecStore& specs, const QString& instance, const QString& folder, QWidget* parent)
    : QDialog(parent)
    , m_specs(specs)
    , m_folder(folder)
    , m_text(new QPlainTextEdit(this))
    , m_framework(new QComboBox(this))
    , m_instance(picker(specs, SpecKind::instance, {}, this))
    , m_model(picker(specs, SpecKind::model, tr("as the text says"), this))
    , m_nodes(new NumberBox(true, NumberBox::Step::One, this))
    , m_message(new QLabel(this))
{
    setWindowTitle(tr("Import launch arguments"));
    resize(820, 600);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->setPlaceholderText(tr("Paste a script, an argument list, a torchtitan TOML or a server's command line, or open a file"));
    m_text->setAccessibleName(tr("Launch arguments"));
    m_text->setTabChangesFocus(true);
    m_framework->addItem(tr("as the text says"), QString());
    for (const auto& [f, title] : {std::pair{LaunchFramework::megatron_lm, "Megatron-LM"}, std::pair{LaunchFramework::torchtitan, "torchtitan"}, std::pair{LaunchFramework::vllm, "vLLM"},
             std::pair{LaunchFramework::sglang, "SGLang"}, std::pair{LaunchFramework::tensorrt_llm, "TensorRT-LLM"}})
        m_framework->addItem(QLatin1String(title), to_qt(name_of(f)));
    m_instance->set_value(instance);
    m_nodes->setRange(0, 100'000);
    m_nodes->setSpecialValueText(tr("as the text says"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Framework"), m_framework);
    form->addRow(tr("&Instance"), m_instance);
    form->addRow(tr("&Nodes"), m_nodes);
    form->addRow(tr("&Model"), m_model);
    m_instance->setToolTip(tr("Command lines name no machine"));
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_message->setContentsMargins(6, 6, 6, 6);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setWidget(m_message);
    scroll->setFixedHeight(130);
    scroll->setAccessibleName(tr("What was found"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    auto* file = buttons->addButton(tr("&Open File…"), QDialogButtonBox::ActionRole);
    m_take = buttons->addButton(tr("Open as &Plan"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(file, &QPushButton::clicked, this, [this] {
        if (const QString name = QFileDialog::getOpenFileName(this, tr("Open launch arguments"), m_folder, tr("All files (*)")); !name.isEmpty())
            open(name);
    });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_text, 1);
    layout->addLayout(form);
    layout->addWidget(scroll);
    layout->addWidget(buttons);
    connect(m_text, &QPlainTextEdit::textChanged, this, &LaunchImportDialog::update_plan);
    for (QComboBox* box : {m_framework, static_cast<QComboBox*>(m_instance), static_cast<QComboBox*>(m_model)})
        connect(box, &QComboBox::currentIndexChanged, this, &LaunchImportDialog::update_plan);
    connect(m_nodes, &QDoubleSpinBox::valueChanged, this, &LaunchImportDialog::update_plan);
    update_plan();
}

bool LaunchImportDialog::open(const QString& file)
{
    const Expected<std::string> text = read_text_file(to_std(file), largest_text);
    if (!text) {
        m_text->clear();
        m_message->setText(to_qt(text.error().text()));
        return false;
    }
    m_file = file;
    m_text->setPlainText(to_qt(*text));
    return m_read.has_value();
}

void LaunchImportDialog::update_plan()
{
    m_read.reset();
    m_take->setEnabled(false);
    const std::string text = to_std(m_text->toPlainText());
    if (text.empty()) {
        m_file.clear();
        m_message->setText(tr("Nothing in the text is run or expanded; what is wrong is named with its line."));
        return;
    }
    if (text.size() > largest_text) {
        m_message->setText(tr("The text is too large: at most 1 MiB"));
        return;
    }
    ReadRequest request;
    request.framework = parse_launch_framework(to_std(m_framework->currentData().toString()));
    request.instance = to_std(m_instance->value());
    request.nodes = static_cast<int>(m_nodes->value());
    request.model = to_std(m_model->value());
    Expected<ReadPlan> read = read_launch_text(text, m_file.isEmpty() ? "text" : to_std(m_file), m_specs, request);
    if (!read) {
        m_message->setText(to_qt(read.error().text()));
        return;
    }
    QStringList lines = {tr("%1: %2 on %3 × %4").arg(to_qt(name_of(read->framework)), to_qt(read->plan.model)).arg(read->plan.nodes).arg(to_qt(read->plan.instance))};
    for (const std::string& note : read->notes)
        lines << to_qt(note);
    m_message->setText(lines.join(QLatin1Char('\n')));
    m_read = std::move(*read);
    m_take->setEnabled(true);
}

QString LaunchImportDialog::message() const { return m_message->text(); }

} // namespace ridgepoint
