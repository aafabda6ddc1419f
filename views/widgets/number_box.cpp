#include "views/widgets/number_box.h"

#include <array>
#include <cmath>

#include <QLocale>
#include <QWheelEvent>

namespace ridgepoint {
namespace {

    struct Prefix {
        QChar symbol;
        double factor;
    };
    constexpr std::array<Prefix, 4> prefixes = {{{u'T', 1e12}, {u'B', 1e9}, {u'M', 1e6}, {u'k', 1e3}}};

} // namespace

NumberBox::NumberBox(bool whole, Step step, QWidget* parent) : QDoubleSpinBox(parent), m_whole(whole), m_step(step)
{
    setDecimals(whole ? 0 : 9);
    setSingleStep(1);
    setAccelerated(true);
    setKeyboardTracking(true);
    setAlignment(Qt::AlignRight);
    setFocusPolicy(Qt::StrongFocus);
    if (step == Step::One && !whole)
        setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
}

QString NumberBox::textFromValue(double value) const
{
    // A prefix only where six digits lose nothing: 4096 stays 4096, 15.6e12 becomes "15.6 T".
    if (std::abs(value) >= 1e6) {
        for (const Prefix& prefix : prefixes) {
            if (std::abs(value) < prefix.factor)
                continue;
            const QString digits = QLocale::c().toString(value / prefix.factor, 'g', 6);
            if (QLocale::c().toDouble(digits) * prefix.factor == value)
                return locale().toString(value / prefix.factor, 'g', 6) + QChar(u' ') + prefix.symbol;
            break;
        }
    }
    if (m_whole || value == std::floor(value))
        return locale().toString(value, 'f', 0);
    const double magnitude = std::abs(value);
    return locale().toString(value, magnitude < 1e-4 ? 'e' : 'g', magnitude < 1e-4 ? 3 : 8);
}

bool NumberBox::parse(QString text, double& value) const
{
    if (!prefix().isEmpty() && text.startsWith(prefix()))
        text = text.mid(prefix().size());
    if (!suffix().isEmpty() && text.endsWith(suffix()))
        text.chop(suffix().size());
    text = text.trimmed();
    double factor = 1.0;
    if (!text.isEmpty()) {
        const QChar last = text.back();
        for (const Prefix& known : prefixes) {
            if (last == known.symbol || (known.symbol != u'M' && last.toLower() == known.symbol.toLower())
                || (known.symbol == u'B' && last == u'G')) {
                factor = known.factor;
                text.chop(1);
                text = text.trimmed();
                break;
            }
        }
    }
    bool ok = false;
    value = locale().toDouble(text, &ok);
    if (!ok)
        value = QLocale::c().toDouble(text, &ok);
    value *= factor;
    return ok && std::isfinite(value);
}

double NumberBox::valueFromText(const QString& text) const
{
    if (!specialValueText().isEmpty() && text == specialValueText())
        return minimum();
    double value = 0.0;
    if (!parse(text, value))
        return this->value();
    return m_whole ? std::round(value) : value;
}

QValidator::State NumberBox::validate(QString& text, int&) const
{
    if (!specialValueText().isEmpty() && text == specialValueText())
        return QValidator::Acceptable;
    double value = 0.0;
    if (!parse(text, value))
        return QValidator::Intermediate; // half-typed; losing focus restores the last value
    if (value < minimum() || value > maximum())
        return QValidator::Intermediate;
    return m_whole && value != std::round(value) ? QValidator::Intermediate : QValidator::Acceptable;
}

void NumberBox::stepBy(int steps)
{
    if (m_step == Step::One || std::abs(steps) > 1) {
        QDoubleSpinBox::stepBy(steps);
        return;
    }
    const double now = value();
    if (steps > 0)
        setValue(now < 1.0 ? 1.0 : now * 2.0);
    else
        setValue(now <= 1.0 ? minimum() : std::max(minimum(), m_whole ? std::floor(now / 2.0) : now / 2.0));
    selectAll();
}

QSize NumberBox::minimumSizeHint() const
{
    // The native hint makes room for the widest value of the range, a line of digits for a range up to 1e15.
    QSize size = QDoubleSpinBox::minimumSizeHint();
    size.setWidth(fontMetrics().horizontalAdvance(QStringLiteral("0000000")) + fontMetrics().horizontalAdvance(suffix()) + 36);
    return size;
}

QString NumberBox::plain_value() const
{
    return m_whole ? QString::number(value(), 'f', 0) : QString::number(value(), 'g', QLocale::FloatingPointShortest);
}

void NumberBox::wheelEvent(QWheelEvent* event)
{
    // Scrolling through the editor must not change the fields under the cursor.
    if (hasFocus())
        QDoubleSpinBox::wheelEvent(event);
    else
        event->ignore();
}

} // namespace ridgepoint
