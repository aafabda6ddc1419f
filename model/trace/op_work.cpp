#include "model/trace/op_work.h"

#include <algorithm>
#include <array>

#include "model/trace/op_formulas.h"

namespace ridgepoint {

struct OpRule {
    std::string_view name;
    KernelClass target;
    OpWork (*work)(const OpArguments&);
};

namespace {

template <std::size_t Left, int Addend> OpWork product_at(const OpArguments& a) { return matrix_product(a, Left, Addend); }
// Products of one type with results of another: its number is among the concrete arguments; bf16 unless given.
template <std::size_t Left, std::size_t Result> OpWork scaled_at(const OpArguments& a)
{
    const double out = bytes_of_scalar_type(a.value(Result));
    return matrix_product(a, Left, -1, out > 0 ? out : 2);
}
OpWork integer_product(const OpArguments& a) { return matrix_product(a, 0, -1, 4); } // int8 to int32
template <std::size_t Left> OpWork half_result_product(const OpArguments& a) { return matrix_product(a, Left, -1, 2); }
template <std::size_t Left, int Addend> OpWork summed_product(const OpArguments& a) { return matrix_product(a, Left, Addend, 0, true); }
// Groups of equal size are a batch. Otherwise offsets say where the groups end, and what lies beyond the last one is not
// computed: their values are not in the trace.
OpWork grouped_product(const OpArguments& a)
{
    if (a.shape(0).size() == 3 && a.shape(1).size() == 3)
        return matrix_product(a, 0, -1, 2);
    return gap(WorkGap::data_dependent);
}
template <std::size_t Left> OpWork vector_at(const OpArguments& a) { return vector_product(a, Left); }
template <std::size_t I, std::size_t W, std::size_t S, std::size_t P, std::size_t D, std::size_t T> OpWork forward_at(const OpArguments& a)
{
    return convolution_forward(a, {I, W, S, P, D, T});
}
// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation, transposed,
// output_padding, groups, output_mask)
OpWork convolution_gradients(const OpArguments& a)
{
    const std::string_view mask = a.value(10);
    if (mask.empty())
        return gap(WorkGap::no_convolution_arguments);
    const auto comma = std::min(mask.size(), mask.find(','));
    const std::string_view of_weight = mask.substr(comma, mask.find(',', comma + 1) - comma);
    const int gradients = (mask.substr(0, comma).find("True") != std::string_view::npos) + (of_weight.find("True") != std::string_view::npos);
    return convolution_backward(a.shape(0), a.shape(1), a.shape(2), a.element_bytes(0), gradients, a.value(7) == "True");
}
// The operators of 2021: (input_size, grad_output, weight, ...) and (weight_size, grad_output, input, ...)
OpWork input_gradient(const OpArguments& a) { return convolution_backward(a.shape(1), {}, a.shape(2), a.element_bytes(1), 1, false); }
OpWork weight_gradient(const OpArguments& a)
{
    const Shape weight = parse_list(a.value(0));
    if (weight.empty())
        return gap(WorkGap::no_convolution_arguments);
    return convolution_backward(a.shape(1), a.shape(2), weight, a.element_bytes(1), 1, false);
}
template <std::size_t Q, bool HeadsFirst, bool Backward, int Causal, int Lengths, int Window> OpWork attention_at(const OpArguments& a)
{
    return attention_work(a, {Q, HeadsFirst, Backward, Causal, Lengths, Window});
}
OpWork packed(const OpArguments&) { return gap(WorkGap::data_dependent); }
// FlashAttention-3 keeps packed sequences, lengths in use and pages of a cache in the same operator as plain attention.
OpWork flash3_forward(const OpArguments& a)
{
    for (const std::size_t i : {7U, 8U, 10U, 11U, 14U}) // cu_seqlens_q, _k, seqused_q, _k, page_table
        if (!a.shape(i).empty())
            return gap(WorkGap::data_dependent);
    return attention_work(a, {0, false, false, 24, -1, 25});
}
OpWork flash3_backward(const OpArguments& a)
{
    for (const std::size_t i : {9U, 10U, 11U, 12U})
        if (!a.shape(i).empty())
            return gap(WorkGap::data_dependent);
    return attention_work(a, {1, false, true, 16, -1, 17});
}

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
    OpRule{"aten::addbmm", gemm, summed_product<1, 0>},
    OpRule{"aten::addbmm_", gemm, summed_product<1, 0>},
    OpRule{"aten::_int_mm", gemm, integer_product},
    OpRule{"aten::_scaled_mm", gemm, scaled_at<0, 6>},
    OpRule{"aten::_scaled_mm_v2", gemm, scaled_at<0, 9>},
    OpRule{"aten::linear", gemm, linear_work},
    OpRule{"aten::_weight_int8pack_mm", gemm, linear_work},
    OpRule{"vllm::rocm_unquantized_gemm", gemm, linear_work},
    OpRule{"_C::cutlass_scaled_mm", gemm, half_result_product<1>}, // (out, a, b, ...)
    OpRule{"_C::cutlass_scaled_mm_azp", gemm, half_result_product<1>},
    OpRule{"sgl_kernel::fp8_scaled_mm", gemm, half_result_product<0>},
    OpRule{"sgl_kernel::int8_scaled_mm", gemm, half_result_product<0>},
    OpRule{"aten::mv", gemm, vector_at<0>},
    OpRule{"aten::addmv", gemm, vector_at<1>},
    OpRule{"aten::addmv_", gemm, vector_at<1>},
    OpRule{"aten::dot", gemm, vector_at<0>},
    OpRule{"aten::vdot", gemm, vector_at<0>},
    OpRule{"aten::_grouped_mm", gemm, grouped_product},
    OpRule{"aten::_scaled_grouped_mm", gemm, grouped_product},
    OpRule{"aten::_scaled_grouped_mm_v2", gemm, grouped_product},
    OpRule{"aten::conv1d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::conv2d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::conv3d", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::conv_transpose1d", convolution, forward_at<0, 1, 3, 4, 7, always_transposed>},
    OpRule{"aten::conv_transpose2d", convolution, forward_at<0, 1, 3, 4, 7, always_transposed>},
    OpRule{"aten::conv_transpose3d", convolution, forward_at<0, 1, 3, 4, 7, always_transposed>},
    OpRule{"aten::convolution", convolution, forward_at<0, 1, 3, 4, 5, 6>},
    OpRule{"aten::_convolution", convolution, forward_at<0, 1, 3, 4, 5, 6>},
    OpRule{"aten::convolution_overrideable", convolution, forward_at<0, 1, 3, 4, 5, 6>},
    OpRule{"aten::cudnn_convolution", convolution, forward_at<0, 1, 3, 2, 4, 0>},
    OpRule{"aten::cudnn_convolution_relu", convolution, forward_at<0, 1, 3, 4, 5, 0>},
    OpRule{"aten::cudnn_convolution_add_relu", convolution, forward_at<0, 1, 5, 6, 7, 0>},
    OpRule{"aten::cudnn_convolution_transpose", convolution, forward_at<0, 1, 4, 2, 5, always_transposed>},
    OpRule{"aten::miopen_convolution", convolution, forward_at<0, 1, 4, 3, 5, 0>},
    OpRule{"aten::miopen_depthwise_convolution", convolution, forward_at<0, 1, 4, 3, 5, 0>},
    OpRule{"aten::miopen_convolution_transpose", convolution, forward_at<0, 1, 5, 3, 6, always_transposed>},
    OpRule{"aten::_conv_depthwise2d", convolution, forward_at<0, 1, 4, 5, 6, 0>},
    OpRule{"aten::conv_depthwise3d", convolution, forward_at<0, 1, 4, 5, 6, 0>},
    OpRule{"aten::convolution_backward", convolution, convolution_gradients},
    OpRule{"aten::cudnn_convolution_backward_input", convolution, input_gradient},
    OpRule{"aten::cudnn_convolution_backward_weight", convolution, weight_gradient},
    OpRule{"aten::miopen_convolution_backward_input", convolution, input_gradient},
    OpRule{"aten::miopen_convolution_backward_weight", convolution, weight_gradient},
    OpRule{"aten::scaled_dot_product_attention", attention, attention_at<0, true, false, 5, -1, -1>},
    OpRule{"aten::_scaled_dot_product_flash_attention", attention, attention_at<0, true, false, 4, -1, -1>},
    OpRule{"aten::_flash_attention_forward", attention, attention_at<0, false, false, 8, 3, 11>},
    OpRule{"aten::_scaled_dot_product_efficient_attention", attention, attention_at<0, true, false, 6, -1, -1>},
    OpRule{"aten::_efficient_attention_forward", attention, attention_at<0, false, false, 9, 4, -1>},
    OpRule{"aten::_scaled_dot_product_cudnn_attention", attention, attention_at<0, true, false, 6, -1, -1>},
    OpRule{"aten::_cudnn_attention_forward", attention, attention_at<0, true, false, 10, 4, -1>},
    OpRule{"aten::_scaled_dot_product_fused_attention_overrideable", attention, attention_at<0, true, false, 5, -1, -1>},
    OpRule{"aten::_scaled_dot_product_flash_attention_backward", attention, attention_at<1, true, true, 11, -1, -1>},
    OpRule{"aten::_flash_attention_backward", attention, attention_at<1, false, true, 11, 6, 15>},
    OpRule{"aten::_scaled_dot_product_efficient_attention_backward", attention, attention_at<1, true, true, 11, -1, -1>},
    OpRule{"aten::_efficient_attention_backward", attention, attention_at<1, false, true, 14, 6, -1>},
    OpRule{"aten::_scaled_dot_product_cudnn_attention_backward", attention, attention_at<1, true, true, 14, 9, -1>},
    OpRule{"aten::_cudnn_attention_backward", attention, attention_at<1, true, true, 14, 9, -1>},
    OpRule{"aten::_scaled_dot_product_fused_attention_overrideable_backward", attention, attention_at<1, true, true, 13, 8, -1>},
    OpRule{"flash_attn::_flash_attn_forward", attention, attention_at<0, false, false, 5, -1, 6>},
    OpRule{"flash_attn::_flash_attn_backward", attention, attention_at<1, false, true, 11, -1, 12>},
    OpRule{"flash_attn_3::fwd", attention, flash3_forward},
    OpRule{"flash_attn_3::bwd", attention, flash3_backward},
    OpRule{"flash_attn::_flash_attn_varlen_forward", attention, packed},
    OpRule{"flash_attn::_flash_attn_varlen_backward", attention, packed},
    // Serving engines pack the requests of a batch; their lengths are data.
    OpRule{"vllm::unified_attention", attention, packed},
    OpRule{"vllm::unified_attention_with_output", attention, packed},
    OpRule{"vllm::unified_mla_attention", attention, packed},
    OpRule{"vllm::unified_mla_attention_with_output", attention, packed},
    OpRule{"_vllm_fa2_C::varlen_fwd", attention, packed},
    OpRule{"_vllm_fa3_C::fwd", attention, packed},
    OpRule{"sgl_kernel::fwd", attention, packed},
    OpRule{"aten::embedding", KernelClass::elementwise, table_rows},
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

const OpRule* op_rule(std::string_view name)
{
    const auto* found = std::find_if(rules.begin(), rules.end(), [&](const OpRule& r) { return r.name == name; });
    return found == rules.end() ? nullptr : found;
}

KernelClass kernel_class_of(const OpRule& rule) { return rule.target; }

OpWork work_of(const OpRule& rule, std::string_view dims, std::string_view types, std::string_view concrete)
{
    dims.remove_prefix(std::min(dims.size(), dims.find_first_not_of(" \t\r\n")));
    if (dims.size() < 2 || dims.front() != '[')
        return gap(WorkGap::no_shapes);
    const OpArguments a(dims, types, concrete);
    if (a.types.empty())
        return gap(WorkGap::no_shapes);
    return rule.work(a);
}

} // namespace ridgepoint
