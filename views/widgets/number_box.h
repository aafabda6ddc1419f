#pragma once
// A spin box for every number of a plan: whole or not, from 1e-9 to 1e15, with unit. Writes 15 600 000 000 000 as
// "15.6 T" where that is exact and reads "15.6T", "15.6e12", "4k" and "15,600".

#include <QDoubleSpinBox>

namespace ridgepoint {

class NumberBox : public QDoubleSpinBox {
    Q_OBJECT

public:
    // Ladder: one step doubles or halves (sizes that are powers of two as a rule); any number can be typed.
    enum class Step { One, Ladder };

    NumberBox(bool whole, Step step, QWidget* parent = nullptr);

    [[nodiscard]] QString textFromValue(double value) const override;
    [[nodiscard]] double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
    void stepBy(int steps) override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); }

    // As in a file: no grouping, '.' decimal, shortest form that reads back as the same number.
    [[nodiscard]] QString plain_value() const;

protected:
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] bool parse(QString text, double& value) const;

    bool m_whole;
    Step m_step;
};

} // namespace ridgepoint
