// import config.json: a Hugging Face configuration -> a model spec for specs/models/.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/specs/json_document.h"
#include "model/transformer/import_hf.h"
#include "model/transformer/kv.h"
#include "model/transformer/read.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    std::string file;
    std::string output;
    std::string id;
    std::string name;
    SpecArguments specs;
};

std::string summary(const Transformer& m)
{
    const ParameterCount n = count_parameters(m);
    TextTable t({"", ">", ""});
    t.add({"Parameters", format_si(n.total, ""), m.is_moe() ? fmt::format("{} active", format_si(n.active, "")) : ""});
    t.add({"Layers", std::to_string(m.layer_count()), fmt::format("width {}, vocabulary {}", group_thousands(m.hidden), group_thousands(m.vocab))});
    if (m.is_moe())
        t.add({"Experts", std::to_string(m.moe.experts), fmt::format("{} per token, width {}", m.moe.top_k, group_thousands(m.moe.expert_width))});
    t.add({"KV cache", format_decimal(Bytes{2.0 * kv_elements(m, 1.0)}), "per token in bf16"});
    return m.name + "\n" + t.text();
}

int run(const Arguments& a)
{
    Expected<std::string> text = read_text_file(a.file, JsonLimits{}.bytes);
    if (!text)
        return fail(text.error());
    Expected<Transformer> model = import_hf_config(*text, a.file);
    if (!model)
        return fail(model.error());
    if (!a.id.empty())
        model->id = a.id;
    if (!a.name.empty())
        model->name = a.name;
    nlohmann::json spec = to_spec_json(*model);
    spec["source"] = {{"title", "config.json of " + model->name}};
    const std::string document = json_text(spec) + "\n";
    Expected<SpecStore> specs = load_specs(a.specs); // the document must pass as a model of the catalogue
    if (!specs)
        return fail(specs.error());
    const bool known = specs->contains(SpecKind::model, model->id);
    if (Status s = specs->add(SpecKind::model, document, a.file, "user"); !s)
        return fail(s.error());
    if (Status s = write_output(a.output, document); !s)
        return fail(s.error());
    fmt::print(stderr, "{}", summary(*model));
    if (known)
        fmt::print(stderr, "  The catalogue already has a model of the id {}; this one would go before it. Choose another with --id.\n", model->id);
    return done;
}

} // namespace

void add_import_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("import", "Turn a Hugging Face config.json into a model spec");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("CONFIG", arguments->file, "config.json of a model")->required()->type_name("");
    command->add_option("-o,--output", arguments->output, "File to write, best specs/models/ID.json; without it, standard output")->type_name("FILE");
    command->add_option("--id", arguments->id, "Id of the model in the catalogue")->type_name("ID");
    command->add_option("--name", arguments->name, "Name of the model for people")->type_name("NAME");
    add_spec_arguments(*command, arguments->specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli
