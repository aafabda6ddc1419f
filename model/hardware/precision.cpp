#include "model/hardware/precision.h"

namespace ridgepoint {
namespace {
constexpr std::array<std::string_view, arithmetic_count> arithmetic_names = {"fp64", "fp32", "tf32", "bf16", "fp8", "fp6", "fp4", "int8"};
constexpr std::array<std::string_view, number_format_count> format_names
    = {"fp32", "bf16", "fp8", "fp8_block", "mxfp8", "int8", "int4", "mxfp4", "nvfp4"};
constexpr std::array<double, number_format_count> format_bytes
    = {4.0, 2.0, 1.0, 1.0 + 4.0 / 16384.0, 1.0 + 1.0 / 32.0, 1.0, 0.5 + 4.0 / 128.0, 17.0 / 32.0, 9.0 / 16.0};

template <typename Enum, std::size_t N>
std::optional<Enum> find(const std::array<std::string_view, N>& names, std::string_view name)
{
    for (std::size_t i = 0; i < N; ++i)
        if (names[i] == name)
            return static_cast<Enum>(i);
    return std::nullopt;
}
} // namespace

std::string_view name_of(Arithmetic a) { return arithmetic_names[static_cast<std::size_t>(a)]; }
std::optional<Arithmetic> parse_arithmetic(std::string_view name)
{
    return name == "fp16" ? Arithmetic::bf16 : find<Arithmetic>(arithmetic_names, name);
}
double bytes_per_element(NumberFormat f) { return format_bytes[static_cast<std::size_t>(f)]; }
std::string_view name_of(NumberFormat f) { return format_names[static_cast<std::size_t>(f)]; }
std::optional<NumberFormat> parse_number_format(std::string_view name)
{
    return name == "fp16" ? NumberFormat::bf16 : find<NumberFormat>(format_names, name);
}

} // namespace ridgepoint
