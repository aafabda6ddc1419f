#pragma once
// Asks what the columns of a table mean: what the table holds as a whole, each column's meaning and unit, with the guess
// chosen beforehand; the first rows, and what in them does not fit, by row and column. Shows and asks; files are the program's.

#include <memory>
#include <vector>

#include <QDialog>

#include "model/measured/tables/column_mapping.h"
#include "model/measured/tables/mapping_check.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QTableView;
class QTableWidget;

namespace ridgepoint {

class PreviewModel;

class MappingDialog final : public QDialog {
    Q_OBJECT

public:
    static constexpr int most_columns = 200; // that are offered one by one

    // `mapping`: as it was said before; null: guessed.
    MappingDialog(std::shared_ptr<const MeasuredTable> table, const QString& file, const ColumnMapping* mapping, QWidget* parent = nullptr);

    void set_mapping(const ColumnMapping& mapping); // columns that the table has not are left out
    [[nodiscard]] ColumnMapping mapping() const;
    [[nodiscard]] bool is_remembered() const; // for the next file with these columns
    void show_error(const Error& error); // of a mapping that was loaded

signals:
    void load_requested();
    void save_requested();

private:
    QWidget* make_columns();
    QWidget* make_preview();
    QWidget* make_buttons();
    void change_target();
    void fill_units(int row);
    void check();
    void show_problems(const MappingCheck& found);
    [[nodiscard]] MappingTarget target() const;
    [[nodiscard]] QComboBox* meaning(int row) const;
    [[nodiscard]] QComboBox* unit(int row) const;
    [[nodiscard]] QString example(std::size_t column) const;

    std::shared_ptr<const MeasuredTable> m_table;
    std::vector<ColumnMapping> m_guesses;
    QComboBox* m_target = nullptr;
    QTableWidget* m_columns = nullptr;
    PreviewModel* m_preview_model = nullptr;
    QTableView* m_preview = nullptr;
    QLabel* m_verdict = nullptr;
    QListWidget* m_problems = nullptr;
    QCheckBox* m_remember = nullptr;
    QPushButton* m_use = nullptr;
    bool m_quiet = false; // while several boxes are set at once
};

} // namespace ridgepoint
