#pragma once
// Kernel names to classes: an ordered list of patterns in specs/trace/kernel_classes.json, first hit wins. A user's own
// file of the same form in the user's specs folder is looked at first.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

class KernelRules {
public:
    // Errors are located in the text: no JSON, unknown class, a rule without patterns.
    static Expected<KernelRules> read(std::string_view json, const std::string& file);
    static Expected<KernelRules> load(const std::string& file);
    // The built-in rules with the user's before them. Read once; later calls return the same.
    static Expected<std::shared_ptr<const KernelRules>> load_default();
    // The plainer rules of the published reference facts (see facts.h).
    static Expected<std::shared_ptr<const KernelRules>> load_reference();

    [[nodiscard]] KernelClass kernel_class(std::string_view name) const; // `other` if no rule matches
    [[nodiscard]] KernelPrecision precision(std::string_view name) const;
    // From a recorded collective name ("_allgather_base") or a kernel's ("ncclDevKernel_AllGather_RING_LL").
    [[nodiscard]] CollectiveType collective_type(std::string_view name) const;

    void put_before(KernelRules first); // the other's rules come first

private:
    // Lower case; '#' stands for a digit. A name matches if it has any of `any`, all of `all` and none of `none`.
    struct Rule {
        std::uint8_t value = 0; // of the enumeration that the list is about
        std::vector<std::string> any, all, none;
    };
    [[nodiscard]] static int first_match(const std::vector<Rule>& rules, std::string_view name);

    std::vector<Rule> m_classes, m_precisions, m_collectives;
    friend struct KernelRuleReader;
};

} // namespace ridgepoint
