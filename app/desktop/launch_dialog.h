#pragma once
// The open plan as launch files: framework and form chosen, the file as it would be written, what the framework cannot
// express and what is still to be filled in.

#include <optional>

#include <QDialog>

#include "model/launch/prepare.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ridgepoint {

class LaunchDialog final : public QDialog {
    Q_OBJECT

public:
    LaunchDialog(const Plan& plan, const SpecStore& specs, const QString& folder, QWidget* parent = nullptr);

    [[nodiscard]] QComboBox* framework() const { return m_framework; }
    [[nodiscard]] QComboBox* form() const { return m_form; }
    [[nodiscard]] QLineEdit* checkpoint() const { return m_checkpoint; }
    [[nodiscard]] QLineEdit* decode_file() const { return m_decode; }
    [[nodiscard]] QString preview() const;
    [[nodiscard]] QString remarks() const; // not expressed, to be filled in; or why there is no file
    [[nodiscard]] QPushButton* save_button() const { return m_save; }
    bool save_as(const QString& file); // what the preview shows; a failure is a remark

private:
    void update_preview();
    void choose_and_save();
    void show_remarks(const Launch& launch);
    void show_error(const Error& error);
    [[nodiscard]] QString suggested_name() const;

    Plan m_plan;
    SpecStore m_specs;
    QString m_folder;
    std::optional<Launch> m_launch;
    QComboBox* m_framework;
    QComboBox* m_form;
    QLineEdit* m_checkpoint;
    QLineEdit* m_decode;
    QPlainTextEdit* m_preview;
    QLabel* m_remarks;
    QPushButton* m_save;
    QPushButton* m_copy;
};

} // namespace ridgepoint
