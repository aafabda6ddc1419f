#pragma once
// A shard of a search on disk: which points it kept, by number. Estimates are not stored; reading computes them again from
// the same plan and space, so that a merged result equals the unsharded one to the last bit.

#include <string>
#include <string_view>

#include "model/search/search.h"

namespace ridgepoint {

std::string shard_text(const SearchResult& result, const SearchProblem& problem, const SearchOptions& options);

struct Shard {
    std::uint64_t number = 0, of = 1;
    SearchResult result;
};
// Errors: not a shard file, or one of another plan, space or options (with what differs).
Expected<Shard> read_shard(std::string_view text, const std::string& file, const SearchProblem& problem, const SearchOptions& options);

} // namespace ridgepoint
