#pragma once
// "How computed": the tree of numbers behind a number, with formula, inputs and source, as the engine derived it.

#include <vector>

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

    void set_derivations(const std::vector<Derivation>& roots); // keeps the selection by name
    void show_message(const QString& message); // nothing to explain, and why
    // The node of that name, else the first whose name contains it. "A/B": B below A; "A|B": B where there is no A.
    bool select(const QString& number);
    void select_first();
    [[nodiscard]] QString selected() const;
    [[nodiscard]] QString as_text() const; // indented, for the clipboard

private:
    void show_current();
    [[nodiscard]] QTreeWidgetItem* find(const QString& path) const;

    QTreeWidget* m_tree = nullptr;
    QLabel* m_detail = nullptr;
};

} // namespace ridgepoint
