#pragma once
// Results with a row, or an object, per size and column: rccl-tests -Z json and csv, and the summaries that people make of
// many runs ("Nodes,GPUs,size(MB),out busbw(GB/s)"; "test,N,G,avg_bus_bw_GBs,peak_busbw_GBs").

#include <string>
#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_rccl_json(std::string_view text); // an object a line, or an array of them
Expected<Measured> read_rccl_json(std::string_view text, const std::string& file);

bool is_collective_csv(std::string_view text); // a header with a bus bandwidth in its first lines
Expected<Measured> read_collective_csv(std::string_view text, const std::string& file);

} // namespace ridgepoint
