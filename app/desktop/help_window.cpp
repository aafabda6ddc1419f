#include "app/desktop/help_window.h"

#include <QDialogButtonBox>
#include <QEvent>
#include <QFile>
#include <QListWidget>
#include <QPointer>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include "model/specs/store.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int block_role = Qt::UserRole;

    QColor between(const QColor& a, const QColor& b, double share)
    {
        return QColor::fromRgbF(float(a.redF() + share * (b.redF() - a.redF())), float(a.greenF() + share * (b.greenF() - a.greenF())),
            float(a.blueF() + share * (b.blueF() - a.blueF())));
    }

    // Qt draws a Markdown table without lines, or with the bevel of old HTML.
    void style_table(QTextTable* table, const QPalette& palette)
    {
        const QColor paper = palette.color(QPalette::Base);
        const QColor ink = palette.color(QPalette::Text);
        QTextTableFormat format = table->format();
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderBrush(between(paper, ink, 0.25));
        format.setCellSpacing(0);
        format.setCellPadding(4);
        format.setTopMargin(6);
        format.setBottomMargin(10);
        format.setHeaderRowCount(1);
        table->setFormat(format);
        for (int row = 0; row < table->rows(); ++row)
            for (int column = 0; column < table->columns(); ++column) {
                QTextTableCell cell = table->cellAt(row, column);
                QTextCharFormat cell_format = cell.format();
                cell_format.setBackground(row == 0 ? between(paper, ink, 0.12) : row % 2 == 0 ? between(paper, ink, 0.04) : paper);
                cell.setFormat(cell_format);
            }
    }

    void style_tables(QTextFrame* frame, const QPalette& palette)
    {
        for (QTextFrame* child : frame->childFrames()) {
            if (auto* table = qobject_cast<QTextTable*>(child))
                style_table(table, palette);
            style_tables(child, palette);
        }
    }

} // namespace

HelpWindow::HelpWindow(const QString& markdown, const QString& title, QWidget* parent)
    : QDialog(parent, Qt::Window), m_markdown(markdown)
{
    setWindowTitle(title);
    auto* layout = new QVBoxLayout(this);
    auto* split = new QSplitter(this);
    m_sections = new QListWidget(split);
    m_sections->setAccessibleName(tr("Sections"));
    m_sections->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // long names are elided
    m_browser = new QTextBrowser(split);
    m_browser->setAccessibleName(title);
    m_browser->setOpenLinks(false); // links of a page of the source tree lead nowhere here
    split->addWidget(m_sections);
    split->addWidget(m_browser);
    split->setStretchFactor(1, 1);
    split->setSizes({260, 860});
    layout->addWidget(split, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    connect(m_sections, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
        if (!item)
            return;
        const QTextBlock block = m_browser->document()->findBlockByNumber(item->data(block_role).toInt());
        m_browser->setTextCursor(QTextCursor(m_browser->document()->lastBlock())); // so that the section ends up at the top
        m_browser->setTextCursor(QTextCursor(block));
    });
    render();
    list_sections();
    resize(1120, 720);
    m_browser->setFocus();
}

void HelpWindow::render()
{
    const int at = m_browser->verticalScrollBar()->value();
    // Away from the view: laid out once, not once a cell.
    auto* document = new QTextDocument(m_browser);
    document->setUndoRedoEnabled(false);
    document->setDocumentMargin(12);
    document->setDefaultFont(m_browser->font());
    document->setMarkdown(m_markdown);
    QTextCursor cursor(document);
    cursor.beginEditBlock();
    style_tables(document->rootFrame(), palette()); // the window has a new palette before the browser
    cursor.endEditBlock();
    const QPointer<QTextDocument> before = m_browser->document();
    m_browser->setDocument(document);
    if (before) // the browser deletes only its own first one
        before->deleteLater();
    m_browser->verticalScrollBar()->setValue(at);
}

void HelpWindow::list_sections()
{
    for (QTextBlock block = m_browser->document()->begin(); block.isValid(); block = block.next())
        if (const int level = block.blockFormat().headingLevel(); level >= 1 && level <= 3) {
            auto* item = new QListWidgetItem(QString(level == 3 ? 4 : 0, u' ') + block.text(), m_sections);
            item->setData(block_role, block.blockNumber());
            item->setToolTip(block.text());
        }
}

void HelpWindow::changeEvent(QEvent* event)
{
    QDialog::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_browser)
        render(); // the tables' colours come from the palette
}

HelpWindow* make_help_window(const QString& page, const QString& title, QWidget* parent)
{
    QFile file(to_qt(find_help_page(to_std(page))));
    const bool found = !file.fileName().isEmpty() && file.open(QIODevice::ReadOnly);
    auto* window = new HelpWindow(
        found ? QString::fromUtf8(file.readAll()) : HelpWindow::tr("The page \"%1\" is not installed: share/ridgepoint/help/%1.md").arg(page), title, parent);
    window->setAttribute(Qt::WA_DeleteOnClose);
    return window;
}

} // namespace ridgepoint
