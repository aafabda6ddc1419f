#pragma once
// The arithmetic of operators from their arguments: formulas alone, wherever an operator keeps its arguments.

#include "model/trace/op_arguments.h"
#include "model/trace/op_work.h"

namespace ridgepoint {

constexpr OpWork gap(WorkGap g) { return {{}, g, {}}; }

// Two matrices, or two batches of them, at `left` and behind it; an addend that is read as well (-1: none). `out`: bytes of
// a result's element (0: as the left one). `summed`: over the batch, one matrix results.
OpWork matrix_product(const OpArguments& a, std::size_t left, int addend, double out = 0, bool summed = false);
// x [..., k] at 0, weight [n, k] at 1, perhaps a bias at 2.
OpWork linear_work(const OpArguments& a);
OpWork vector_product(const OpArguments& a, std::size_t left);
// Rows of a table [v, d] at 0, chosen by the indices at 1: no arithmetic. At most all rows are read.
OpWork table_rows(const OpArguments& a);

// Where stride, padding, dilation and transposed stand among the arguments.
struct ConvolutionPlaces {
    std::size_t input, weight, stride, padding, dilation, transposed; // transposed: 0 never, always_transposed
};
inline constexpr std::size_t always_transposed = 99;
OpWork convolution_forward(const OpArguments& a, const ConvolutionPlaces& at);
// Gradients of input and weight, each as much as the forward pass; `gradients`: how many of the two.
OpWork convolution_backward(const Shape& gradient, const Shape& input, const Shape& weight, double element_bytes, double gradients, bool transposed);

// Query, key and value at `q`, laid out [B, H, S, D] or [B, S, H, D].
struct AttentionPlaces {
    std::size_t q;
    bool heads_first;
    bool backward;
    int causal; // argument that says so
    int lengths; // argument of the packed sequences' offsets, whose values are not recorded; -1: none
    int window; // argument of the left window, -1 inside it for none; -1: none
};
OpWork attention_work(const OpArguments& a, const AttentionPlaces& at);

} // namespace ridgepoint
