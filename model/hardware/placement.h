#pragma once
// Where the ranks of one communication group sit. Derived from a layout by place_group (parallelism/), used by the
// collectives floor, which knows nothing of layouts.

namespace ridgepoint {

struct GroupPlacement {
    int ranks = 1;
    int domains = 1; // NVLink domains spanned; 1: everything goes over NVLink
    int ranks_per_domain = 1; // of this group in one NVLink domain
    int groups_per_domain = 1; // groups of the same kind that leave the domain at once and share its NICs
};

} // namespace ridgepoint
