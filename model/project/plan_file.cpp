// *.ridgepoint: JSON of the fields under their pointers, a version, and snapshots of the specs that were used.

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/project/field_table.h"
#include "model/project/migrations.h"
#include "model/project/plan.h"
#include "model/project/snapshots.h"
#include "model/specs/json_document.h"
#include "model/specs/nearest.h"

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

Error at(const JsonDocument& document, const std::string& pointer, Error error)
{
    error.place = document.place_of(pointer);
    return error;
}

bool is_inside_fields(const std::string& pointer) // "/layout": fields stand below it
{
    for (const FieldEntry& e : field_table())
        if (e.field.path.starts_with(pointer + "/"))
            return true;
    return false;
}

Error unknown_key(const JsonDocument& document, const std::string& pointer)
{
    std::vector<std::string> siblings;
    const std::string parent = pointer.substr(0, pointer.rfind('/') + 1);
    for (const FieldEntry& e : field_table())
        if (e.field.path.starts_with(parent))
            siblings.push_back(e.field.path.substr(parent.size(), e.field.path.find('/', parent.size()) - parent.size()));
    const std::string key = pointer.substr(parent.size());
    Error error = bad_input("unknown field", document.place_of(pointer), fmt::format("\"{}\"", key));
    if (const auto near = nearest_names(key, siblings, 1); !near.empty())
        error.hint = fmt::format("Did you mean \"{}\"?", near.front());
    return error;
}

class PlanReader {
public:
    explicit PlanReader(const JsonDocument& document) : m_document(document) {}

    Expected<Plan> read()
    {
        if (!m_document.root().is_object())
            return at(m_document, "", bad_input("a plan is a JSON object", {}, json_excerpt(m_document.root()), "an object"));
        if (Status s = check_version(); !s)
            return s.error();
        std::string kind = "pretraining";
        if (const json* given = m_document.find("/workload/kind")) {
            if (Status s = check_value(*find_entry("/workload/kind"), *given); !s)
                return at(m_document, "/workload/kind", s.error());
            kind = given->get<std::string>();
        }
        m_plan = default_plan(kind);
        for (const auto& [key, value] : m_document.root().items()) {
            if (key == "ridgepoint" || key == "$schema")
                continue;
            Status s = key == "snapshots" ? read_snapshots(value) : read_value("/" + escape_pointer_token(key), value);
            if (!s)
                return s.error();
        }
        return std::move(m_plan);
    }

private:
    Status check_version()
    {
        const json* version = m_document.find("/ridgepoint");
        const std::string expected = fmt::format("a version from 1 to {}", plan_format_version);
        if (version == nullptr)
            return at(m_document, "", bad_input("this is not a Ridgepoint plan: it has no \"ridgepoint\" version", {}, {}, "\"ridgepoint\": 1"));
        if (!version->is_number_integer() || version->get<std::int64_t>() < 1)
            return at(m_document, "/ridgepoint", bad_input("wrong format version", {}, json_excerpt(*version), expected));
        if (version->get<std::int64_t>() > plan_format_version)
            return at(m_document, "/ridgepoint", bad_input("the plan was saved by a newer version of Ridgepoint", {}, json_excerpt(*version), expected));
        return Done{};
    }

    Status read_value(const std::string& pointer, const json& value)
    {
        if (const FieldEntry* entry = find_entry(pointer)) {
            if (!entry->get(m_plan))
                return at(m_document, pointer,
                    bad_input(fmt::format("\"{}\" does not belong to a {} plan", pointer.substr(pointer.rfind('/') + 1), workload_kind(m_plan))));
            if (Status s = check_value(*entry, value); !s)
                return at(m_document, pointer, s.error());
            entry->set(m_plan, value);
            return Done{};
        }
        if (!is_inside_fields(pointer))
            return unknown_key(m_document, pointer);
        if (!value.is_object())
            return at(m_document, pointer, bad_input("wrong type", {}, json_excerpt(value), "an object"));
        for (const auto& [key, child] : value.items())
            if (Status s = read_value(pointer + "/" + escape_pointer_token(key), child); !s)
                return s;
        return Done{};
    }

