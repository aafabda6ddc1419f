#pragma once
// What a trace records of an operator's arguments: shapes, element types and concrete values, as text.

#include <string_view>
#include <vector>

namespace ridgepoint {

using Shape = std::vector<double>; // doubles: products of hostile dimensions must not overflow

struct OpArguments {
    std::vector<Shape> shapes; // one per argument; empty for scalars, lists and absent tensors
    std::vector<std::string_view> types;
    std::vector<std::string_view> values;

    // [[64, 128], [128, 32]], ["float", "float"], ["", "True"]; the texts must outlive the arguments.
    OpArguments(std::string_view dims, std::string_view type_names, std::string_view concrete);

    [[nodiscard]] const Shape& shape(std::size_t i) const;
    [[nodiscard]] double element_bytes(std::size_t i) const; // 0: unknown
    [[nodiscard]] std::string_view value(std::size_t i) const { return i < values.size() ? values[i] : std::string_view{}; }
};

double product(const Shape& s, std::size_t from = 0);
// "[2, 2]" to numbers.
Shape parse_list(std::string_view s);

// Sizes of PyTorch scalar types in bytes: "c10::BFloat16" and "BFloat16" are both 2. 0: unknown.
double bytes_of_dtype(std::string_view name);
// The same by the number with which concrete arguments name a type [c10/core/ScalarType.h].
double bytes_of_scalar_type(std::string_view number);

} // namespace ridgepoint
