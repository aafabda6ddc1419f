#pragma once
// Light, dark or the system's colours, and the size of the text.

#include <QString>

namespace ridgepoint {

enum class Appearance { System, Light, Dark };

Appearance appearance_from(const QString& name); // unknown: System
QString name_of(Appearance appearance);

void apply_appearance(Appearance appearance); // to the whole application, at once
Appearance saved_appearance();
void save_appearance(Appearance appearance);

// Text zoom of the window in steps of 10 %, 70 % to 200 %.
void apply_text_scale(double scale);
double saved_text_scale();
void save_text_scale(double scale);

} // namespace ridgepoint
