#pragma once
// The catalogue on disk: JSON files under specs/, one document each, checked against the schema of their kind at load,
// later overlays replacing earlier ones by id (built-in < system < user < project). Typed readers live in the floors
// that own the types (hardware/read.h, transformer/read.h, ...); this floor knows documents, places and sources.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"

namespace ridgepoint {

enum class SpecKind : unsigned char { accelerator, instance, fabric, storage, model, price, efficiency, market };
std::string_view folder_of(SpecKind kind); // "accelerators"
std::string_view name_of(SpecKind kind); // "accelerator"

// How well a fitted law met its measurements, as fractions of the measured value.
struct LawProvenance {
    double median = 0;
    double p90 = 0;
    int rows = 0;
};

// Where a value came from, as the spec states it. Every figure in the catalogue has one.
struct Provenance {
    std::string value; // as written, with unit: "3.35 TB/s"
    std::string source; // title
    std::string url;
    std::string date;
    std::string confidence; // "high", "medium", "low"
    std::string note; // why this value where sources disagree
    std::vector<std::string> conflicts; // the values not chosen, with their sources
    std::string holder; // pointer of the object that names the source: the value itself, or the law it is a constant of
    std::optional<LawProvenance> fit; // of that law
    Place place; // file and JSON pointer
};
// "ai-dynamo tables; gemm.csv, bf16; 2026-11-30, confidence high; 465 rows, error 3.9 % (median), 14.0 % (90th percentile)"
std::string text_of(const Provenance& provenance);
std::string text_of(const LawProvenance& fit);

struct SpecDirectory {
    std::string path;
    std::string layer; // "built-in", "system", "user", "project"
};

class SpecStore {
public:
    SpecStore();
    SpecStore(const SpecStore&);
    SpecStore(SpecStore&&) noexcept;
    SpecStore& operator=(const SpecStore&);
    SpecStore& operator=(SpecStore&&) noexcept;
    ~SpecStore();

    // Loads every layer in order. The first wrong file is the error (file, line, JSON pointer, found, expected).
    static Expected<SpecStore> load(const std::vector<SpecDirectory>& layers);
    // Built-in directory (see find_builtin_specs), then the system's, the user's and the project's where they exist.
    static Expected<SpecStore> load_default(const std::string& project_directory = {});

    // Adds or replaces one document (snapshots inside a project file, tests). Checked like a file.
    Status add(SpecKind kind, std::string_view text, const std::string& file, const std::string& layer);

    [[nodiscard]] std::vector<std::string> ids(SpecKind kind) const; // sorted
    [[nodiscard]] bool contains(SpecKind kind, const std::string& id) const;
    // Unknown id: bad_input that names the nearest known ids.
    [[nodiscard]] Expected<const nlohmann::json*> document(SpecKind kind, const std::string& id) const;
    [[nodiscard]] std::string layer_of(SpecKind kind, const std::string& id) const;
    [[nodiscard]] Place place_of(SpecKind kind, const std::string& id, const std::string& pointer = {}) const; // with line
    [[nodiscard]] std::optional<Provenance> provenance(SpecKind kind, const std::string& id, const std::string& pointer) const;
    [[nodiscard]] std::string content_hash(SpecKind kind, const std::string& id) const; // of the document, for reproducibility

private:
    struct Impl;
    std::shared_ptr<const Impl> m_impl; // copies are cheap; add() copies on write
};

// The built-in specs: $RIDGEPOINT_SPECS, else beside the installed program (../share/ridgepoint/specs), else the source tree.
std::string find_builtin_specs();
// A page of the program's own help, "accuracy" for accuracy.md: beside the installed program or in the source tree; empty if
// it is in neither.
std::string find_help_page(const std::string& name);
// The layers of SpecStore::load_default that exist, lowest first; more can be appended before loading.
Expected<std::vector<SpecDirectory>> default_spec_layers(const std::string& project_directory = {});

} // namespace ridgepoint
