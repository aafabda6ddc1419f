#include "model/specs/nearest.h"

#include <algorithm>
#include <utility>

namespace ridgepoint {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lowered(std::string_view text)
{
    std::string out(text.substr(0, 128)); // ids are short; longer text is nobody's typing error
    std::transform(out.begin(), out.end(), out.begin(), lower);
    return out;
}

} // namespace

int edit_distance(std::string_view a_text, std::string_view b_text)
{
    const std::string a = lowered(a_text);
    const std::string b = lowered(b_text);
    std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, now);
    }
    return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, const std::vector<std::string>& known, std::size_t count)
{
    const std::string low = lowered(wanted);
    std::vector<std::pair<int, std::string>> ranked;
    for (const std::string& name : known) {
        const std::string candidate = lowered(name);
        int distance = edit_distance(low, candidate);
        // "p5en" means "p5en.48xlarge": what is typed whole counts more than what is left out.
        if (!low.empty() && candidate.find(low) != std::string::npos)
            distance = std::min(distance, 1);
        if (distance <= std::max<int>(2, static_cast<int>(std::max(low.size(), candidate.size()) / 2)))
            ranked.emplace_back(distance, name);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> out;
    for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
        out.push_back(ranked[i].second);
    return out;
}

} // namespace ridgepoint
