#pragma once
// The answer, always in sight: fits or not, bound by what, time, MFU, cost, what to change. Every card is a button that
// asks for the derivation of its number. Colour never speaks alone: each state has a word and a mark of its own.

#include <vector>

#include <QAbstractButton>
#include <QWidget>

#include "model/base/error.h"
#include "views/panels/verdict_cards.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ridgepoint {

QColor tone_colour(Tone tone, const QPalette& palette); // at least 3:1 against the window

class VerdictCardButton final : public QAbstractButton {
    Q_OBJECT

public:
    explicit VerdictCardButton(QWidget* parent = nullptr);
    void set_card(const VerdictCard& card);
    [[nodiscard]] const VerdictCard& card() const { return m_card; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] QFont small_font() const;
    [[nodiscard]] QFont big_font() const;

    VerdictCard m_card;
};

class VerdictStrip final : public QWidget {
    Q_OBJECT

public:
    explicit VerdictStrip(QWidget* parent = nullptr);

    void show_evaluation(const Plan& plan, const Evaluation& evaluation);
    // The plan cannot be evaluated; numbers of the last good plan are put away. `charts_kept`: there was one.
    void show_error(const Error& error, bool charts_kept);

    [[nodiscard]] const std::vector<VerdictCardButton*>& cards() const { return m_cards; }
    [[nodiscard]] QString headline() const { return m_headline; } // what a screen reader announces
    [[nodiscard]] QString advice() const;
    [[nodiscard]] bool shows_error() const { return m_error_shown; }

signals:
    void explain_requested(const QString& number);
    void problems_requested();
    void advice_chosen(int index); // into Evaluation::changes

private:
    VerdictCardButton* card_at(std::size_t index);
    void announce();

    std::vector<VerdictCardButton*> m_cards;
    QWidget* m_row = nullptr;
    QHBoxLayout* m_row_layout = nullptr;
    QLabel* m_advice_mark = nullptr;
    QLabel* m_advice = nullptr;
    QToolButton* m_apply = nullptr;
    QToolButton* m_more = nullptr;
    QWidget* m_error_row = nullptr;
    QLabel* m_error_icon = nullptr;
    QLabel* m_error_text = nullptr;
    QString m_headline;
    bool m_error_shown = false;
};

} // namespace ridgepoint
