#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QMessageBox>
#include <QSettings>
#include <QSpinBox>
#include <QVBoxLayout>

#include "views/export/figure_dialog.h"
#include "views/export/figure_export.h"
#include "views/widgets/text.h"

namespace ridgepoint {

FigureDialog::FigureDialog(Figure& figure, QWidget* parent)
    : QDialog(parent)
    , m_figure(figure)
    , m_preview(new QLabel(this))
    , m_format(new QComboBox(this))
    , m_width(new QSpinBox(this))
    , m_height(new QSpinBox(this))
    , m_scale(new QComboBox(this))
    , m_theme(new QComboBox(this))
    , m_footer(new QCheckBox(tr("&Source line at the foot"), this))
{
    setWindowTitle(tr("Export figure"));
    const QSettings settings;
    m_format->addItem(tr("PNG image"), QStringLiteral("png"));
    m_format->addItem(tr("SVG drawing"), QStringLiteral("svg"));
    m_format->addItem(tr("PDF page"), QStringLiteral("pdf"));
    m_format->setCurrentIndex(std::max(0, m_format->findData(settings.value(QStringLiteral("figure/format")))));
    for (QSpinBox* box : {m_width, m_height}) {
        box->setRange(200, 4000);
        box->setSingleStep(20);
        box->setSuffix(tr(" px"));
    }
    m_width->setValue(settings.value(QStringLiteral("figure/width"), 960).toInt());
    m_height->setValue(settings.value(QStringLiteral("figure/height"), 600).toInt());
    for (const int scale : {1, 2, 4})
        m_scale->addItem(tr("%1×").arg(scale), scale);
    m_scale->setCurrentIndex(std::max(0, m_scale->findData(settings.value(QStringLiteral("figure/scale"), 2).toInt())));
    m_theme->addItem(tr("Light"), QStringLiteral("light"));
    m_theme->addItem(tr("Dark"), QStringLiteral("dark"));
    m_theme->addItem(tr("Print: white, black text"), QStringLiteral("print"));
    m_theme->setCurrentIndex(std::max(0, m_theme->findData(settings.value(QStringLiteral("figure/theme")))));
    m_footer->setChecked(settings.value(QStringLiteral("figure/footer"), true).toBool());
    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setFixedSize(440, 290);
    m_preview->setAccessibleName(tr("Preview of the figure"));

    auto* form = new QFormLayout;
    form->addRow(tr("&Format:"), m_format);
    form->addRow(tr("&Width:"), m_width);
    form->addRow(tr("&Height:"), m_height);
    form->addRow(tr("S&cale of the image:"), m_scale);
    form->addRow(tr("Co&lours:"), m_theme);
    form->addRow(m_footer);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_preview);
    layout->addLayout(form);
    layout->addWidget(buttons);
    for (QComboBox* box : {m_format, m_scale, m_theme})
        connect(box, &QComboBox::currentIndexChanged, this, &FigureDialog::update_preview);
    for (QSpinBox* box : {m_width, m_height})
        connect(box, &QSpinBox::valueChanged, this, &FigureDialog::update_preview);
    connect(m_footer, &QCheckBox::toggled, this, &FigureDialog::update_preview);
    update_preview();
}

QString FigureDialog::suffix() const
{
    return m_format->currentData().toString();
}

FigureOptions FigureDialog::options() const
{
    FigureOptions o;
    o.size = QSizeF(m_width->value(), m_height->value());
    o.scale = m_scale->currentData().toDouble();
    const QString theme = m_theme->currentData().toString();
    o.theme = theme == QStringLiteral("dark") ? Theme::dark_theme()
        : theme == QStringLiteral("print")    ? Theme::print()
                                              : Theme::light();
    if (m_footer->isChecked())
        o.footer = figure_source();
    return o;
}

void FigureDialog::update_preview()
{
    m_scale->setEnabled(suffix() == QStringLiteral("png"));
    FigureOptions o = options();
    const double fit = std::min(m_preview->width() / o.size.width(), m_preview->height() / o.size.height());
    o.scale = fit * devicePixelRatioF();
    QPixmap pixmap = QPixmap::fromImage(figure_image(m_figure, o));
    pixmap.setDevicePixelRatio(devicePixelRatioF());
    m_preview->setPixmap(pixmap);
}

void FigureDialog::remember() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("figure/format"), suffix());
    settings.setValue(QStringLiteral("figure/width"), m_width->value());
    settings.setValue(QStringLiteral("figure/height"), m_height->value());
    settings.setValue(QStringLiteral("figure/scale"), m_scale->currentData().toInt());
    settings.setValue(QStringLiteral("figure/theme"), m_theme->currentData());
    settings.setValue(QStringLiteral("figure/footer"), m_footer->isChecked());
}

namespace {
QString& source_line()
{
    static QString line = QStringLiteral("Ridgepoint");
    return line;
}
} // namespace

void set_figure_source(const QString& line)
{
    source_line() = line;
}
QString figure_source()
{
    return source_line();
}

void export_figure_dialog(Figure& figure, QWidget* parent)
{
    FigureDialog dialog(figure, parent);
    if (dialog.exec() != QDialog::Accepted)
        return;
    dialog.remember();
    QSettings settings;
    const QString folder = settings.value(QStringLiteral("figure/folder"), QDir::homePath()).toString();
    QString name = figure.figure_title().toLower();
    for (QChar& c : name)
        if (!c.isLetterOrNumber())
            c = QLatin1Char('-');
    const QString suffix = dialog.suffix();
    QString file = QFileDialog::getSaveFileName(parent, FigureDialog::tr("Export figure"),
        QStringLiteral("%1/%2.%3").arg(folder, name.left(60), suffix),
        QStringLiteral("%1 (*.%2)").arg(suffix.toUpper(), suffix));
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().toLower() != suffix)
        file += QLatin1Char('.') + suffix;
    settings.setValue(QStringLiteral("figure/folder"), QFileInfo(file).absolutePath());
    if (const Status written = write_figure(figure, file, dialog.options()); !written)
        QMessageBox::warning(parent, FigureDialog::tr("The figure was not written"), to_qt(written.error().text()));
}

} // namespace ridgepoint
