#pragma once
// Two different things are called "precision": the arithmetic a tensor core does (which peak applies) and the format in
// which numbers are stored (how many bytes move). They are separate types here.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ridgepoint {

// Row of the peak table of an accelerator. fp4 is NVFP4/MXFP4 on Blackwell; bf16 and fp16 have the same peak.
enum class Arithmetic : unsigned char { fp64, fp32, tf32, bf16, fp8, fp6, fp4, int8 };
inline constexpr std::size_t arithmetic_count = 8;

std::string_view name_of(Arithmetic a); // "bf16"
std::optional<Arithmetic> parse_arithmetic(std::string_view name);

// Storage formats, block scales included in bytes_per_element().
enum class NumberFormat : unsigned char {
    fp32,
    bf16, // and fp16
    fp8, // one scale per tensor
    fp8_block, // 128x128 blocks of weights, fp32 scale: 1 + 4/16384 bytes
    mxfp8, // 32-element blocks, 1-byte scale: 1 + 1/32
    int8,
    int4, // groups of 128, bf16 scale + zero point: 0.5 + 4/128
    mxfp4, // 32-element blocks, 1-byte scale: 17/32 [OCP MX 1.0]
    nvfp4, // 16-element blocks, 1-byte scale: 9/16
};
inline constexpr std::size_t number_format_count = 9;

double bytes_per_element(NumberFormat f);
std::string_view name_of(NumberFormat f); // "fp8_block"
std::optional<NumberFormat> parse_number_format(std::string_view name);

} // namespace ridgepoint
