#pragma once
// "How computed": the tree of numbers behind a number, with formula, inputs and source, as the engine derived it.

#include <QWidget>

#include "model/estimate/estimate.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace ridgepoint {

class ExplainPanel final : public QWidget {
    Q_OBJECT

public:
    explicit ExplainPanel(QWidget* parent = nullptr);

    void set_derivation(const Derivation& root); // keeps the selection by name
    void show_message(const QString& message); // nothing to explain, and why
    bool select(const QString& number); // the node of that name, else the first whose name contains it
    [[nodiscard]] QString selected() const;
    [[nodiscard]] QString as_text() const; // indented, for the clipboard

private:
    void show_current();

    QTreeWidget* m_tree = nullptr;
    QLabel* m_detail = nullptr;
};

} // namespace ridgepoint
