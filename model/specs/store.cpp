#include "model/specs/store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/specs/json_document.h"
#include "model/specs/nearest.h"
#include "model/specs/schema.h"
#include "model/specs/sources.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kind_count = 8;
constexpr std::size_t most_files_per_folder = 20'000;
constexpr std::array<std::string_view, kind_count> folders
    = {"accelerators", "instances", "fabrics", "storage", "models", "prices", "efficiency", "markets"};
constexpr std::array<std::string_view, kind_count> names = {"accelerator", "instance", "fabric", "storage", "model", "price", "efficiency", "market"};

struct Entry {
    std::shared_ptr<const JsonDocument> document;
    std::string layer;
};

// Ids are file names and go into URLs and reports.
bool is_id(std::string_view id)
{
    const auto good = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '+';
    };
    return !id.empty() && id.size() <= 128 && id.front() != '.' && id.front() != '-' && std::all_of(id.begin(), id.end(), good);
}

Expected<std::vector<fs::path>> json_files_in(const fs::path& folder)
{
    std::vector<fs::path> out;
    std::error_code ec;
    if (!fs::is_directory(folder, ec))
        return out;
    for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        const fs::path& path = it->path();
        if (path.extension() == ".json" && path.filename().string().front() != '.')
            out.push_back(path);
        if (out.size() > most_files_per_folder)
            return bad_input("too many files in the folder", Place{folder.string(), 0, {}}, {}, fmt::format("at most {}", most_files_per_folder));
    }
    if (ec)
        return io_error("the folder cannot be read: " + ec.message(), folder.string());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

std::string_view folder_of(SpecKind kind) { return folders[static_cast<std::size_t>(kind)]; }
std::string_view name_of(SpecKind kind) { return names[static_cast<std::size_t>(kind)]; }

struct SpecStore::Impl {
    std::array<std::map<std::string, Entry>, kind_count> entries;
    std::array<std::shared_ptr<const Schema>, kind_count> schemas;
    SourceTable sources;

    [[nodiscard]] const Entry* find(SpecKind kind, const std::string& id) const
    {
        const auto& table = entries[static_cast<std::size_t>(kind)];
        const auto it = table.find(id);
        return it == table.end() ? nullptr : &it->second;
    }

    Status load_schemas(const fs::path& folder)
    {
        for (std::size_t k = 0; k < kind_count; ++k) {
            const fs::path file = folder / (std::string(names[k]) + ".schema.json");
            std::error_code ec;
            if (!fs::exists(file, ec))
                continue;
            Expected<JsonDocument> document = load_json(file.string());
            if (!document)
                return document.error();
            Expected<Schema> schema = Schema::compile(std::move(*document));
            if (!schema)
                return schema.error();
            schemas[k] = std::make_shared<const Schema>(std::move(*schema));
        }
        return Done{};
    }

    Status load_layer(const SpecDirectory& layer)
    {
        const fs::path root(layer.path);
        // Only the program's own schemas count: an overlay may not loosen the checks on itself.
        if (layer.layer == "built-in")
            if (Status s = load_schemas(root / "schema"); !s)
                return s;
        std::error_code ec;
        if (fs::exists(root / "sources.json", ec)) {
            Expected<JsonDocument> document = load_json((root / "sources.json").string());
            if (!document)
                return document.error();
            if (Status s = sources.read(*document, ""); !s)
                return s;
        }
        for (std::size_t k = 0; k < kind_count; ++k) {
            Expected<std::vector<fs::path>> files = json_files_in(root / std::string(folders[k]));
            if (!files)
                return files.error();
            for (const fs::path& file : *files) {
                Expected<JsonDocument> document = load_json(file.string());
                if (!document)
                    return document.error();
                if (Status s = take(static_cast<SpecKind>(k), std::move(*document), layer.layer, file.stem().string()); !s)
                    return s;
            }
        }
        return Done{};
    }

