#pragma once
// Arguments of Megatron-LM, a torchtitan TOML or the command line of a server as a plan. Nothing of the text is run.

#include <optional>

#include <QDialog>

#include "model/launch/prepare.h"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace ridgepoint {

class NumberBox;
class SearchPicker;

class LaunchImportDialog final : public QDialog {
    Q_OBJECT

public:
    LaunchImportDialog(const SpecStore& specs, const QString& instance, const QString& folder, QWidget* parent = nullptr);

    bool open(const QString& file); // its text; a failure is a message
    [[nodiscard]] QPlainTextEdit* text() const { return m_text; }
    [[nodiscard]] SearchPicker* instance() const { return m_instance; }
    [[nodiscard]] QString message() const; // the error, or what was assumed
    [[nodiscard]] const std::optional<ReadPlan>& read() const { return m_read; }
    [[nodiscard]] QPushButton* take_button() const { return m_take; }

private:
    void update_plan();

    SpecStore m_specs;
    QString m_folder, m_file; // of the text, for messages
    std::optional<ReadPlan> m_read;
    QPlainTextEdit* m_text;
    QComboBox* m_framework;
    SearchPicker* m_instance;
    SearchPicker* m_model;
    NumberBox* m_nodes;
    QLabel* m_message;
    QPushButton* m_take;
};

} // namespace ridgepoint
