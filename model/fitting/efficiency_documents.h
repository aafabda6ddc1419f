#pragma once
// specs/efficiency/*.json as text that is written again with other numbers and nothing else changed: order, notes, sources
// and layout stay, so that a difference between two versions shows the constants.

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/fitting/law_fit.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct SpecChange {
    std::string document; // "b200"
    std::string pointer; // "/software/tensorrt-llm/gemm/bf16/peak_fraction"
    std::string before, after; // with unit; empty: not there
};

class EfficiencyDocuments {
public:
    static Expected<EfficiencyDocuments> load(const SpecStore& specs);

    [[nodiscard]] bool contains(const std::string& id) const { return m_documents.contains(id); }
    [[nodiscard]] std::vector<std::string> ids() const;
    // Constants and residuals of a law. Error: the file lacks a constant, or states it in a unit that is none of ours.
    Status apply(const FittedLaw& law);

    // How a law follows from another one of the same kind: every constant is taken over, times `times` or as `equals`.
    struct Derivation {
        std::string from_document, from; // JSON pointers of laws
        std::string to_document, to;
        std::map<std::string, double> times, equals;
        double most_of_peak = 1.0; // bounds "peak_fraction"
    };
    // Nothing happens where either law is missing, or where the derived one has measurements of its own.
    void derive(const Derivation& derivation);

    void set(const std::string& id, const std::string& pointer, double value); // in the unit of the file; nothing if it is not there

    [[nodiscard]] std::vector<std::string> names(const std::string& id, const std::string& pointer) const; // of the laws there
    [[nodiscard]] const nlohmann::ordered_json* find(const std::string& id, const std::string& pointer) const;
    [[nodiscard]] std::string text(const std::string& id) const; // one constant a line
    [[nodiscard]] std::vector<SpecChange> changes() const; // since load
    [[nodiscard]] Status put_into(SpecStore& specs) const; // checked against the schema on the way

private:
    struct Document {
        std::string file, layer;
        nlohmann::ordered_json before, now;
    };
    nlohmann::ordered_json* law(const std::string& id, const std::string& pointer);

    std::map<std::string, Document> m_documents;
};

} // namespace ridgepoint
