#pragma once
// Asks how a figure is to be exported: format, size, scale, colours, source line; with a preview. Remembers the last
// answer.

#include <QDialog>

#include "views/export/figure_export.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace ridgepoint {

class FigureDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit FigureDialog(Figure& figure, QWidget* parent = nullptr);

    [[nodiscard]] QString suffix() const; // "png", "svg", "pdf"
    [[nodiscard]] FigureOptions options() const;
    void remember() const;

private:
    void update_preview();

    Figure& m_figure;
    QLabel* m_preview;
    QComboBox* m_format;
    QSpinBox* m_width;
    QSpinBox* m_height;
    QComboBox* m_scale;
    QComboBox* m_theme;
    QCheckBox* m_footer;
};

} // namespace ridgepoint
