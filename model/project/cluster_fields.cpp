// Name, model, cluster and price.

#include "model/project/field_builders.h"

namespace ridgepoint {
namespace {

FieldEntry custom_price_entry()
{
    FieldEntry e;
    e.field = field_of("Price", {"/price/custom_usd_per_gpu_hour", "Own rate", "USD/GPU-hour", 0, 10'000,
        "What you pay for one GPU and hour, used with the term \"custom\".", "not set"});
    e.field.type = FieldType::number;
    e.nullable = true;
    e.get = [](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const std::optional<double>& rate = p.price.custom_dollars_per_gpu_hour;
        return rate ? nlohmann::ordered_json(in_file_unit(*rate, 1.0)) : nlohmann::ordered_json(nullptr);
    };
    e.set = [](Plan& p, const nlohmann::json& j) {
        if (j.is_null())
            p.price.custom_dollars_per_gpu_hour.reset();
        else
            p.price.custom_dollars_per_gpu_hour = j.get<double>();
    };
    e.relevant = [](const Plan& p) { return p.price.term == "custom"; };
    return e;
}

} // namespace

void add_cluster_fields(std::vector<FieldEntry>& table)
{
    table.push_back(text_entry(field_of("Plan", {"/name", "Name", "", 0, 200, "Title of the plan and of its report.", ""}), FieldType::text,
        [](Plan& p) { return &p.name; }));
    table.push_back(text_entry(field_of("Plan", {"/notes", "Notes", "", 0, 100'000, "Whatever the reader should know; printed in the report.", ""}),
        FieldType::text, [](Plan& p) { return &p.notes; }));
    table.push_back(text_entry(field_of("Model", {"/model", "Model", "", 1, 128, "The network, by its id in the catalogue of models.", "a small model that fits one GPU"}),
        FieldType::model, [](Plan& p) { return &p.model; }));

    const auto cluster = [](const About& a) { return field_of("Cluster", a); };
    table.push_back(text_entry(cluster({"/cluster/instance", "Instance", "", 1, 128, "Instance or server type, by its id in the catalogue.", "8 x H100"}),
        FieldType::instance, [](Plan& p) { return &p.instance; }));
    table.push_back(whole_entry(cluster({"/cluster/nodes", "Nodes", "instances", 1, 100'000, "Instances rented.", "one"}), [](Plan& p) { return &p.nodes; }));
    table.push_back(whole_entry(cluster({"/cluster/gpus", "GPUs used", "GPUs", 0, 1'000'000,
        "GPUs that work; 0 is all of the nodes. The rest is paid for and idle.", "all"}), [](Plan& p) { return &p.gpus; }));

    const auto price = [](const About& a) { return field_of("Price", a); };
    table.push_back(text_entry(price({"/price/region", "Region", "", 1, 64, "AWS region of the price list.", "N. Virginia: longest list of instance types"}),
        FieldType::text, [](Plan& p) { return &p.price.region; }));
    table.push_back(choice_entry<std::string>(price({"/price/term", "Term", "", 0, 0, "How the instances are bought.", "list price"}),
        {{"on_demand", "On demand", "on_demand"}, {"capacity_block", "Capacity Block", "capacity_block"}, {"savings_plan_1y", "Savings Plan, 1 year", "savings_plan_1y"},
            {"savings_plan_3y", "Savings Plan, 3 years", "savings_plan_3y"}, {"custom", "Own rate", "custom"}},
        [](Plan& p) { return &p.price.term; }));
    table.push_back(custom_price_entry());
    table.push_back(number_entry(price({"/price/utilization", "Utilization", "", 0.01, 1.0,
        "Share of the paid hours that do useful work; the rest is idle, failing or restarting.", "ideal; Llama 3 405B reached more than 0.9 [arXiv:2407.21783, section 3.3.4]"}),
        [](Plan& p) { return &p.price.utilization; }));
}

} // namespace ridgepoint
