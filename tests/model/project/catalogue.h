#pragma once
// The repository's own catalogue, loaded once.

#include <gtest/gtest.h>

#include "model/specs/store.h"

namespace ridgepoint {

inline const SpecStore& catalogue()
{
    static const SpecStore specs = [] {
        Expected<SpecStore> s = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
        if (!s)
            ADD_FAILURE() << s.error().text();
        return s ? *s : SpecStore();
    }();
    return specs;
}

inline std::string example_file(const std::string& name) { return std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/examples/" + name + ".ridgepoint"; }

} // namespace ridgepoint
