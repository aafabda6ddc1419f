#include "model/sustained/engine.h"

#include "model/kernels/residual.h"

namespace ridgepoint {
Expected<EngineConstants> read_engine_constants(const SpecStore& store, const std::string& engine)
{
    EngineConstants c;
    c.engine = engine;
    SpecReader r(store, SpecKind::efficiency, "serving");
    const std::string at = "/engines/" + engine;
    if (r.ok()) {
        c.per_step = r.quantity<Seconds>(at + "/per_step");
        c.per_request = r.quantity<Seconds>(at + "/per_request");
        c.per_prompt = r.quantity<Seconds>(at + "/per_prompt");
        c.launch_share = r.number(at + "/launch_share");
        c.small_kernels = r.number(at + "/small_kernels");
        c.prefill_share = r.number(at + "/prefill_share");
        c.expert_share = r.number(at + "/expert_share");
        c.prompt_expert_share = r.number(at + "/prompt_expert_share");
        c.prefill_overlap = r.number(at + "/prefill_overlap");
        c.host_per_expert_layer = r.quantity<Seconds>(at + "/host_per_expert_layer");
        c.reserved_output = r.number(at + "/reserved_output");
        c.bunching = r.number(at + "/bunching");
        c.mixed_batches = r.number(at + "/mixed_batches");
        c.handover = r.quantity<Seconds>(at + "/handover");
        c.token_budget = r.whole(at + "/token_budget", 1, 16'777'216);
        c.dense = read_residual(r, at + "/dense");
        c.mixture = read_residual(r, at + "/mixture");
        c.dense_first = read_residual(r, at + "/first_token/dense");
        c.mixture_first = read_residual(r, at + "/first_token/mixture");
        c.dense_rate = read_residual(r, at + "/throughput/dense");
        c.mixture_rate = read_residual(r, at + "/throughput/mixture");
    }
    for (const auto& [value, name] : {std::pair{c.prefill_share, "prefill_share"}, std::pair{c.expert_share, "expert_share"},
             std::pair{c.prompt_expert_share, "prompt_expert_share"}})
        if (r.ok() && value <= 0.0)
            r.fail(at + "/" + name + "/value", "too small", "0", "more than 0");
    if (!r.ok())
        return r.error();
    return c;
}

void run_inside(KernelConstants& k, const EngineConstants& e)
{
    const auto shorter = [&](Seconds& launch) { launch = e.launch_share * launch; };
    for (std::size_t i = 0; i < gemm_kind_count; ++i) {
        for (GemmConstants* c : {&k.gemm[i], &k.grouped[i]}) {
            shorter(c->launch);
            shorter(c->quantize_launch);
        }
        k.grouped[i].peak_fraction *= e.expert_share;
        k.grouped[i].bandwidth_fraction *= e.expert_share;
    }
    for (DecodeConstants* c : {&k.decode_bf16, &k.decode_fp8, &k.latent_bf16, &k.latent_fp8}) {
        shorter(c->launch);
        shorter(c->reduction);
    }
    k.memory.launch = e.launch_share * e.small_kernels * k.memory.launch;
}

} // namespace ridgepoint