    Status read_snapshots(const json& folders)
    {
        if (!folders.is_object())
            return at(m_document, "/snapshots", bad_input("wrong type", {}, json_excerpt(folders), "an object"));
        for (const auto& [folder, documents] : folders.items()) {
            const std::string pointer = "/snapshots/" + escape_pointer_token(folder);
            const std::optional<SpecKind> kind = kind_of_folder(folder);
            if (!kind)
                return at(m_document, pointer, bad_input("no such kind of spec", {}, folder, "\"models\", \"instances\", \"accelerators\", ..."));
            if (!documents.is_object())
                return at(m_document, pointer, bad_input("wrong type", {}, json_excerpt(documents), "an object"));
            for (const auto& [id, document] : documents.items()) {
                const std::string here = pointer + "/" + escape_pointer_token(id);
                if (!document.is_object())
                    return at(m_document, here, bad_input("wrong type", {}, json_excerpt(document), "an object"));
                if (const auto own = document.find("id"); own == document.end() || *own != id)
                    return at(m_document, here, bad_input("a snapshot must carry the id it stands under", {}, own == document.end() ? "no id" : json_excerpt(*own), fmt::format("\"{}\"", id)));
                m_plan.snapshots.push_back({*kind, id, document.dump()});
            }
        }
        return Done{};
    }

    const JsonDocument& m_document;
    Plan m_plan;
};

ordered_json fields_of(const Plan& plan)
{
    ordered_json out = {{"ridgepoint", plan_format_version}};
    for (const FieldEntry& e : field_table())
        if (auto value = e.get(plan); value && in_use(e.field.group, plan))
            out[ordered_json::json_pointer(e.field.path)] = std::move(*value);
    return out;
}

// Through a symbolic link, so that the link stays one.
fs::path real_target(const std::string& file)
{
    std::error_code ec;
    const fs::path path(file);
    if (!fs::is_symlink(path, ec))
        return path;
    const fs::path real = fs::canonical(path, ec);
    return ec ? path : real;
}

bool write_all(std::FILE* out, const std::string& text)
{
    bool ok = std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
#if defined(__unix__) || defined(__APPLE__)
    ok = ok && fsync(fileno(out)) == 0; // on disk before it takes the old file's name
#endif
    return std::fclose(out) == 0 && ok;
}

} // namespace

json to_json(const Plan& plan) { return json::parse(fields_of(plan).dump(-1, ' ', false, ordered_json::error_handler_t::replace)); }

std::string to_text(const Plan& plan)
{
    ordered_json out = fields_of(plan);
    for (const SpecSnapshot& s : plan.snapshots)
        out["snapshots"][std::string(folder_of(s.kind))][s.id] = ordered_json::parse(s.text, nullptr, false);
    return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Expected<Plan> plan_from_text(std::string_view text, const std::string& file)
{
    Expected<JsonDocument> document = parse_json(std::string(text), file);
    if (!document)
        return document.error();
    Expected<JsonDocument> current = migrate(std::move(*document));
    if (!current)
        return current.error();
    return PlanReader(*current).read();
}

Expected<Plan> load_plan(const std::string& file)
{
    Expected<std::string> text = read_text_file(file, JsonLimits{}.bytes);
    if (!text)
        return text.error();
    return plan_from_text(*text, file);
}

Status save_plan(const Plan& plan, const std::string& file)
{
    const fs::path target = real_target(file);
    std::error_code ec;
    const fs::file_status old = fs::status(target, ec);
    if (fs::exists(old) && !fs::is_regular_file(old)) // renaming onto a device would destroy it
        return io_error("cannot save: this is not a regular file", file);
    const fs::path temporary = target.parent_path() / fmt::format(".{}.saving", target.filename().string());
    std::FILE* out = std::fopen(temporary.string().c_str(), "wb");
    if (out == nullptr)
        return io_error(fmt::format("cannot write here: {}", std::generic_category().message(errno)), file);
    const bool written = write_all(out, to_text(plan));
    const std::string reason = written ? std::string() : std::generic_category().message(errno);
    if (written) {
        if (fs::exists(old))
            fs::permissions(temporary, old.permissions(), ec);
        ec.clear();
        fs::rename(temporary, target, ec);
        if (!ec)
            return Done{};
    }
    const std::string message = written ? ec.message() : reason;
    fs::remove(temporary, ec);
    return io_error(fmt::format("cannot save: {}", message), file);
}

} // namespace ridgepoint
