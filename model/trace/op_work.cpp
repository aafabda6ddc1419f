#include "model/trace/op_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace ridgepoint {
namespace {

using Shape = std::vector<double>; // doubles: products of hostile dimensions must not overflow

struct Arguments {
    std::vector<Shape> shapes; // one per argument; empty for scalars, lists and absent tensors
    std::vector<std::string_view> types;
    std::vector<std::string_view> values;

    [[nodiscard]] const Shape& shape(std::size_t i) const
    {
        static const Shape none;
        return i < shapes.size() ? shapes[i] : none;
    }
    [[nodiscard]] double element_bytes(std::size_t i) const { return i < types.size() ? bytes_of_dtype(types[i]) : 0; }
    [[nodiscard]] std::string_view value(std::size_t i) const { return i < values.size() ? values[i] : std::string_view{}; }
};

double product(const Shape& s, std::size_t from = 0)
{
    double p = 1;
    for (std::size_t i = from; i < s.size(); ++i)
        p *= s[i];
    return p;
}

void skip_space(std::string_view& s)
{
    while (!s.empty() && static_cast<unsigned char>(s.front()) <= ' ')
        s.remove_prefix(1);
}

// [[64, 128], [], [[1, 2], [3, 4]]]: the shape of a list of tensors is not that of a tensor and stays empty.
std::vector<Shape> parse_shapes(std::string_view s)
{
    constexpr std::size_t most_arguments = 64;
    constexpr std::size_t most_dimensions = 16;
    std::vector<Shape> out;
    int depth = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '[') {
            if (++depth == 2 && out.size() < most_arguments)
                out.emplace_back();
            else if (depth == 3 && !out.empty())
                out.back().clear();
        } else if (c == ']') {
            --depth;
        } else if (depth == 2 && (c == '-' || (c >= '0' && c <= '9')) && !out.empty()) {
            double v = 0;
            const auto r = std::from_chars(s.data() + i, s.data() + s.size(), v);
            if (r.ec == std::errc{} && out.back().size() < most_dimensions)
                out.back().push_back(v);
            i = static_cast<std::size_t>(std::max(r.ptr, s.data() + i + 1) - s.data()) - 1;
        }
    }
    return out;
}

// ["float", "", "True"]
std::vector<std::string_view> parse_texts(std::string_view s)
{
    constexpr std::size_t most = 64;
    std::vector<std::string_view> out;
    while (out.size() < most) {
        const auto open = s.find('"');
        if (open == std::string_view::npos)
            break;
        std::size_t close = open + 1;
        while (close < s.size() && s[close] != '"')
            close += s[close] == '\\' ? 2 : 1;
        if (close >= s.size())
            break;
        out.push_back(s.substr(open + 1, close - open - 1));
        s.remove_prefix(close + 1);
    }
    return out;
}

// "[2, 2]" to numbers.
Shape parse_list(std::string_view s)
{
    Shape out;
    for (std::size_t i = 0; i < s.size() && out.size() < 16;) {
        double v = 0;
        const auto r = std::from_chars(s.data() + i, s.data() + s.size(), v);
        if (r.ec == std::errc{}) {
            out.push_back(v);
            i = static_cast<std::size_t>(r.ptr - s.data());
        } else {
            ++i;
        }
    }
    return out;
}

constexpr OpWork gap(WorkGap g) { return {{}, g}; }

OpWork known(double flops, double bytes)
{
    if (!(flops > 0) || !(bytes > 0) || flops > 1e30 || bytes > 1e24)
        return gap(WorkGap::unusable_shapes);
    return {{flops, bytes, true}, WorkGap::none};
}

// batch x [m, k] x [k, n], with an addend that is read as well.
OpWork product_work(double batch, double m, double n, double k, double in, double out, double extra_bytes = 0)
{
    return known(2 * batch * m * n * k, batch * ((m * k + k * n) * in + m * n * out) + extra_bytes);
}

