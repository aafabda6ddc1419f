#include "model/fitting/training_constants.h"

#include <cmath>

namespace ridgepoint {
namespace {

// What a GPU is drawn to, and how closely. H200 and H100 are one chip, so are B200 and GB200, B300 and GB300 (cooling and
// power apart); B300 is B200 with other tensor cores.
struct Relative {
    const char* gpu;
    const char* like;
    double width;
};
constexpr Relative gpus[] = {{"h100", nullptr, 0}, {"h200", "h100", 0.03}, {"a100", nullptr, 0}, {"b200", nullptr, 0}, {"b300", "b200", 0.12},
    {"gb200", "b200", 0.08}, {"gb300", "b300", 0.08}};

bool has(const std::string& gpu, TrainingProduct p)
{
    if (gpu == "a100")
        return p == TrainingProduct::bf16;
    return gpu[0] != 'h' || p == TrainingProduct::bf16 || p == TrainingProduct::fp8;
}

class Table {
public:
    void add_gpu(const Relative& r)
    {
        const std::string gpu = r.gpu;
        const std::string like = r.like ? r.like : "";
        for (std::size_t i = 0; i < training_product_count; ++i)
            if (has(gpu, static_cast<TrainingProduct>(i)))
                add_product(gpu, like, r.width, i);
        add_experts(gpu, like);
        share(gpu, "attention", 0.8, 0.25, [gpu](TrainingWorld& w, double v) { w.gpus[gpu].attention = v; }, like, 0.08);
        // FlashAttention-2 is what Ampere has; newer GPUs reach with it the same multiple of Ampere's instructions.
        share(gpu, "portable_attention", gpu == "a100" ? 0.65 : 0.35, 0.3, [gpu](TrainingWorld& w, double v) { w.gpus[gpu].portable_attention = v; },
            gpu == "a100" ? "" : gpu == "h100" ? "" : "h100", 0.1);
        if (gpu == "a100")
            draw_to("a100/training/attention", 0.1);
        share(gpu, "routed_all_to_all", 0.75, 0.15, [gpu](TrainingWorld& w, double v) { w.gpus[gpu].routed_all_to_all = v; }, gpu == "h100" ? "" : "h100", 0.15);
        share(gpu, "routed_exchange", 0.85, 0.12, [gpu](TrainingWorld& w, double v) { w.gpus[gpu].routed_exchange = v; }, gpu == "h100" ? "" : "h100", 0.15);
    }

    // NCCL and DeepEP over InfiniBand come close to their benchmarks; over EFA the runs say otherwise.
    void add_fabric(const std::string& fabric, double width)
    {
        share(fabric, "routed_all_to_all", 0.85, width, [fabric](TrainingWorld& w, double v) { w.fabrics[fabric].routed_all_to_all = v; });
        share(fabric, "routed_exchange", 0.85, width, [fabric](TrainingWorld& w, double v) { w.fabrics[fabric].routed_exchange = v; });
        add(fabric, "/training", {"exchange_latency"}, {100e-6, 1e-6, 10e-3}, 1.2, [fabric](TrainingWorld& w, double v) { w.fabrics[fabric].exchange_latency = Seconds{v}; });
    }

    void add_framework(const std::string& f, double passes)
    {
        const std::string at = "/frameworks/" + f;
        add("training", at, {"memory_passes"}, {passes, 0.3, 5.0}, 0.3, [f](TrainingWorld& w, double v) { w.frameworks[f].memory_passes = v; });
        add("training", at, {"per_step"}, {5e-3, 1e-4, 0.5}, 0.7, [f](TrainingWorld& w, double v) { w.frameworks[f].per_step = Seconds{v}; });
    }

    void add_overlap()
    {
        add("training", "/overlap", {"contention"}, {0.1, 0.01, 0.6}, 0.5, [](TrainingWorld& w, double v) { w.overlap.contention = v; });
        // Fitted as the share that stays exposed, so that the pull is even around a half.
        add("training", "/overlap", {"expert_hidden"}, {0.5, 0.05, 1.0}, 0.4, [](TrainingWorld& w, double v) { w.overlap.expert_hidden = 1.0 - v; });
        m_constants.back().written = [](double v) { return 1.0 - v; };
        add("training", "/power", {"exponent"}, {0.5, 0.1, 1.0}, 0.4, [](TrainingWorld& w, double v) { w.power_exponent = v; });
    }

