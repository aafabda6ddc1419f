// specs list | show | check: the catalogue, its sources, its checks.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/collectives/read.h"
#include "model/hardware/read.h"
#include "model/kernels/read.h"
#include "model/specs/json_document.h"
#include "model/transformer/read.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr SpecKind kinds[] = {SpecKind::accelerator, SpecKind::instance, SpecKind::fabric, SpecKind::storage, SpecKind::model, SpecKind::price, SpecKind::efficiency, SpecKind::market};

struct Arguments {
    SpecArguments specs;
    bool json = false;
    std::string kind; // list
    std::string id; // show
    std::string directory; // check
};

// "model", "models" or "": all.
Expected<std::vector<SpecKind>> kinds_named(const std::string& name)
{
    std::vector<SpecKind> out;
    std::string known;
    for (const SpecKind k : kinds) {
        if (name.empty() || name == name_of(k) || name == folder_of(k))
            out.push_back(k);
        known += (known.empty() ? "" : ", ") + std::string(folder_of(k));
    }
    if (out.empty())
        return bad_input("no such kind of spec", {}, name, known);
    return out;
}

std::string text_field(const nlohmann::json& document, const char* key)
{
    const auto it = document.find(key);
    return it != document.end() && it->is_string() ? it->get<std::string>() : std::string();
}

int list(const Arguments& a)
{
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error(), a.json);
    Expected<std::vector<SpecKind>> chosen = kinds_named(a.kind);
    if (!chosen)
        return fail(chosen.error(), a.json);
    Json out = {{"kind", "specs"}, {"version", 1}, {"specs", Json::array()}};
    TextTable t({"Kind", "Id", "Name", "Layer", "Content"});
    for (const SpecKind k : *chosen) {
        if (!t.empty() && !specs->ids(k).empty())
            t.rule();
        for (const std::string& id : specs->ids(k)) {
            const std::string name = text_field(**specs->document(k, id), "name");
            const std::string hash = specs->content_hash(k, id);
            t.add({std::string(name_of(k)), id, shortened(name, 60), specs->layer_of(k, id), hash});
            out["specs"].push_back({{"kind", name_of(k)}, {"id", id}, {"name", name}, {"layer", specs->layer_of(k, id)}, {"content_hash", hash},
                {"file", specs->place_of(k, id).file}});
        }
    }
    fmt::print("{}", a.json ? json_text(out) + "\n" : t.text(""));
    return done;
}

// Every value of the document with where it came from.
void collect(const SpecStore& specs, SpecKind kind, const std::string& id, const nlohmann::json& at, const std::string& pointer, Json& out)
{
    if (at.is_object() && at.contains("value")) {
        Json row = {{"pointer", pointer}, {"value", at["value"]}, {"unit", text_field(at, "unit")}};
        if (const auto p = specs.provenance(kind, id, pointer))
            row.update(Json{{"source", p->source}, {"url", p->url}, {"date", p->date}, {"confidence", p->confidence}, {"note", p->note}, {"conflicts", p->conflicts},
                {"line", p->place.line}, {"law", p->holder == pointer ? "" : p->holder},
                {"fit", p->fit ? Json{{"residual_median", p->fit->median}, {"residual_p90", p->fit->p90}, {"rows", p->fit->rows}} : Json(nullptr)}});
        out.push_back(row);
        return;
    }
    if (at.is_object()) {
        for (const auto& [key, child] : at.items())
            if (key != "sources" && key != "conflicts")
                collect(specs, kind, id, child, pointer + "/" + escape_pointer_token(key), out);
    } else if (at.is_array()) {
        for (std::size_t i = 0; i < at.size(); ++i)
            collect(specs, kind, id, at[i], pointer + "/" + std::to_string(i), out);
    }
}

void show_one(const SpecStore& specs, SpecKind kind, const std::string& id)
{
    const nlohmann::json& document = **specs.document(kind, id);
    fmt::print("{} {}: {}\n  {} ({}), content {}\n", name_of(kind), id, text_field(document, "name"), specs.place_of(kind, id).file, specs.layer_of(kind, id),
        specs.content_hash(kind, id));
    Json rows = Json::array();
    collect(specs, kind, id, document, "", rows);
    const bool fitted = std::ranges::any_of(rows, [](const Json& r) { return r.contains("fit") && !r["fit"].is_null(); });
    std::vector<std::string> header = {"Field", ">Value", "Confidence", "Date"};
    if (fitted)
        header.insert(header.end(), {">Rows", ">Error", ">90th pct"});
    header.emplace_back("Source");
    TextTable t(header);
    for (const Json& r : rows) {
        const std::string value = r["value"].is_string() ? r["value"].get<std::string>() : r["value"].dump();
        const std::string unit = r["unit"].get<std::string>();
        std::vector<std::string> cells = {r["pointer"].get<std::string>(), unit.empty() || unit == "1" ? value : value + " " + unit, r.value("confidence", ""), r.value("date", "")};
        const Json fit = fitted ? r.value("fit", Json(nullptr)) : Json(nullptr);
        if (fit.is_object()) // of the law that the constant belongs to
            cells.insert(cells.end(), {std::to_string(fit["rows"].get<int>()), format_percent(fit["residual_median"].get<double>()), format_percent(fit["residual_p90"].get<double>())});
        else if (fitted)
            cells.insert(cells.end(), {"-", "-", "-"});
        cells.push_back(shortened(r.value("source", ""), 70));
        t.add(std::move(cells));
    }
    if (!t.empty())
        fmt::print("\n{}", t.text());
    std::string last; // the constants of a law share its note: it is printed once, under the law
    for (const Json& r : rows) {
        const std::string note = r.value("note", "");
        const auto conflicts = r.value("conflicts", std::vector<std::string>{});
        if (note.empty() && conflicts.empty())
            continue;
        const std::string law = r.value("law", "");
        const std::string line = fmt::format("{}{}", law.empty() ? r["pointer"].get<std::string>() : law, note.empty() ? "" : ": " + note);
        if (line == last)
            continue;
        last = line;
        fmt::print("\n  {}\n", line);
        for (const std::string& c : conflicts)
            fmt::print("    not chosen: {}\n", c);
    }
    if (rows.empty() || kind == SpecKind::model) // plain documents: the file itself
        fmt::print("\n{}\n", document.dump(2));
    fmt::print("\n");
}

