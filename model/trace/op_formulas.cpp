#include "model/trace/op_formulas.h"

#include <algorithm>

namespace ridgepoint {
namespace {

OpWork known(double flops, double bytes)
{
    if (!(flops > 0) || !(bytes > 0) || flops > 1e30 || bytes > 1e24)
        return gap(WorkGap::unusable_shapes);
    return {{flops, bytes, true}, WorkGap::none, {}};
}

// FP4 is stored two to a byte, and such a tensor's last dimension counts the pairs.
struct Elements {
    double bytes = 0; // of one element of the shape
    double packed = 1; // numbers in it
};

Elements elements(const OpArguments& a, std::size_t i)
{
    const std::string_view type = i < a.types.size() ? a.types[i] : std::string_view{};
    if (type.find("Float4") != std::string_view::npos && type.ends_with("_x2"))
        return {1, 2};
    return {a.element_bytes(i), 1};
}

} // namespace

OpWork matrix_product(const OpArguments& a, std::size_t left, int addend, double out, bool summed)
{
    const Shape& x = a.shape(left);
    const Shape& w = a.shape(left + 1);
    const Elements x_element = elements(a, left);
    const Elements w_element = elements(a, left + 1);
    if (x.size() != w.size() || x.size() < 2 || x.size() > 3 || x_element.bytes <= 0 || w_element.bytes <= 0 || x_element.packed != w_element.packed)
        return gap(WorkGap::unusable_shapes);
    const std::size_t r = x.size() - 2;
    const double batch = r ? x[0] : 1;
    if (x[r + 1] != w[r] || (r && x[0] != w[0]))
        return gap(WorkGap::unusable_shapes);
    const double extra = addend >= 0 ? product(a.shape(static_cast<std::size_t>(addend))) * x_element.bytes : 0;
    const double results = (summed ? 1 : batch) * x[r] * w[r + 1];
    OpWork work = known(2 * batch * x[r] * w[r + 1] * x[r + 1] * x_element.packed,
        product(x) * x_element.bytes + product(w) * w_element.bytes + results * (out > 0 ? out : x_element.bytes) + extra);
    constexpr double largest = 1e9; // of a dimension that somebody would compare
    if (!r && work.work.known && x[0] < largest && w[1] < largest && x[1] < largest)
        work.product = {static_cast<std::int32_t>(x[0]), static_cast<std::int32_t>(w[1]), static_cast<std::int32_t>(x[1] * x_element.packed)};
    return work;
}

OpWork linear_work(const OpArguments& a)
{
    const Shape& x = a.shape(0);
    const Shape& w = a.shape(1);
    const double in = a.element_bytes(0);
    const double weight = a.element_bytes(1);
    if (x.empty() || w.size() != 2 || x.back() != w[1] || in <= 0 || weight <= 0)
        return gap(WorkGap::unusable_shapes);
    const double rows = product(x) / std::max(1.0, x.back());
    const double bias = a.shape(2).size() == 1 ? w[0] * in : 0;
    return known(2 * product(x) * w[0], (product(x) + rows * w[0]) * in + product(w) * weight + bias);
}

OpWork vector_product(const OpArguments& a, std::size_t left)
{
    const Shape& x = a.shape(left);
    const Shape& y = a.shape(left + 1);
    const double in = a.element_bytes(left);
    if (x.empty() || x.size() > 2 || y.size() != 1 || x.back() != y[0] || in <= 0)
        return gap(WorkGap::unusable_shapes);
    const double rows = x.size() == 2 ? x[0] : 1;
    return known(2 * rows * y[0], (product(x) + y[0] + rows) * in);
}

OpWork table_rows(const OpArguments& a)
{
    const Shape& table = a.shape(0);
    const Shape& indices = a.shape(1);
    const double element = a.element_bytes(0);
    const double index = a.element_bytes(1);
    if (table.size() != 2 || indices.empty() || element <= 0 || index <= 0)
        return gap(WorkGap::unusable_shapes);
    const double rows = product(indices);
    const double moved = (std::min(rows, table[0]) + rows) * table[1] * element + rows * index;
    if (!(moved > 0) || moved > 1e24)
        return gap(WorkGap::unusable_shapes);
    return {{0, moved, true}, WorkGap::none};
}

OpWork convolution_forward(const OpArguments& a, const ConvolutionPlaces& at)
{
    const Shape& x = a.shape(at.input);
    const Shape& w = a.shape(at.weight);
    const double in = a.element_bytes(at.input);
    if (x.size() < 3 || x.size() != w.size() || in <= 0)
        return gap(WorkGap::unusable_shapes);
    const bool transposed = at.transposed == always_transposed || (at.transposed != 0 && a.value(at.transposed) == "True");
    const std::size_t spatial = x.size() - 2;
    const Shape stride = parse_list(a.value(at.stride));
    const Shape padding = parse_list(a.value(at.padding));
    const Shape dilation = parse_list(a.value(at.dilation));
    if (stride.empty() || padding.empty() || dilation.empty())
        return gap(WorkGap::no_convolution_arguments);
    const auto of = [](const Shape& s, std::size_t i) { return s[std::min(i, s.size() - 1)]; };
    double places = x[0]; // of the output, over batch and space
    for (std::size_t i = 0; i < spatial; ++i) {
        const double reach = of(dilation, i) * (w[2 + i] - 1) + 1;
        if (of(stride, i) < 1)
            return gap(WorkGap::unusable_shapes);
        places *= transposed ? (x[2 + i] - 1) * of(stride, i) - 2 * of(padding, i) + reach
                             : static_cast<double>(static_cast<std::int64_t>(std::min(1e15, (x[2 + i] + 2 * of(padding, i) - reach) / of(stride, i)))) + 1;
    }
    // A weight is [out, in/groups, k...], or [in, out/groups, k...] if transposed: each output (input) element meets
    // product(weight) / weight[0] weights.
    const double flops = transposed ? 2 * product(x) * product(w, 1) : 2 * places * w[0] * product(w, 1);
    const double out_elements = transposed ? places * w[1] : places * w[0];
    return known(flops, (product(x) + product(w) + out_elements) * in);
}

OpWork convolution_backward(const Shape& g, const Shape& x, const Shape& w, double in, double gradients, bool transposed)
{
    if (g.size() < 3 || w.size() != g.size() || in <= 0 || gradients <= 0 || (transposed && x.size() != g.size()))
        return gap(WorkGap::unusable_shapes);
    const double once = 2 * product(transposed ? x : g) * product(w, 1);
    const double moved = product(g) * gradients + (x.empty() ? product(g) : product(x)) * gradients + product(w) * gradients;
    return known(once * gradients, moved * in);
}

OpWork attention_work(const OpArguments& a, const AttentionPlaces& at)
{
    const Shape& q = a.shape(at.q);
    const Shape& k = a.shape(at.q + 1);
    const Shape& v = a.shape(at.q + 2);
    const double in = a.element_bytes(at.q);
    if (q.size() == 3 || (at.lengths >= 0 && !a.shape(static_cast<std::size_t>(at.lengths)).empty()))
        return gap(WorkGap::data_dependent);
    if (q.size() != 4 || k.size() != 4 || v.size() != 4 || in <= 0)
        return gap(WorkGap::unusable_shapes);
    const std::string_view causal_text = a.value(static_cast<std::size_t>(at.causal));
    if (causal_text.empty())
        return gap(WorkGap::no_causal_flag);
    if (at.window >= 0)
        if (const Shape window = parse_list(a.value(static_cast<std::size_t>(at.window))); !window.empty() && window[0] >= 0)
            return gap(WorkGap::data_dependent); // a local window: the pairs depend on its alignment
    const bool causal = causal_text == "True" || causal_text == "1" || causal_text == "2"; // or a mask kind
    const std::size_t s = at.heads_first ? 2 : 1;
    const std::size_t h = at.heads_first ? 1 : 2;
    double pairs = q[s] * k[s];
    if (causal)
        pairs = q[s] < k[s] ? pairs - q[s] * (q[s] - 1) / 2 : pairs / 2;
    const double forward = 2 * q[0] * q[h] * pairs * (q[3] + v[3]);
    const double out = product(q) / std::max(1.0, q[3]) * v[3];
    const double moved = product(q) + product(k) + product(v) + out;
    // Backward: five products instead of two, the scores recomputed [FlashAttention-2, section 2.3.2]; the inputs, the
    // output, its gradient and the three gradients move.
    return at.backward ? known(2.5 * forward, (2 * moved) * in) : known(forward, moved * in);
}

} // namespace ridgepoint