    std::vector<TrainingConstant> take() { return std::move(m_constants); }

private:
    struct Span {
        double start, low, high;
    };

    void add(const std::string& document, const std::string& pointer, std::vector<std::string> names, Span s, double width, std::function<void(TrainingWorld&, double)> set)
    {
        TrainingConstant c;
        c.parameter = {document + pointer + "/" + names.front(), s.start, s.low, s.high, 0.0};
        c.width = width;
        c.document = document;
        c.pointer = pointer;
        c.names = std::move(names);
        c.set = std::move(set);
        m_constants.push_back(std::move(c));
    }

    void draw_to(std::string like, double width)
    {
        m_constants.back().like = std::move(like);
        m_constants.back().like_width = width;
    }

    void share(const std::string& document, const std::string& name, double start, double width, std::function<void(TrainingWorld&, double)> set, const std::string& like = {}, double like_width = 0.1)
    {
        add(document, "/training", {name}, {start, 0.1, 2.0}, width, std::move(set));
        if (!like.empty())
            draw_to(like + "/training/" + name, like_width);
    }

    void add_product(const std::string& gpu, const std::string& like, double like_width, std::size_t i)
    {
        const auto name = [](std::size_t p) { return "products_" + std::string(name_of(static_cast<TrainingProduct>(p))); };
        std::vector<std::string> names = {name(i)};
        for (std::size_t j = i + 1; j < training_product_count; ++j) // figures of what this GPU cannot do stay filled
            if (!has(gpu, static_cast<TrainingProduct>(j)) && (gpu == "a100" || i > 0))
                names.push_back(name(j));
        add(gpu, "/training", std::move(names), {0.8, 0.1, 2.0}, 0.25, [gpu, i](TrainingWorld& w, double v) {
            for (std::size_t j = i; j < training_product_count; ++j)
                if (j == i || !has(gpu, static_cast<TrainingProduct>(j)))
                    w.gpus[gpu].products[j] = v;
        });
        if (!like.empty())
            draw_to(like + "/training/" + name(i), like_width);
        else if (i > 0)
            draw_to(gpu + "/training/" + name(i == 1 ? 0 : 1), 0.2);
    }

    // Beside the products' share: what uneven, changing shapes cost. Expert runs in FP4 are not published: as MXFP8.
    void add_experts(const std::string& gpu, const std::string& like)
    {
        constexpr std::size_t mx = 2;
        for (std::size_t i = 0; i <= mx; ++i) {
            if (!has(gpu, static_cast<TrainingProduct>(i)))
                continue;
            const bool last = i == mx || !has(gpu, static_cast<TrainingProduct>(i + 1));
            const std::size_t to = last ? training_product_count : i + 1;
            std::vector<std::string> names;
            for (std::size_t j = i; j < to; ++j)
                names.push_back("experts_" + std::string(name_of(static_cast<TrainingProduct>(j))));
            const std::string name = names.front();
            add(gpu, "/training", std::move(names), {0.8, 0.1, 2.0}, 0.3, [gpu, i, to](TrainingWorld& w, double v) {
                for (std::size_t j = i; j < to; ++j)
                    w.gpus[gpu].experts[j] = v;
            });
            if (!like.empty())
                draw_to(like + "/training/" + name, 0.1);
            else if (i > 0)
                draw_to(gpu + "/training/experts_" + std::string(name_of(static_cast<TrainingProduct>(i - 1))), 0.25);
            else if (gpu != "h100")
                draw_to("h100/training/experts_bf16", 0.15);
        }
    }

    std::vector<TrainingConstant> m_constants;
};

} // namespace

std::vector<TrainingConstant> training_constants()
{
    Table t;
    for (const Relative& r : gpus)
        t.add_gpu(r);
    t.add_fabric("infiniband-ndr", 0.08);
    t.add_fabric("efa-v4", 0.5);
    t.add_framework("megatron", 1.0);
    t.add_framework("fsdp", 1.5);
    t.add_overlap();
    return t.take();
}

} // namespace ridgepoint
