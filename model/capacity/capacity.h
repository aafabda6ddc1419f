#pragma once
// From a question to machines: what finishes a run in time, what serves a load, what given machines can train. Each answer
// is a list of alternatives, with what binds the ones that do not do.

#include <optional>
#include <string>
#include <vector>

#include "model/project/operation.h"
#include "model/project/run_answer.h"
#include "model/search/search.h"

namespace ridgepoint {

// What keeps an alternative from doing, or binds it first.
enum class Binding : unsigned char { none, deadline, budget, memory, availability, price, layout, limits };
std::string_view name_of(Binding b);

struct CapacityOptions {
    std::vector<std::string> instances; // empty: every type of AWS
    std::vector<int> nodes; // empty: powers of two that the question makes sensible
    Seconds search_limit{2.0}; // for the layouts of one cluster
    unsigned threads = 0; // 0: as many as the machine has
    Progress progress; // stopped: what was looked at until then, with a note
};
inline constexpr const char* stopped_note = "Stopped before everything had been looked at";

// The best layout of a cluster, found by search over degrees, micro-batch, schedule, recomputation and sharding.
struct FoundLayout {
    std::optional<Plan> plan; // none: nothing runs, for `binding` and `why`
    Binding binding = Binding::none;
    std::string why;
    std::uint64_t points = 0;
    bool stopped = false; // at the limit: a better one may be left
};
Expected<FoundLayout> find_layout(const Plan& plan, const std::string& instance, int nodes, const SpecStore& specs, const CapacityOptions& options);

// "Finish this run by a date within a budget: what and how many, and until when do I have to start?"
struct FinishQuestion {
    Date today;
    std::optional<Date> deadline;
    std::optional<Dollars> budget; // for the bill at p90
};

struct TrainingAlternative {
    std::string instance;
    int nodes = 0;
    FoundLayout layout;
    std::optional<RunAnswer> answer; // where there is a layout
    Binding binding = Binding::none; // none: it does
    std::string why; // in words, with figures
    std::optional<Date> latest_start; // so that nine runs in ten end in time
    std::optional<Date> earliest_end; // p90, started today
    std::optional<Dollars> even_rate; // per GPU-hour at which its run would cost what the cheapest that does costs
    std::vector<std::string> notes;

    [[nodiscard]] bool does() const { return binding == Binding::none; }
    [[nodiscard]] std::optional<Dollars> cost_p90() const;
};

struct FinishAnswer {
    FinishQuestion question;
    std::vector<TrainingAlternative> alternatives; // those that do first, by cost at p90; then by how soon they end
    std::vector<std::string> notes;
};
Expected<FinishAnswer> answer_finish(const Plan& plan, const FinishQuestion& question, const SpecStore& specs, const CapacityOptions& options);

// "I have these machines for so many days: what can I train?"
struct MachinesQuestion {
    std::string instance;
    int nodes = 1;
    Seconds time;
    std::vector<std::string> models; // spec ids; empty: the plan's
    std::optional<Date> today;
};

struct TrainableModel {
    std::string model; // spec id
    FoundLayout layout;
    std::optional<RunAnswer> answer; // of the run of `tokens`
    Tokens tokens; // that nine runs in ten end in time
    Tokens tokens_median; // that half of the runs do
    double tokens_per_parameter = 0; // active parameters
    Binding binding = Binding::none;
    std::string why;
};

struct MachinesAnswer {
    MachinesQuestion question;
    std::vector<TrainableModel> models;
    std::vector<SizingAid> optimum; // of the FLOPs that the first model's run has
    std::vector<std::string> notes;
};
Expected<MachinesAnswer> answer_machines(const Plan& plan, const MachinesQuestion& question, const SpecStore& specs, const CapacityOptions& options);

// "Serve this load within these limits: how many instances through the day?" The load and fleet sections of the plan ask.
struct ServingAlternative {
    std::string instance;
    int tp = 0;
    std::optional<Plan> plan; // of one replica on its instances; where there is an answer
    std::optional<FleetAnswer> answer;
    Binding binding = Binding::none;
    std::string why;
    [[nodiscard]] bool does() const { return binding == Binding::none; }
};

struct ServeAnswer {
    std::vector<ServingAlternative> alternatives; // those that do first, by cost
    std::vector<std::string> notes;
};
// `folder`: where a relative lengths file is looked for.
Expected<ServeAnswer> answer_serve(const Plan& plan, std::optional<Dollars> budget_per_month, const SpecStore& specs, const CapacityOptions& options, const std::string& folder);

// Instance types to look at: as given (each must exist), else those of AWS that hold whole GPUs' worth of a training node.
Expected<std::vector<std::string>> instances_of(const SpecStore& specs, const CapacityOptions& options);

} // namespace ridgepoint
