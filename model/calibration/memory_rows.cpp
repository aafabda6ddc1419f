// Analytic memory figures of Korthikanti et al. 2022 (arXiv:2205.05198): per-GPU activations of the layers of the first
// stage, and relative activation memory.

#include <algorithm>
#include <cmath>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/memory/activations.h"
#include "model/memory/states.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

class MemoryPredictor final : public RowPredictor {
public:
    explicit MemoryPredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "memory"; }
    std::vector<std::string> quantities() const override { return {"activations_gib", "params_opt_gib", "relative_activation_pct"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const std::string id = find_model_spec(m_specs, row.text("model"));
        Expected<Transformer> model = id.empty() ? Expected<Transformer>(bad_input("the model is not in the catalogue")) : read_transformer(m_specs, id);
        if (!model) {
            out.not_expressed = model.error().message;
            return out;
        }
        const std::string_view how = row.text("recompute");
        const bool sequence = row.text("sp") == "1" || contains_word(how, "sequence parallel");
        const bool selective = contains_word(how, "selective");
        const bool full = how == "full";
        const int tp = static_cast<int>(row.number_or("tp", 8));
        Layout l;
        l.tp = tp;
        l.fused_attention = false;
        l.sequence_parallel = sequence;
        l.recompute = full ? Recompute::full : selective ? Recompute::selective : Recompute::none;
        ActivationCase what;
        what.sequence_length = row.number_or("seq_len", 2048);
        what.tokens = what.sequence_length * row.number_or("mbs", 1);
        what.dropout = true;
        what.recompute = l.recompute;
        const LayerKind& kind = model->kinds.front();
        const double layer = layer_activations(*model, kind, l, {}, what).value();
        const std::map<std::string, std::string> strata = {{"model", std::string(row.text("model"))}, {"recompute", std::string(how)}};
        const auto add = [&](const char* quantity, double predicted) {
            const double measured = row.number(quantity);
            if (!std::isnan(measured) && measured > 0)
                out.predictions.push_back({quantity, measured, predicted, predicted, predicted, strata});
        };
        if (row.has("activations_gib")) {
            const double layers = row.number_or("layers", model->layer_count());
            l.pp = static_cast<int>(row.number_or("pp", 1));
            // The paper interleaves the 175B and 530B runs with three chunks per stage (section 6.1, table 3).
            l.vpp = l.pp > 1 && static_cast<int>(layers) % (3 * l.pp) == 0 ? 3 : 1;
            if (l.vpp > 1)
                l.schedule = PipelineSchedule::interleaved;
            const double in_flight = l.pp > 1 ? microbatches_in_flight(l, 0, 1 << 20) * layers / l.pp : layers;
            add("activations_gib", layer * in_flight / 1073741824.0);
        }
        if (row.has("params_opt_gib")) {
            // 18 bytes per parameter of the layers alone, as the paper's figure counts.
            const LayerParameters p = count_layer_parameters(*model, kind);
            const double layers = row.number_or("layers", model->layer_count()) / row.number_or("pp", 1);
            add("params_opt_gib", 18.0 * layers * ((p.attention + p.mlp) / tp + p.norms) / 1073741824.0);
        }
        if (row.has("relative_activation_pct")) {
            Layout base = l;
            base.sequence_parallel = false;
            base.recompute = Recompute::none;
            ActivationCase all = what;
            all.recompute = Recompute::none;
            add("relative_activation_pct", 100.0 * layer / layer_activations(*model, kind, base, {}, all).value());
        }
        if (out.predictions.empty())
            out.not_expressed = "no quantity that the formulas give";
        return out;
    }

private:
    const SpecStore& m_specs;
};

} // namespace

std::unique_ptr<RowPredictor> make_memory_predictor(const SpecStore& specs) { return std::make_unique<MemoryPredictor>(specs); }

} // namespace ridgepoint