OpWork matrix_product(const Arguments& a, std::size_t left, int addend, bool scaled = false)
{
    const Shape& x = a.shape(left);
    const Shape& w = a.shape(left + 1);
    const double in = a.element_bytes(left);
    if (x.size() != w.size() || x.size() < 2 || x.size() > 3 || in <= 0)
        return gap(WorkGap::unusable_shapes);
    const std::size_t r = x.size() - 2;
    const double batch = r ? x[0] : 1;
    if (x[r + 1] != w[r] || (r && x[0] != w[0]))
        return gap(WorkGap::unusable_shapes);
    const double extra = addend >= 0 ? product(a.shape(static_cast<std::size_t>(addend))) * in : 0;
    const double out = scaled ? 2 : in; // scaled FP8 products write bf16 unless told otherwise
    return product_work(batch, x[r], w[r + 1], x[r + 1], in, out, extra);
}

// x [..., k], weight [n, k]
OpWork linear_work(const Arguments& a)
{
    const Shape& x = a.shape(0);
    const Shape& w = a.shape(1);
    const double in = a.element_bytes(0);
    if (x.empty() || w.size() != 2 || x.back() != w[1] || in <= 0)
        return gap(WorkGap::unusable_shapes);
    return product_work(1, product(x) / std::max(1.0, x.back()), w[0], w[1], in, in, product(a.shape(2)) * in * !a.shape(2).empty());
}

OpWork vector_product(const Arguments& a, std::size_t left)
{
    const Shape& x = a.shape(left);
    const Shape& y = a.shape(left + 1);
    const double in = a.element_bytes(left);
    if (x.empty() || x.size() > 2 || y.size() != 1 || x.back() != y[0] || in <= 0)
        return gap(WorkGap::unusable_shapes);
    return product_work(1, x.size() == 2 ? x[0] : 1, 1, y[0], in, in);
}

// Where stride, padding, dilation and transposed stand among the arguments.
struct ConvolutionPlaces {
    std::size_t input, weight, stride, padding, dilation, transposed;
};

OpWork convolution_forward(const Arguments& a, const ConvolutionPlaces& at)
{
    const Shape& x = a.shape(at.input);
    const Shape& w = a.shape(at.weight);
    const double in = a.element_bytes(at.input);
    if (x.size() < 3 || x.size() != w.size() || in <= 0)
        return gap(WorkGap::unusable_shapes);
    const bool transposed = at.transposed != 0 && a.value(at.transposed) == "True";
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

// Gradients of input and weight, each as much as the forward pass.
OpWork convolution_backward(const Arguments& a, std::size_t gradient, std::size_t input, std::size_t weight, double gradients, bool transposed)
{
    const Shape& g = a.shape(gradient);
    const Shape& x = a.shape(input);
    const Shape& w = a.shape(weight);
    const double in = a.element_bytes(gradient);
    if (g.size() < 3 || w.size() != g.size() || in <= 0 || gradients <= 0 || (transposed && x.size() != g.size()))
        return gap(WorkGap::unusable_shapes);
    const double once = 2 * product(transposed ? x : g) * product(w, 1);
    const double moved = product(g) * gradients + (x.empty() ? product(g) : product(x)) * gradients + product(w) * gradients;
    return known(once * gradients, moved * in);
}

// Query, key and value at `q`, laid out [B, H, S, D] or [B, S, H, D].
struct AttentionPlaces {
    std::size_t q;
    bool heads_first;
    bool backward;
    int causal; // argument that says so
    int lengths; // argument of the packed sequences' offsets, whose values are not recorded; -1: none
    int window; // argument of the left window, -1 inside it for none; -1: none
};

OpWork attention_work(const Arguments& a, const AttentionPlaces& at)
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

} // namespace

struct OpRule {
    std::string_view name;
    KernelClass target;
    OpWork (*work)(const Arguments&);
};

