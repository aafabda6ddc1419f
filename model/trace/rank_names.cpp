#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>

#include "model/trace/ranks.h"

namespace ridgepoint {
namespace {

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::optional<int> number_at(std::string_view s, std::size_t at)
{
    int value = 0;
    const auto r = std::from_chars(s.data() + std::min(at, s.size()), s.data() + s.size(), value);
    if (r.ec != std::errc{} || r.ptr == s.data() + at || s[at] == '-')
        return std::nullopt;
    return value;
}

// The word, perhaps a separator, a number; not inside a longer word.
std::optional<int> number_behind(std::string_view s, std::string_view word)
{
    for (std::size_t at = s.find(word); at != std::string_view::npos; at = s.find(word, at + 1)) {
        if (at > 0 && (letter(s[at - 1]) || s.substr(0, at).ends_with("local_") || s.substr(0, at).ends_with("local-")))
            continue; // the rank within a node is not the job's
        std::size_t number = at + word.size();
        const bool separated = number < s.size() && (s[number] == '-' || s[number] == '_' || s[number] == '=' || s[number] == ' ');
        if (const auto value = number_at(s, number + separated))
            return value;
    }
    return std::nullopt;
}

// _r3 between separators.
std::optional<int> short_rank(std::string_view s)
{
    for (std::size_t at = 1; at + 1 < s.size(); ++at) {
        if (s[at] != 'r' || digit(s[at - 1]) || letter(s[at - 1]) || !digit(s[at + 1]))
            continue;
        std::size_t end = at + 1;
        while (end < s.size() && digit(s[end]))
            ++end;
        if (end == s.size() || (!letter(s[end]) && !digit(s[end])))
            return number_at(s, at + 1);
    }
    return std::nullopt;
}

std::optional<int> rank_in_part(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view word : {"rank", "worker"})
        if (const auto value = number_behind(name, word))
            return value;
    return short_rank(name);
}

} // namespace

std::string_view name_of(RankSource s)
{
    static constexpr std::array<std::string_view, 3> names{"the file", "the file's name", "the order of the files"};
    return names[static_cast<std::size_t>(s)];
}

std::optional<int> rank_in_name(std::string_view file)
{
    const std::filesystem::path path(file);
    if (const auto own = rank_in_part(path.filename().string()))
        return own;
    return rank_in_part(path.parent_path().filename().string());
}

} // namespace ridgepoint
