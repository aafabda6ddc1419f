#pragma once
// What the answer hangs on: tornado, what doubling one figure of the hardware buys, and the bandwidth that would hide each
// kind of communication.

#include <QWidget>

#include "model/whatif/sensitivity.h"

class QComboBox;

namespace ridgepoint {

class CellTable;
class NumberBox;
class TornadoChart;

struct Sensitivity {
    std::vector<Swing> swings;
    std::vector<Upgrade> upgrades;
    std::vector<RequiredBandwidth> bandwidths;
};

class SensitivityPanel final : public QWidget {
    Q_OBJECT

public:
    explicit SensitivityPanel(QWidget* parent = nullptr);

    void show_sensitivity(const Sensitivity& found, const QString& time_name);
    [[nodiscard]] double relative() const; // by which the hardware is turned: 0.1 is 10 %

    [[nodiscard]] TornadoChart* chart() const { return m_chart; }
    [[nodiscard]] CellTable* upgrades() const { return m_upgrades; }
    [[nodiscard]] CellTable* bandwidths() const { return m_bandwidths; }

signals:
    void relative_changed();
    void knob_clicked(const QString& id);

private:
    QComboBox* m_measure;
    NumberBox* m_relative;
    TornadoChart* m_chart;
    CellTable* m_upgrades;
    CellTable* m_bandwidths;
};

} // namespace ridgepoint