namespace {

template <std::size_t Left, int Addend> OpWork product_at(const Arguments& a) { return matrix_product(a, Left, Addend); }
OpWork scaled_product(const Arguments& a) { return matrix_product(a, 0, -1, true); }
template <std::size_t Left> OpWork vector_at(const Arguments& a) { return vector_product(a, Left); }
template <std::size_t I, std::size_t W, std::size_t S, std::size_t P, std::size_t D, std::size_t T> OpWork forward_at(const Arguments& a)
{
    return convolution_forward(a, {I, W, S, P, D, T});
}
// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
// output_padding, groups, output_mask)
OpWork convolution_gradients(const Arguments& a)
{
    const std::string_view mask = a.value(10);
    if (mask.empty())
        return gap(WorkGap::no_convolution_arguments);
    const auto comma = std::min(mask.size(), mask.find(','));
    const std::string_view of_weight = mask.substr(comma, mask.find(',', comma + 1) - comma);
    const int gradients = (mask.substr(0, comma).find("True") != std::string_view::npos) + (of_weight.find("True") != std::string_view::npos);
    return convolution_backward(a, 0, 1, 2, gradients, a.value(7) == "True");
}
OpWork cudnn_input_gradient(const Arguments& a) { return convolution_backward(a, 1, 99, 2, 1, false); }
template <std::size_t Q, bool HeadsFirst, bool Backward, int Causal, int Lengths, int Window> OpWork attention_at(const Arguments& a)
{
    return attention_work(a, {Q, HeadsFirst, Backward, Causal, Lengths, Window});
}
OpWork packed(const Arguments&) { return gap(WorkGap::data_dependent); }

// Argument positions are those of the operators' schemas (ATen native_functions.yaml, flash-attn's custom operators).
constexpr KernelClass gemm = KernelClass::gemm;
constexpr KernelClass attention = KernelClass::attention;
constexpr KernelClass convolution = KernelClass::convolution;
constexpr std::array rules{
    OpRule{"aten::mm", gemm, product_at<0, -1>},
    OpRule{"aten::addmm", gemm, product_at<1, 0>},
    OpRule{"aten::addmm_", gemm, product_at<1, 0>},
    OpRule{"aten::_addmm_activation", gemm, product_at<1, 0>},
    OpRule{"aten::bmm", gemm, product_at<0, -1>},
    OpRule{"aten::baddbmm", gemm, product_at<1, 0>},
    OpRule{"aten::baddbmm_", gemm, product_at<1, 0>},
    OpRule{"aten::_int_mm", gemm, product_at<0, -1>},
    OpRule{"aten::_scaled_mm", gemm, scaled_product},
    OpRule{"aten::linear", gemm, linear_work},
    OpRule{"vllm::rocm_unquantized_gemm", gemm, linear_work},
    OpRule{"aten::mv", gemm, vector_at<0>},
    OpRule{"aten::addmv", gemm, vector_at<1>},
    OpRule{"aten::addmv_", gemm, vector_at<1>},
    OpRule{"aten::dot", gemm, vector_at<0>},
    OpRule{"aten::_grouped_mm", gemm, packed}, // the group sizes are data
    OpRule{"aten::_scaled_grouped_mm", gemm, packed},
    OpRule{"aten::conv1d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::conv2d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::conv3d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::convolution", convolution, forward_at<0, 1, 3, 4, 5, 6>},
    OpRule{"aten::_convolution", convolution, forward_at<0, 1, 3, 4, 5, 6>},
    OpRule{"aten::cudnn_convolution", convolution, forward_at<0, 1, 3, 2, 4, 0>},
    OpRule{"aten::miopen_convolution", convolution, forward_at<0, 1, 4, 3, 5, 0>},
    OpRule{"aten::convolution_backward", convolution, convolution_gradients},
    OpRule{"aten::cudnn_convolution_backward_input", convolution, cudnn_input_gradient},
    OpRule{"aten::scaled_dot_product_attention", attention, attention_at<0, true, false, 5, -1, -1>},
    OpRule{"aten::_scaled_dot_product_flash_attention", attention, attention_at<0, true, false, 4, -1, -1>},
    OpRule{"aten::_flash_attention_forward", attention, attention_at<0, false, false, 8, 3, 11>},
    OpRule{"aten::_scaled_dot_product_efficient_attention", attention, attention_at<0, true, false, 6, -1, -1>},
    OpRule{"aten::_efficient_attention_forward", attention, attention_at<0, false, false, 9, 4, -1>},
    OpRule{"aten::_scaled_dot_product_cudnn_attention", attention, attention_at<0, true, false, 6, -1, -1>},
    OpRule{"aten::_scaled_dot_product_flash_attention_backward", attention, attention_at<1, true, true, 11, -1, -1>},
    OpRule{"aten::_flash_attention_backward", attention, attention_at<1, false, true, 11, 6, 15>},
    OpRule{"aten::_scaled_dot_product_efficient_attention_backward", attention, attention_at<1, true, true, 11, -1, -1>},
    OpRule{"aten::_efficient_attention_backward", attention, attention_at<1, false, true, 14, 6, -1>},
    OpRule{"aten::_scaled_dot_product_cudnn_attention_backward", attention, attention_at<1, true, true, 14, 9, -1>},
    OpRule{"flash_attn::_flash_attn_forward", attention, attention_at<0, false, false, 5, -1, 6>},
    OpRule{"flash_attn::_flash_attn_backward", attention, attention_at<1, false, true, 11, -1, 12>},
    OpRule{"flash_attn::_flash_attn_varlen_forward", attention, packed},
    OpRule{"flash_attn::_flash_attn_varlen_backward", attention, packed},
};

} // namespace

