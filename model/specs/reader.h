#pragma once
// Typed access to one spec for the floors that own the types. Every getter returns a value; the first mistake is kept
// with its place and the caller asks for it once at the end, so that a reader reads like the struct it fills.

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/specs/store.h"
#include "model/units/parse.h"

namespace ridgepoint {

class SpecReader {
public:
    SpecReader(const SpecStore& store, SpecKind kind, std::string id);

    [[nodiscard]] bool ok() const { return !m_error; }
    [[nodiscard]] const Error& error() const { return *m_error; }
    [[nodiscard]] const std::string& id() const { return m_id; }

    [[nodiscard]] bool has(const std::string& pointer) const { return find(pointer) != nullptr; }
    [[nodiscard]] std::size_t size(const std::string& pointer) const; // of a list or object; 0 where there is none

    // Plain text: "name": "p5en".
    std::string text(const std::string& pointer);
    std::string text_or(const std::string& pointer, std::string otherwise);

    // Values with provenance: {"value": 3.35, "unit": "TB/s", "source": ...}.
    template <typename Q> Q quantity(const std::string& pointer) { return Q{base_value(pointer, dimension<Q>, true)}; }
    template <typename Q> Q quantity_or(const std::string& pointer, Q otherwise)
    {
        return has(pointer) ? quantity<Q>(pointer) : otherwise;
    }
    double number(const std::string& pointer) { return base_value(pointer, dimension<double>, true); }
    int whole(const std::string& pointer, int minimum, int maximum); // counts
    int whole_or(const std::string& pointer, int minimum, int maximum, int otherwise);
    bool flag_or(const std::string& pointer, bool otherwise);

    // Records a mistake that only the caller can see (a cross check); the first one stays.
    void fail(const std::string& pointer, std::string message, std::string found = {}, std::string expected = {});
    void fail(const Error& error);

private:
    [[nodiscard]] const nlohmann::json* find(const std::string& pointer) const;
    double base_value(const std::string& pointer, const Dimension& dimension, bool positive);

    const SpecStore& m_store;
    SpecKind m_kind;
    std::string m_id;
    const nlohmann::json* m_root = nullptr;
    std::optional<Error> m_error;
};

} // namespace ridgepoint
