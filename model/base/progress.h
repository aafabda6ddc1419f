#pragma once
// Long work reports how far it is and looks whether it should stop. Both are optional for the caller.

#include <functional>
#include <stop_token>

namespace ridgepoint {

struct Progress {
    std::function<void(double fraction)> report; // 0 to 1, called from the working thread; may be empty
    std::stop_token stop; // default-constructed: never stops

    void at(double fraction) const
    {
        if (report)
            report(fraction);
    }
    [[nodiscard]] bool stopped() const { return stop.stop_requested(); }
};

} // namespace ridgepoint