std::string_view name_of(WorkGap g)
{
    static constexpr std::array<std::string_view, 6> names{"known",
        "the trace has no shapes (record_shapes was off)",
        "the work depends on data that is not in the trace (sequence lengths, group sizes, windows)",
        "the trace does not say whether the attention is causal",
        "the trace does not have the convolution's stride and padding",
        "the shapes do not fit the operator"};
    return names[static_cast<std::size_t>(g)];
}

double bytes_of_dtype(std::string_view name)
{
    if (name.starts_with("c10::"))
        name.remove_prefix(5);
    struct Size {
        std::string_view name;
        double bytes;
    };
    static constexpr std::array sizes{Size{"float", 4}, Size{"Float", 4}, Size{"BFloat16", 2}, Size{"Half", 2}, Size{"double", 8}, Size{"Double", 8},
        Size{"long int", 8}, Size{"long", 8}, Size{"Long", 8}, Size{"int", 4}, Size{"Int", 4}, Size{"short", 2}, Size{"Short", 2},
        Size{"unsigned char", 1}, Size{"signed char", 1}, Size{"Byte", 1}, Size{"Char", 1}, Size{"bool", 1}, Size{"Bool", 1},
        Size{"complex<float>", 8}, Size{"complex<double>", 16}, Size{"ComplexFloat", 8}, Size{"ComplexDouble", 16}, Size{"UInt16", 2},
        Size{"UInt32", 4}, Size{"UInt64", 8}};
    for (const Size& s : sizes)
        if (s.name == name)
            return s.bytes;
    return name.starts_with("Float8") ? 1 : name.starts_with("Float4") ? 0.5 : 0;
}

const OpRule* op_rule(std::string_view name)
{
    const auto* found = std::find_if(rules.begin(), rules.end(), [&](const OpRule& r) { return r.name == name; });
    return found == rules.end() ? nullptr : found;
}

KernelClass kernel_class_of(const OpRule& rule) { return rule.target; }

OpWork work_of(const OpRule& rule, std::string_view dims, std::string_view types, std::string_view concrete)
{
    skip_space(dims);
    if (dims.size() < 2 || dims.front() != '[')
        return gap(WorkGap::no_shapes);
    const Arguments a{parse_shapes(dims), parse_texts(types), parse_texts(concrete)};
    if (a.types.empty())
        return gap(WorkGap::no_shapes);
    return rule.work(a);
}

} // namespace ridgepoint
