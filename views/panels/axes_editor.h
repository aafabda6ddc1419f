#pragma once
// Which values of each axis a search tries. Empty lines mean the sensible values, which stand there in grey; a menu offers
// what an axis can take where that is a list.

#include <map>
#include <optional>

#include <QScrollArea>

#include "model/base/error.h"
#include "model/search/space.h"

class QFormLayout;
class QLabel;
class QLineEdit;

namespace ridgepoint {

class AxesEditor final : public QWidget {
    Q_OBJECT

public:
    explicit AxesEditor(QWidget* parent = nullptr);

    void set_instances(const QStringList& ids);
    void set_plan(const Plan& plan, const SearchSpace& sensible); // what was typed stays
    [[nodiscard]] Expected<SearchSpace> space() const; // Errors: the first axis whose values are refused
    [[nodiscard]] QLineEdit* line(const QString& axis) const; // null: does not apply
    void set_values(const QString& axis, const QString& values);
    void reset();

signals:
    void changed();

private:
    void build_rows();
    void show_menu(const std::string& axis, QWidget* at);
    void check();

    std::optional<Plan> m_plan;
    SearchSpace m_sensible;
    QStringList m_instances;
    std::map<std::string, QLineEdit*> m_lines;
    QWidget* m_body;
    QFormLayout* m_form;
    QLabel* m_points;
    QLabel* m_error;
};

QString axis_label(const std::string& axis); // "Tensor parallel"

} // namespace ridgepoint
