#pragma once
// What a report is to look like: level of detail, paper, title fields, logo. Remembered from one report to the next.

#include <QDialog>

#include "app/desktop/report_export.h"

class QComboBox;
class QDateEdit;
class QCheckBox;
class QFormLayout;
class QLineEdit;

namespace ridgepoint {

class ReportDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ReportDialog(bool has_measured, QWidget* parent = nullptr);

    // Errors: a logo that cannot be read. `measured` is taken in where the user wants it and outlives the request.
    [[nodiscard]] Expected<ReportRequest> request(const std::vector<Measured>* measured) const;
    void remember() const;

private:
    QLineEdit* add_line(const char* key, const QString& label, QFormLayout* form);

    QComboBox* m_detail = nullptr;
    QComboBox* m_paper = nullptr;
    QLineEdit* m_organization = nullptr;
    QLineEdit* m_author = nullptr;
    QLineEdit* m_reference = nullptr;
    QLineEdit* m_logo = nullptr;
    QDateEdit* m_date = nullptr;
    QCheckBox* m_measured = nullptr;
};

} // namespace ridgepoint
