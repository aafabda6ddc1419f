#include "model/launch/given.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "model/launch/arguments.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_notes = 100;

std::string shortened(const std::string& text) { return text.size() > 60 ? text.substr(0, 57) + "..." : text; }
bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 && word[1] != '.'; }

void note(std::vector<std::string>& notes, std::string text)
{
    if (notes.size() < most_notes)
        notes.push_back(std::move(text));
}

} // namespace

Status Given::take_words(const std::vector<ShellWord>& words, std::vector<std::string>& notes)
{
    for (std::size_t i = 0; i < words.size();) {
        const ShellWord& word = words[i++];
        if (!is_option(word.text)) {
            m_loose.push_back(word.text);
            continue;
        }
        const std::size_t equals = word.text.starts_with("--") ? word.text.find('=') : std::string::npos;
        const std::string name = word.text.substr(0, equals);
        const FlagSpec* flag = m_table.find(name);
        Entry e;
        e.line = word.line;
        e.expands = word.expands;
        if (equals != std::string::npos)
            e.values.push_back(word.text.substr(equals + 1));
        const bool takes = !flag || flag->type != FlagType::flag;
        const std::size_t most = !takes || equals != std::string::npos ? 0 : !flag || flag->many ? words.size() : 1;
        while (e.values.size() < most && i < words.size() && !is_option(words[i].text)) {
            e.values.push_back(words[i].text);
            e.expands = e.expands || words[i++].expands;
        }
        if (!flag) {
            note(notes, fmt::format("{} (line {}) is not in the table of {} and was left out", shortened(name), word.line, m_table.title));
            continue;
        }
        if (Status s = store(*flag, std::move(e), notes); !s)
            return s;
    }
    return Done{};
}

Status Given::take_toml(const std::vector<TomlEntry>& entries, std::vector<std::string>& notes)
{
    for (const TomlEntry& t : entries) {
        const FlagSpec* flag = m_table.find(t.key);
        if (!flag) {
            note(notes, fmt::format("{} (line {}) is not in the table of {} and was left out", shortened(t.key), t.line, m_table.title));
            continue;
        }
        if (t.array && !flag->many)
            return bad_input("a list where one value belongs", Place{m_file, t.line, t.key});
        if (Status s = store(*flag, {t.values, t.line, false}, notes); !s)
            return s;
    }
    return Done{};
}

Status Given::store(const FlagSpec& flag, Entry entry, std::vector<std::string>& notes)
{
    const Place place{m_file, entry.line, flag.name};
    if (flag.type == FlagType::flag && !entry.values.empty())
        return bad_input("the option takes no value", place, shortened(entry.values.front()));
    if (flag.type != FlagType::flag && entry.values.empty() && !flag.many)
        return bad_input("the option lacks its value", place, {}, flag.meaning);
    if (!entry.expands)
        for (const std::string& v : entry.values)
            if (flag.type != FlagType::flag)
                if (const auto wrong = wrong_value(flag, v))
                    return bad_input(fmt::format("the value {}", *wrong), place, shortened(v));
    if (m_values.contains(flag.name))
        note(notes, fmt::format("{} is given twice; the last counts", flag.name));
    m_values[flag.name] = std::move(entry);
    return Done{};
}

Place Given::place_of(std::string_view name) const
{
    const auto it = m_values.find(std::string(name));
    return Place{m_file, it == m_values.end() ? 0 : it->second.line, std::string(name)};
}

void Given::fail(std::string_view name, std::string message, std::string found, std::string expected)
{
    if (!m_error)
        m_error = bad_input(std::move(message), place_of(name), std::move(found), std::move(expected));
}

int Given::whole(std::string_view name, int otherwise, int minimum)
{
    constexpr int most = 100'000'000;
    const auto it = m_values.find(std::string(name));
    if (it == m_values.end() || it->second.values.empty())
        return otherwise;
    const std::string& text = it->second.values.front();
    int n = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (ec == std::errc() && end == text.data() + text.size() && n >= minimum && n <= most)
        return n;
    fail(name, it->second.expands ? "the value is a shell expression, which is not evaluated" : "the value is out of range", shortened(text),
        fmt::format("a whole number from {} to {}", minimum, most));
    return otherwise;
}

double Given::number(std::string_view name, double otherwise)
{
    const auto it = m_values.find(std::string(name));
    if (it == m_values.end() || it->second.values.empty())
        return otherwise;
    const std::string& text = it->second.values.front();
    double x = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (ec == std::errc() && end == text.data() + text.size() && std::isfinite(x))
        return x;
    fail(name, "the value is no number", shortened(text));
    return otherwise;
}

bool Given::truth(std::string_view name, bool otherwise) { return has(name) ? text(name) != "false" : otherwise; }

std::string Given::text(std::string_view name, std::string otherwise) const
{
    const auto it = m_values.find(std::string(name));
    return it == m_values.end() || it->second.values.empty() || it->second.expands ? otherwise : it->second.values.front();
}

std::vector<std::string> Given::texts(std::string_view name) const
{
    const auto it = m_values.find(std::string(name));
    return it == m_values.end() ? std::vector<std::string>{} : it->second.values;
}

} // namespace ridgepoint