int show(const Arguments& a)
{
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error(), a.json);
    Json out = {{"kind", "spec"}, {"version", 1}, {"specs", Json::array()}};
    bool found = false;
    for (const SpecKind k : kinds) {
        if (!specs->contains(k, a.id))
            continue;
        found = true;
        if (!a.json) {
            show_one(*specs, k, a.id);
            continue;
        }
        Json values = Json::array();
        collect(*specs, k, a.id, **specs->document(k, a.id), "", values);
        out["specs"].push_back({{"kind", name_of(k)}, {"id", a.id}, {"layer", specs->layer_of(k, a.id)}, {"content_hash", specs->content_hash(k, a.id)},
            {"file", specs->place_of(k, a.id).file}, {"document", **specs->document(k, a.id)}, {"values", values}});
    }
    if (!found) { // every kind has its nearest names; the first that has any speaks
        Error best = bad_input("no spec of this name", {}, "\"" + a.id + "\"", "an id of `ridgepoint-cli specs list`");
        for (const SpecKind k : kinds)
            if (Expected<const nlohmann::json*> d = specs->document(k, a.id); !d && !d.error().hint.empty())
                best.hint += (best.hint.empty() ? "" : ". ") + std::string(name_of(k)) + ": " + d.error().hint;
        return fail(best, a.json);
    }
    if (a.json)
        fmt::print("{}\n", json_text(out));
    return done;
}

// What a schema cannot say: every document is also read into the types that use it.
Status check_all(const SpecStore& specs, std::size_t& count)
{
    if (Status s = check_hardware(specs); !s)
        return s;
    for (const std::string& id : specs.ids(SpecKind::model))
        if (Expected<Transformer> m = read_transformer(specs, id); !m)
            return m.error();
    for (const std::string& id : specs.ids(SpecKind::accelerator)) {
        Expected<Accelerator> gpu = read_accelerator(specs, id);
        if (!gpu)
            return gpu.error();
        if (Expected<KernelConstants> k = read_kernel_constants(specs, gpu->efficiency_id); !k)
            return k.error();
    }
    for (const std::string& id : specs.ids(SpecKind::instance)) {
        Expected<Cluster> c = build_cluster(specs, id, 1);
        if (!c)
            return c.error();
        if (Expected<CollectiveConstants> k = read_collective_constants(specs, c->accelerator.efficiency_id, c->fabric.efficiency_id); !k)
            return k.error();
    }
    for (const SpecKind k : kinds)
        count += specs.ids(k).size();
    return Done{};
}

int check(const Arguments& a)
{
    SpecArguments arguments = a.specs;
    if (!a.directory.empty())
        arguments.overlays.push_back(a.directory);
    Expected<SpecStore> specs = load_specs(arguments);
    if (!specs)
        return fail(specs.error(), a.json);
    std::size_t count = 0;
    if (Status s = check_all(*specs, count); !s)
        return fail(s.error(), a.json);
    if (a.json)
        fmt::print("{}\n", Json{{"kind", "specs-check"}, {"version", 1}, {"specs", count}, {"ok", true}}.dump(2));
    else
        fmt::print("{} specs are sound.\n", count);
    return done;
}

} // namespace

void add_specs_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("specs", "List, show or check the catalogue: list [KIND], show ID, check [DIR]");
    command->require_subcommand(1);
    auto arguments = std::make_shared<Arguments>();
    add_spec_arguments(*command, arguments->specs);
    command->add_flag("--json", arguments->json, "Print JSON");
    command->fallthrough();

    CLI::App* list_command = command->add_subcommand("list", "List ids by kind");
    list_command->add_option("KIND", arguments->kind, "accelerators, instances, fabrics, storage, models, prices or efficiency")->type_name("");
    list_command->callback([arguments, &status] { status = list(*arguments); });
    CLI::App* show_command = command->add_subcommand("show", "Show one spec with the source of every value");
    show_command->add_option("ID", arguments->id, "Id of the spec")->required()->type_name("");
    show_command->callback([arguments, &status] { status = show(*arguments); });
    CLI::App* check_command = command->add_subcommand("check", "Read every spec and say what is wrong");
    check_command->add_option("DIR", arguments->directory, "Folder of specs to check on top of the installed ones")->type_name("");
    check_command->callback([arguments, &status] { status = check(*arguments); });
    for (CLI::App* sub : {list_command, show_command, check_command})
        sub->fallthrough(); // --json and --specs may follow the words
}

} // namespace ridgepoint::cli
