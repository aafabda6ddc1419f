#include "model/schedule/layer_time.h"

#include <cmath>

#include <gtest/gtest.h>

using namespace ridgepoint;

namespace {

Operator op(OperatorKind kind, double ms, Resource r = Resource::compute)
{
    Operator o;
    o.kind = kind;
    o.time = AttributedTime{r, milliseconds(ms)};
    o.flops = class_of(kind) == OperatorClass::gemm ? Flops{1.0} : Flops{};
    return o;
}

double ms(const AttributedTime& t) { return in_milliseconds(t.total()); }

} // namespace

// 10 ms of exchange behind 20 ms of computation: with a hidden share of 0.7 at best, 3 ms stick out; with all of it, none.
TEST(LayerTime, ExpertsExchangesHideAtMostTheirShare)
{
    std::vector<Operator> ops = {op(OperatorKind::expert_gate_up, 20), op(OperatorKind::ep_dispatch, 10, Resource::network)};
    Layout l;
    l.ep = 8;
    l.overlap_moe = true;
    l.cuda_graphs = true;
    EXPECT_NEAR(ms(layer_time(ops, overlap_rules(l, {}, {}, 0.7)).ep), 3.0, 1e-9);
    EXPECT_NEAR(ops[1].hidden, 0.7, 1e-9);
    EXPECT_NEAR(ms(layer_time(ops, overlap_rules(l, {}, {}, 1.0)).ep), 0.0, 1e-9);
}

// The router's counts stop the host: 3 ms of GPU and 4 ms of host are sqrt(9 + 16) = 5 ms forward.
TEST(LayerTime, AWaitingHostAddsAsARootOfSquares)
{
    std::vector<Operator> ops = {op(OperatorKind::permute, 1, Resource::hbm), op(OperatorKind::expert_gate_up, 2)};
    EXPECT_NEAR(ms(layer_time(ops, overlap_rules({}, {}, milliseconds(4))).total()), 5.0, 1e-9);
    for (Operator& o : ops)
        o.phase = Phase::backward; // twice the host: sqrt(9 + 64)
    EXPECT_NEAR(ms(layer_time(ops, overlap_rules({}, {}, milliseconds(4))).total()), std::sqrt(73.0), 1e-9);
}

// Without a wait the host runs ahead: 2 launches of 1 ms vanish behind 3 ms of GPU, and show beside 1 ms.
TEST(LayerTime, AHostThatRunsAheadIsHidden)
{
    std::vector<Operator> busy = {op(OperatorKind::gate_up_projection, 2), op(OperatorKind::activation, 1, Resource::hbm)};
    EXPECT_NEAR(ms(layer_time(busy, overlap_rules({}, milliseconds(1))).total()), 3.0, 1e-9);
    std::vector<Operator> idle = {op(OperatorKind::gate_up_projection, 0.5), op(OperatorKind::activation, 0.5, Resource::hbm)};
    EXPECT_NEAR(ms(layer_time(idle, overlap_rules({}, milliseconds(1))).total()), 2.0, 1e-9);
}
