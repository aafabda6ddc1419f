#pragma once
// Combo boxes of the plan editor: a short list of choices, and a long list with search.

#include <QComboBox>

namespace ridgepoint {

// Values as in the file are the items' data; people see labels.
class ChoiceBox : public QComboBox {
    Q_OBJECT

public:
    explicit ChoiceBox(QWidget* parent = nullptr);

    // Shows `value`; one that is not in the list is added and marked, so that nothing is changed in silence.
    void set_value(const QString& value);
    [[nodiscard]] QString value() const { return currentData().toString(); }

signals:
    void picked(const QString& value); // by the user

protected:
    void wheelEvent(QWheelEvent* event) override;
};

// Type to search anywhere in the label; Enter or click takes it, leaving restores what was chosen.
class SearchPicker final : public ChoiceBox {
    Q_OBJECT

public:
    explicit SearchPicker(QWidget* parent = nullptr);

protected:
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restore_text();
};

} // namespace ridgepoint
