#include "views/panels/verdict_cards.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "model/report/texts.h"
#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString tr(const char* text) { return QCoreApplication::translate("VerdictCards", text); }

    QString percent(double fraction, int decimals = 0) { return to_qt(format_percent(fraction, decimals)); }

    QString error_bar(const Estimate& estimate)
    {
        return estimate.relative_error > 0 ? QStringLiteral("±%1").arg(percent(estimate.relative_error)) : QString();
    }

    QString joined(QStringList parts)
    {
        parts.removeAll(QString());
        return parts.join(QStringLiteral(" · "));
    }

    VerdictCard memory_card(const Evaluation& evaluation)
    {
        const MemoryFit& memory = evaluation.estimate.memory;
        VerdictCard card;
        card.title = tr("Memory per GPU");
        card.number = QStringLiteral("Memory of the fullest stage");
        if (memory.stages.empty()) {
            card.value = tr("Unknown");
            return card;
        }
        const QString needs = tr("%1 of %2").arg(to_qt(format_iec(memory.worst().total())), to_qt(format_iec(memory.capacity)));
        const QString stage = memory.stages.size() > 1 ? tr(", stage %1 of %2").arg(memory.worst_stage + 1).arg(memory.stages.size()) : QString();
        if (memory.fits()) {
            card.icon = QStringLiteral("fits");
            card.tone = Tone::Good;
            card.value = tr("Fits");
            card.detail = tr("%1 to spare").arg(to_qt(format_iec(memory.headroom())));
        } else {
            card.icon = QStringLiteral("does-not-fit");
            card.tone = Tone::Bad;
            card.value = tr("Does not fit");
            card.detail = tr("%1 too much").arg(to_qt(format_iec(-memory.headroom())));
        }
        card.explanation = tr("The fullest GPU needs %1%2 at its peak, reserve included. Judged against the memory that software sees, "
                              "not the marketed figure.").arg(needs, stage);
        return card;
    }

    VerdictCard storage_card(const Evaluation& evaluation)
    {
        const Estimate& estimate = evaluation.estimate;
        VerdictCard card;
        card.title = tr("Bound by");
        card.number = QStringLiteral("Made of");
        card.tone = Tone::Warning;
        card.value = QStringLiteral("%1 %2").arg(to_qt(name_of(Resource::storage)), percent(evaluation.storage->whole().share(Resource::storage)));
        card.detail = to_qt(evaluation.storage->limit);
        card.explanation = tr("The run waits for storage: %1. The other figures are of the step alone, which is bound by %2 (%3).")
                               .arg(card.detail, to_qt(name_of(estimate.bound())), percent(estimate.time.share(estimate.bound())));
        return card;
    }

    VerdictCard bound_card(const Estimate& estimate)
    {
        VerdictCard card;
        card.title = tr("Bound by");
        card.number = QStringLiteral("Made of");
        std::array<Resource, resource_count> order{};
        for (std::size_t i = 0; i < resource_count; ++i)
            order[i] = static_cast<Resource>(i);
        std::stable_sort(order.begin(), order.end(), [&](Resource a, Resource b) { return estimate.time.share(a) > estimate.time.share(b); });
        card.value = QStringLiteral("%1 %2").arg(to_qt(name_of(order[0])), percent(estimate.time.share(order[0])));
        QStringList others;
        QStringList all;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const double share = estimate.time.share(order[i]);
            if (i > 0 && i < 3 && share >= 0.005)
                others << QStringLiteral("%1 %2").arg(to_qt(name_of(order[i])), percent(share));
            if (std::abs(share) >= 0.0005)
                all << QStringLiteral("%1 %2").arg(to_qt(name_of(order[i])), percent(share, 1));
        }
        card.detail = others.join(QStringLiteral(" · "));
        card.explanation = tr("Elasticity of the time to each resource's speed: 1 % more of a resource with share 0.30 makes the step 0.30 % "
                              "faster. The shares add up to one: %1.").arg(all.join(QStringLiteral(", ")));
        return card;
    }

    QString tokens_per_second(TokensPerSecond v) { return to_qt(format(v)); }

    void add_training(std::vector<VerdictCard>& cards, const Plan& plan, const Estimate& estimate)
    {
        const TrainingResult& result = *estimate.training;
        const auto* training = std::get_if<Training>(&plan.workload);
        const double tokens = training ? static_cast<double>(training->global_batch) * training->sequence_length : 0;
        cards.push_back({tr("Step time"), to_qt(format(result.step)),
            joined({error_bar(estimate), tokens > 0 ? tr("%1 tokens").arg(to_qt(format_si(tokens, ""))) : QString()}),
            tr("One optimizer step of the whole global batch. %1 micro-batches per replica; pipeline bubble %2 of the step. Error bar: %3.")
                .arg(result.microbatches).arg(percent(result.bubble_fraction, 1)).arg(to_qt(error_bar_meaning(estimate))),
            QStringLiteral("Step time"), {}, Tone::Neutral});
        cards.push_back({tr("Throughput"), tokens_per_second(result.tokens_per_second),
            tr("%1 per GPU").arg(tokens_per_second(result.tokens_per_second_per_gpu)), tr("Training tokens per second of the whole cluster."),
            QStringLiteral("Step time"), {}, Tone::Neutral});
        cards.push_back({tr("MFU"), percent(result.mfu, 1),
            tr("%1 · %2 dense").arg(convention_text(result.convention), to_qt(name_of(result.peak_arithmetic)).toUpper()),
            tr("Model FLOPs utilisation: FLOPs of the step by the convention \"%1\", over time and the dense %2 peak of all GPUs. %3 per GPU.")
                .arg(convention_text(result.convention), to_qt(name_of(result.peak_arithmetic)).toUpper(), to_qt(format(result.achieved_per_gpu))),
            QStringLiteral("MFU"), {}, Tone::Neutral});
        if (result.time_to_train)
            cards.push_back({tr("Time to train"), to_qt(format(*result.time_to_train)),
                joined({error_bar(estimate), training ? tr("%1 tokens").arg(to_qt(format_si(training->tokens.value(), ""))) : QString()}),
                tr("Step time only: no failures, no restarts, no evaluation."), QStringLiteral("Step time"), {}, Tone::Neutral});
    }

    void add_serving(std::vector<VerdictCard>& cards, const Plan& plan, const Estimate& estimate)
    {
        const ServingResult& result = *estimate.serving;
        const auto* serving = std::get_if<Serving>(&plan.workload);
        const ServingPhase phase = serving ? serving->phase : ServingPhase::serving;
        const QString replicas = result.replicas > 1 ? tr("%1 replicas").arg(result.replicas) : QString();
        const auto& thinking = result.thinking; // the reader waits for the answer, not for the first token
        const QString answer = thinking ? tr("answer after %1").arg(to_qt(format(thinking->first_answer))) : QString();
        if (phase != ServingPhase::decode)
            cards.push_back({tr("TTFT"), to_qt(format(result.ttft)),
                thinking ? answer : joined({error_bar(estimate), serving ? tr("%1 tokens in").arg(serving->input_length) : QString()}),
                thinking ? tr("Time to the first token, mean, without queueing. The first token of the answer comes after %1 tokens of thinking, %2. A decode step takes %3 with every sequence at its first token and %4 at its last.")
                               .arg(to_qt(group_thousands(thinking->tokens)), to_qt(format(thinking->time)), to_qt(format(thinking->first_step)), to_qt(format(thinking->last_step)))
                         : tr("Time to the first token, mean, without queueing."),
                thinking ? QStringLiteral("Time to first answer token") : QStringLiteral("Time to first token|Prefill step"), {}, Tone::Neutral});
        if (phase != ServingPhase::prefill) {
            cards.push_back({tr("TPOT"), to_qt(format(result.tpot)),
                phase == ServingPhase::decode && thinking ? answer : joined({error_bar(estimate), tr("%1 per user").arg(tokens_per_second(result.output_per_second_per_user))}),
                tr("Time per output token, mean. A decode step of the whole batch takes %1.").arg(to_qt(format(result.decode_step))),
                QStringLiteral("Time per output token"), {}, Tone::Neutral});
            cards.push_back({tr("Output"), tokens_per_second(result.output_per_second),
                joined({tr("%1 per GPU").arg(tokens_per_second(result.output_per_second_per_gpu)), replicas}),
                tr("Output tokens per second of one replica. The KV cache holds %1 sequences.").arg(result.largest_batch),
                QStringLiteral("Decode step"), {}, Tone::Neutral});
        } else {
            cards.push_back({tr("Input"), tr("%1 per GPU").arg(tokens_per_second(result.input_per_second_per_gpu)), replicas,
                tr("Prompt tokens per second of one GPU."), QStringLiteral("Prefill step"), {}, Tone::Neutral});
        }
        cards.push_back({tr("MFU / MBU"), tr("%1 / %2").arg(percent(result.mfu, 1), percent(result.mbu, 1)), tr("of dense peak / of HBM"),
            tr("Model FLOPs utilisation of the dense peak, and memory bandwidth utilisation: HBM bytes over time and bandwidth."),
            QStringLiteral("Decode step|Prefill step"), {}, Tone::Neutral});
    }

    QString per_million(DollarsPerToken v) { return to_qt(format(Dollars{v.value() * 1e6})); }

    VerdictCard cost_card(const Plan& plan, const Evaluation& evaluation)
    {
        const Cost& cost = evaluation.cost;
        VerdictCard card;
        card.title = tr("Cost");
        card.number = QStringLiteral("Cost");
        if (!cost.price) {
            card.value = tr("No price");
            card.detail = tr("set your own rate");
            card.explanation = to_qt(cost.missing);
            card.tone = Tone::Warning;
            return card;
        }
        const QString month = tr("%1 a month").arg(to_qt(format(cost.per_month)));
        const QString token = cost.per_token ? tr("%1 per 1 M tokens").arg(per_million(*cost.per_token)) : QString();
        if (cost.run) {
            card.value = tr("%1 a run").arg(to_qt(format(*cost.run)));
            card.detail = joined({error_bar(evaluation.estimate), month, token});
        } else if (!token.isEmpty()) {
            card.value = tr("%1 / 1 M tok").arg(per_million(*cost.per_token));
            card.detail = month;
        } else {
            card.value = month;
        }
        card.explanation = tr("%1 %2, %3, as of %4, %5 paid hours useful. All GPUs of the nodes are paid for. A planning figure, not a quote.%6")
                               .arg(to_qt(cost.price->term), to_qt(cost.price->region), to_qt(cost.price->instance), to_qt(cost.price->date),
                                   percent(plan.price.utilization), cost.price->source.empty() ? QString() : tr(" Source: %1.").arg(to_qt(cost.price->source)));
        return card;
    }

} // namespace

QString convention_text(FlopConvention convention)
{
    switch (convention) {
    case FlopConvention::six_n:
        return tr("6N");
    case FlopConvention::six_n_full_attention:
        return tr("6N + full attention");
    case FlopConvention::six_n_causal_attention:
        return tr("6N + causal attention");
    case FlopConvention::model_exact:
        return tr("exact model FLOPs");
    case FlopConvention::hardware:
        return tr("hardware FLOPs");
    }
    return {};
}

std::vector<VerdictCard> verdict_cards(const Plan& plan, const Evaluation& evaluation)
{
    std::vector<VerdictCard> cards;
    cards.push_back(memory_card(evaluation));
    cards.push_back(evaluation.storage && !evaluation.storage->limit.empty() ? storage_card(evaluation) : bound_card(evaluation.estimate));
    if (evaluation.estimate.training)
        add_training(cards, plan, evaluation.estimate);
    if (evaluation.estimate.serving)
        add_serving(cards, plan, evaluation.estimate);
    cards.push_back(cost_card(plan, evaluation));
    return cards;
}

} // namespace ridgepoint