    // `stem`: what the id must be; empty: any.
    Status take(SpecKind kind, JsonDocument document, const std::string& layer, const std::string& stem)
    {
        const nlohmann::json& root = document.root();
        if (!root.is_object())
            return bad_input("a spec must be an object", document.place_of(""), json_excerpt(root), "{ \"id\": ... }");
        const auto id_field = root.find("id");
        if (id_field == root.end())
            return bad_input("the property \"id\" is missing", document.place_of(""), "an object without it", "\"id\"");
        if (!id_field->is_string() || !is_id(id_field->get_ref<const std::string&>()))
            return bad_input("not an id", document.place_of("/id"), json_excerpt(*id_field), "letters, digits, '.', '-', '_' and '+'");
        const auto id = id_field->get<std::string>();
        if (!stem.empty() && id != stem)
            return bad_input("the id must be the name of the file", document.place_of("/id"), json_excerpt(*id_field), "\"" + stem + "\"");
        if (const auto& schema = schemas[static_cast<std::size_t>(kind)])
            if (std::optional<Error> e = schema->check(document))
                return *e;
        if (Status s = SourceTable().read_inline(document); !s)
            return s;
        entries[static_cast<std::size_t>(kind)][id] = Entry{std::make_shared<const JsonDocument>(std::move(document)), layer};
        return Done{};
    }
};

SpecStore::SpecStore()
    : m_impl(std::make_shared<const Impl>())
{
}
SpecStore::SpecStore(const SpecStore&) = default;
SpecStore::SpecStore(SpecStore&& other) noexcept
    : m_impl(other.m_impl)
{
    // The moved-from store stays usable (copies are cheap); an empty pointer would be a trap.
}
SpecStore& SpecStore::operator=(const SpecStore&) = default;
SpecStore& SpecStore::operator=(SpecStore&& other) noexcept
{
    m_impl = other.m_impl;
    return *this;
}
SpecStore::~SpecStore() = default;

Expected<SpecStore> SpecStore::load(const std::vector<SpecDirectory>& layers)
{
    auto impl = std::make_shared<Impl>();
    for (const SpecDirectory& layer : layers) {
        std::error_code ec;
        if (!fs::is_directory(layer.path, ec))
            return io_error(fmt::format("the folder of the {} specs is not there", layer.layer), layer.path);
        if (Status s = impl->load_layer(layer); !s)
            return s.error();
    }
    SpecStore out;
    out.m_impl = std::move(impl);
    return out;
}

Status SpecStore::add(SpecKind kind, std::string_view text, const std::string& file, const std::string& layer)
{
    Expected<JsonDocument> document = parse_json(std::string(text), file);
    if (!document)
        return document.error();
    auto impl = std::make_shared<Impl>(*m_impl);
    if (Status s = impl->take(kind, std::move(*document), layer, {}); !s)
        return s;
    m_impl = std::move(impl);
    return Done{};
}

std::vector<std::string> SpecStore::ids(SpecKind kind) const
{
    std::vector<std::string> out;
    for (const auto& entry : m_impl->entries[static_cast<std::size_t>(kind)])
        out.push_back(entry.first);
    return out;
}

bool SpecStore::contains(SpecKind kind, const std::string& id) const { return m_impl->find(kind, id) != nullptr; }

Expected<const nlohmann::json*> SpecStore::document(SpecKind kind, const std::string& id) const
{
    if (const Entry* entry = m_impl->find(kind, id))
        return &entry->document->root();
    Error e = bad_input(fmt::format("no {} of this name", name_of(kind)), {}, fmt::format("\"{}\"", id));
    const std::vector<std::string> near = nearest_names(id, ids(kind));
    if (!near.empty())
        e.hint = fmt::format("Did you mean {}?", fmt::join(near, " or "));
    else if (m_impl->entries[static_cast<std::size_t>(kind)].empty())
        e.hint = fmt::format("No {} specs are loaded", name_of(kind));
    else
        e.expected = fmt::format("one of {}", fmt::join(ids(kind), ", "));
    return e;
}

std::string SpecStore::layer_of(SpecKind kind, const std::string& id) const
{
    const Entry* entry = m_impl->find(kind, id);
    return entry ? entry->layer : std::string();
}

Place SpecStore::place_of(SpecKind kind, const std::string& id, const std::string& pointer) const
{
    const Entry* entry = m_impl->find(kind, id);
    return entry ? entry->document->place_of(pointer) : Place{};
}

std::optional<Provenance> SpecStore::provenance(SpecKind kind, const std::string& id, const std::string& pointer) const
{
    const Entry* entry = m_impl->find(kind, id);
    return entry ? m_impl->sources.provenance(*entry->document, pointer) : std::nullopt;
}

std::string SpecStore::content_hash(SpecKind kind, const std::string& id) const
{
    const Entry* entry = m_impl->find(kind, id);
    if (!entry)
        return {};
    // FNV-1a over the canonical text (keys sorted, no blanks): layout of the file does not matter.
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : entry->document->root().dump()) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ull;
    }
    return fmt::format("{:016x}", hash);
}

} // namespace ridgepoint
