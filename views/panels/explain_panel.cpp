#include "views/panels/explain_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int formula_role = Qt::UserRole;
    constexpr int source_role = Qt::UserRole + 1;

    QTreeWidgetItem* item_of(const Derivation& node)
    {
        auto* item = new QTreeWidgetItem({to_qt(node.name), to_qt(node.value)});
        item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
        item->setData(0, formula_role, to_qt(node.formula));
        item->setData(0, source_role, to_qt(node.source));
        const QString tip = QStringLiteral("%1 = %2\n%3\n%4").arg(to_qt(node.name), to_qt(node.value), to_qt(node.formula), to_qt(node.source)).trimmed();
        item->setToolTip(0, tip);
        item->setToolTip(1, tip);
        for (const Derivation& input : node.inputs)
            item->addChild(item_of(input));
        return item;
    }

    void append_text(const QTreeWidgetItem* item, int depth, QString& text)
    {
        text += QString(depth * 2, u' ') + item->text(0) + QStringLiteral(" = ") + item->text(1);
        const QString formula = item->data(0, formula_role).toString();
        const QString source = item->data(0, source_role).toString();
        if (!formula.isEmpty())
            text += QStringLiteral("   [%1]").arg(formula);
        if (!source.isEmpty())
            text += QStringLiteral("   (%1)").arg(source);
        text += u'\n';
        for (int i = 0; i < item->childCount(); ++i)
            append_text(item->child(i), depth + 1, text);
    }

} // namespace

ExplainPanel::ExplainPanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    auto* split = new QSplitter(Qt::Vertical, this);
    m_tree = new QTreeWidget(split);
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Number"), tr("Value")});
    m_tree->setAccessibleName(tr("How the number is computed"));
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);

    auto* scroll = new QScrollArea(split);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_detail = new QLabel;
    m_detail->setWordWrap(true);
    m_detail->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_detail->setMargin(6);
    m_detail->setTextFormat(Qt::RichText);
    m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    m_detail->setOpenExternalLinks(true);
    m_detail->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(m_detail);
    split->addWidget(m_tree);
    split->addWidget(scroll);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    layout->addWidget(split, 1);

    auto* copy = new QPushButton(tr("Copy as text"), this);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(as_text()); });
    layout->addWidget(copy, 0, Qt::AlignLeft);
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &ExplainPanel::show_current);
    show_message(tr("Choose a number: click a card of the verdict, a mark or a row."));
}

void ExplainPanel::set_derivations(const std::vector<Derivation>& roots)
{
    const QString before = selected();
    m_tree->setEnabled(true);
    m_tree->clear();
    for (const Derivation& root : roots) {
        QTreeWidgetItem* item = item_of(root);
        m_tree->addTopLevelItem(item);
        item->setExpanded(true);
    }
    if (before.isEmpty() || !select(before))
        m_tree->setCurrentItem(m_tree->topLevelItem(0));
}

void ExplainPanel::show_message(const QString& message)
{
    m_tree->clear();
    m_tree->setEnabled(false);
    m_detail->setText(message.toHtmlEscaped());
}

QTreeWidgetItem* ExplainPanel::find(const QString& path) const
{
    const QStringList names = path.split(u'/');
    QTreeWidgetItem* close = nullptr;
    for (QTreeWidgetItemIterator it(m_tree); *it; ++it) {
        const QString name = (*it)->text(0);
        if (!name.contains(names.back(), Qt::CaseInsensitive))
            continue;
        if (names.size() > 1) {
            const QTreeWidgetItem* above = (*it)->parent();
            while (above && above->text(0).compare(names.front(), Qt::CaseInsensitive) != 0)
                above = above->parent();
            if (!above)
                continue;
        }
        if (name.compare(names.back(), Qt::CaseInsensitive) == 0)
            return *it;
        if (!close)
            close = *it;
    }
    return close;
}

bool ExplainPanel::select(const QString& number)
{
    for (const QString& path : number.split(u'|')) {
        QTreeWidgetItem* item = find(path);
        if (!item)
            continue;
        item->setExpanded(true);
        m_tree->setCurrentItem(item);
        m_tree->scrollToItem(item);
        return true;
    }
    return false;
}

void ExplainPanel::select_first() { m_tree->setCurrentItem(m_tree->topLevelItem(0)); }

QString ExplainPanel::selected() const
{
    const QTreeWidgetItem* item = m_tree->currentItem();
    return item ? item->text(0) : QString();
}

QString ExplainPanel::as_text() const
{
    QString text;
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i)
        append_text(m_tree->topLevelItem(i), 0, text);
    return text;
}

void ExplainPanel::show_current()
{
    const QTreeWidgetItem* item = m_tree->currentItem();
    if (!item)
        return;
    QString text = QStringLiteral("<b>%1</b> = %2").arg(item->text(0).toHtmlEscaped(), item->text(1).toHtmlEscaped());
    const QString formula = item->data(0, formula_role).toString();
    const QString source = item->data(0, source_role).toString();
    if (!formula.isEmpty())
        text += QStringLiteral("<p><code>%1</code></p>").arg(formula.toHtmlEscaped());
    if (!source.isEmpty())
        text += QStringLiteral("<p>%1</p>").arg(tr("Source: %1").arg(source.toHtmlEscaped()));
    m_detail->setText(text);
}

} // namespace ridgepoint
