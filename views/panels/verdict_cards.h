#pragma once
// What the verdict strip says, as values: one card per number. Kept apart from the widget so that it can be tested and
// so that the report's first page can say the same.

#include <vector>

#include <QString>

#include "model/project/resolve.h"

namespace ridgepoint {

enum class Tone { Neutral, Good, Warning, Bad };

struct VerdictCard {
    QString title; // "Step time"
    QString value; // "4.21 s"
    QString detail; // "±7 %, 2.1 M tokens"
    QString explanation; // whole sentences for the tooltip
    QString number; // name in the derivation that explain() gives
    QString icon;
    Tone tone = Tone::Neutral;
};

std::vector<VerdictCard> verdict_cards(const Plan& plan, const Evaluation& evaluation);

QString convention_text(FlopConvention convention); // "model FLOPs, causal attention"

} // namespace ridgepoint
