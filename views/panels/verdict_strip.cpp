#include "views/panels/verdict_strip.h"

#include <algorithm>

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStyleOptionFocusRect>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/widgets/icon.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int bar_width = 4;
    constexpr int padding = 8;

} // namespace

QColor tone_colour(Tone tone, const QPalette& palette)
{
    const bool dark = palette.color(QPalette::Window).lightness() < 128;
    switch (tone) {
    case Tone::Good:
        return dark ? QColor(0x2f, 0xc0, 0x97) : QColor(0x00, 0x7d, 0x5b);
    case Tone::Warning:
        return dark ? QColor(0xe6, 0x9f, 0x00) : QColor(0x9a, 0x67, 0x00);
    case Tone::Bad:
        return dark ? QColor(0xff, 0x86, 0x3a) : QColor(0xc2, 0x4f, 0x00);
    case Tone::Neutral:
        break;
    }
    return palette.color(QPalette::Mid);
}

VerdictCardButton::VerdictCardButton(QWidget* parent) : QAbstractButton(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void VerdictCardButton::set_card(const VerdictCard& card)
{
    const bool resized = card.value.size() != m_card.value.size() || card.detail.size() != m_card.detail.size();
    m_card = card;
    const QString spoken = QStringLiteral("%1: %2. %3").arg(card.title, card.value, card.detail);
    setAccessibleName(spoken);
    setAccessibleDescription(card.explanation);
    setToolTip(QStringLiteral("<p><b>%1: %2</b>%3</p><p>%4</p><p><i>%5</i></p>")
                   .arg(card.title.toHtmlEscaped(), card.value.toHtmlEscaped(),
                       card.detail.isEmpty() ? QString() : QStringLiteral("<br>") + card.detail.toHtmlEscaped(), card.explanation.toHtmlEscaped(),
                       tr("Click: how it is computed")));
    if (resized)
        updateGeometry();
    update();
}

QFont VerdictCardButton::small_font() const
{
    QFont f = font();
    f.setPointSizeF(f.pointSizeF() * 0.88);
    return f;
}

QFont VerdictCardButton::big_font() const
{
    QFont f = font();
    f.setPointSizeF(f.pointSizeF() * 1.35);
    f.setBold(true);
    return f;
}

QSize VerdictCardButton::sizeHint() const
{
    const QFontMetrics small(small_font());
    const QFontMetrics big(big_font());
    const int icon = m_card.icon.isEmpty() ? 0 : big.height() + 2;
    const int width = std::max({big.horizontalAdvance(m_card.value) + icon, small.horizontalAdvance(m_card.title), small.horizontalAdvance(m_card.detail)});
    return {width + bar_width + 2 * padding, 2 * small.height() + big.height() + 10};
}

QSize VerdictCardButton::minimumSizeHint() const
{
    // The value may never be cut; the small print may.
    const QFontMetrics big(big_font());
    const int icon = m_card.icon.isEmpty() ? 0 : big.height() + 2;
    return {std::min(sizeHint().width(), big.horizontalAdvance(m_card.value) + icon + bar_width + 2 * padding), sizeHint().height()};
}

void VerdictCardButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const QPalette& colours = palette();
    const bool lit = underMouse() || isDown();
    painter.fillRect(rect(), lit ? colours.color(QPalette::AlternateBase) : colours.color(QPalette::Base));
    painter.fillRect(QRect(0, 0, bar_width, height()), tone_colour(m_card.tone, colours));

    const QFontMetrics small(small_font());
    const QFontMetrics big(big_font());
    const int left = bar_width + padding;
    const int width = this->width() - left - 4;
    QColor dim = colours.color(QPalette::Text);
    dim.setAlphaF(0.75F);
    int y = 4;
    painter.setFont(small_font());
    painter.setPen(dim);
    painter.drawText(QRect(left, y, width, small.height()), Qt::AlignLeft | Qt::AlignVCenter, small.elidedText(m_card.title, Qt::ElideRight, width));
    y += small.height();
    int text_left = left;
    if (!m_card.icon.isEmpty()) {
        const int side = big.height() - 4;
        coloured_icon(m_card.icon, tone_colour(m_card.tone, colours)).paint(&painter, QRect(left, y + 2, side, side));
        text_left += side + 5;
    }
    painter.setFont(big_font());
    painter.setPen(colours.color(QPalette::Text));
    const int big_width = this->width() - text_left - 2;
    painter.drawText(QRect(text_left, y, big_width, big.height()), Qt::AlignLeft | Qt::AlignVCenter, big.elidedText(m_card.value, Qt::ElideRight, big_width));
    y += big.height() + 2;
    painter.setFont(small_font());
    painter.setPen(dim);
    painter.drawText(QRect(left, y, width, small.height()), Qt::AlignLeft | Qt::AlignVCenter, small.elidedText(m_card.detail, Qt::ElideRight, width));
    if (hasFocus()) {
        painter.setPen(QPen(colours.color(QPalette::Highlight), 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void VerdictCardButton::enterEvent(QEnterEvent* event)
{
    QAbstractButton::enterEvent(event);
    update();
}

void VerdictCardButton::leaveEvent(QEvent* event)
{
    QAbstractButton::leaveEvent(event);
    update();
}

VerdictStrip::VerdictStrip(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 2);
    layout->setSpacing(3);

    m_row = new QWidget(this);
    m_row_layout = new QHBoxLayout(m_row);
    m_row_layout->setContentsMargins(0, 0, 0, 0);
    m_row_layout->setSpacing(4);
    layout->addWidget(m_row);

    m_error_row = new QWidget(this);
    auto* error_layout = new QHBoxLayout(m_error_row);
    error_layout->setContentsMargins(6, 6, 6, 6);
    m_error_icon = new QLabel(m_error_row);
    m_error_text = new QLabel(m_error_row);
    m_error_text->setWordWrap(true);
    m_error_text->setTextFormat(Qt::RichText);
    m_error_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_error_text->setFocusPolicy(Qt::NoFocus);
    auto* details = new QToolButton(m_error_row);
    details->setText(tr("Details"));
    details->setAccessibleName(tr("Show the details of the problem"));
    connect(details, &QToolButton::clicked, this, &VerdictStrip::problems_requested);
    error_layout->addWidget(m_error_icon, 0, Qt::AlignTop);
    error_layout->addWidget(m_error_text, 1);
    error_layout->addWidget(details, 0, Qt::AlignTop);
    m_error_row->hide();
    layout->addWidget(m_error_row);

    auto* advice_row = new QHBoxLayout;
    advice_row->setContentsMargins(4, 0, 0, 0);
    m_advice_mark = new QLabel(tr("Try:"), this);
    QFont bold = m_advice_mark->font();
    bold.setBold(true);
    m_advice_mark->setFont(bold);
    m_advice = new QLabel(this);
    m_advice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_apply = new QToolButton(this);
    m_apply->setText(tr("Apply"));
    m_apply->setMinimumHeight(24);
    connect(m_apply, &QToolButton::clicked, this, [this] { emit advice_chosen(0); });
    m_more = new QToolButton(this);
    m_more->setAutoRaise(true);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMinimumHeight(24);
    advice_row->addWidget(m_advice_mark);
    advice_row->addWidget(m_advice, 1);
    advice_row->addWidget(m_apply);
    advice_row->addWidget(m_more);
    layout->addLayout(advice_row);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

VerdictCardButton* VerdictStrip::card_at(std::size_t index)
{
    while (m_cards.size() <= index) {
        auto* card = new VerdictCardButton(m_row);
        connect(card, &QAbstractButton::clicked, this, [this, card] { emit explain_requested(card->card().number); });
        m_row_layout->addWidget(card);
        m_cards.push_back(card);
    }
    return m_cards[index];
}

void VerdictStrip::show_evaluation(const Plan& plan, const Evaluation& evaluation)
{
    const std::vector<VerdictCard> cards = verdict_cards(plan, evaluation);
    QStringList spoken;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        VerdictCardButton* button = card_at(i);
        button->set_card(cards[i]);
        m_row_layout->setStretch(static_cast<int>(i), std::max(10, button->sizeHint().width()));
        button->show();
        spoken << QStringLiteral("%1 %2").arg(cards[i].title, cards[i].value);
    }
    for (std::size_t i = cards.size(); i < m_cards.size(); ++i) {
        m_row_layout->setStretch(static_cast<int>(i), 0);
        m_cards[i]->hide();
    }
    m_error_shown = false;
    m_error_row->hide();
    m_row->show();

    const auto& advice = evaluation.advice;
    const auto& notes = evaluation.estimate.notes;
    m_advice_mark->setVisible(!advice.empty());
    m_advice->setText(advice.empty() ? to_qt(evaluation.verdict) : to_qt(advice.front()));
    m_advice->setToolTip(m_advice->text());
    m_apply->setVisible(!evaluation.changes.empty());
    m_apply->setAccessibleName(tr("Apply the advice: %1").arg(m_advice->text()));
    if (m_more->menu())
        m_more->menu()->deleteLater();
    auto* menu = new QMenu(m_more);
    for (std::size_t i = 1; i < advice.size(); ++i) {
        QAction* action = menu->addAction(to_qt(advice[i]));
        action->setEnabled(i < evaluation.changes.size());
        connect(action, &QAction::triggered, this, [this, i] { emit advice_chosen(static_cast<int>(i)); });
    }
    if (!notes.empty()) {
        menu->addSection(tr("Notes"));
        for (const std::string& note : notes)
            menu->addAction(to_qt(note))->setEnabled(false);
    }
    QStringList label;
    if (advice.size() > 1)
        label << tr("%n more", nullptr, static_cast<int>(advice.size() - 1));
    if (!notes.empty())
        label << (notes.size() == 1 ? tr("1 note") : tr("%1 notes").arg(notes.size()));
    m_more->setText(label.join(QStringLiteral(", ")));
    m_more->setAccessibleName(tr("More advice and notes: %1").arg(m_more->text()));
    m_more->setVisible(!label.isEmpty());
    m_more->setMenu(menu);

    const QString headline = spoken.join(QStringLiteral(", "));
    if (headline != m_headline) {
        m_headline = headline;
        announce();
    }
}

void VerdictStrip::show_error(const Error& error, bool charts_kept)
{
    const bool infeasible = error.kind == ErrorKind::infeasible;
    const QString title = infeasible ? tr("This plan cannot run") : tr("This plan cannot be evaluated");
    const QString message = to_qt(error.message);
    QString detail;
    if (!error.found.empty())
        detail += tr(" Found %1.").arg(to_qt(error.found));
    if (!error.expected.empty())
        detail += tr(" Expected %1.").arg(to_qt(error.expected));
    m_error_icon->setPixmap(coloured_icon(QStringLiteral("stop"), tone_colour(Tone::Bad, palette())).pixmap(32, 32));
    m_error_text->setText(QStringLiteral("<b>%1.</b> %2%3%4")
                              .arg(title, message.toHtmlEscaped(), detail.toHtmlEscaped(),
                                  error.hint.empty() ? QString() : QStringLiteral("<br><b>%1</b> %2").arg(tr("To mend it:"), to_qt(error.hint).toHtmlEscaped())));
    m_row->hide();
    m_error_row->show();
    m_error_shown = true;
    m_advice_mark->hide();
    m_advice->setText(charts_kept ? tr("The charts below show the last plan that could be evaluated.") : QString());
    m_apply->hide();
    m_more->hide();
    m_headline = QStringLiteral("%1. %2 %3").arg(title, message, to_qt(error.hint));
    announce();
}

QString VerdictStrip::advice() const { return m_advice->text(); }

void VerdictStrip::announce()
{
    setAccessibleName(tr("Verdict"));
    setAccessibleDescription(m_headline);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

} // namespace ridgepoint
