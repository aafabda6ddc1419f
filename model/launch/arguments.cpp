#include "model/launch/arguments.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridgepoint {

void Arguments::value(std::string name, double number) { value(std::move(name), fmt::format("{:.10g}", number)); }

const Argument* Arguments::find(std::string_view name) const
{
    const auto it = std::ranges::find_if(m_items, [&](const Argument& a) { return a.name == name; });
    return it == m_items.end() ? nullptr : &*it;
}

void Arguments::append(const Arguments& other)
{
    m_items.insert(m_items.end(), other.m_items.begin(), other.m_items.end());
    m_missing.insert(m_missing.end(), other.m_missing.begin(), other.m_missing.end());
}

std::optional<std::string> wrong_value(const FlagSpec& flag, std::string_view value)
{
    const bool listed = std::ranges::find(flag.allowed, value) != flag.allowed.end();
    const auto whole_number = [&](auto& out) {
        const auto [end, ec] = std::from_chars(value.data(), value.data() + value.size(), out);
        return ec == std::errc() && end == value.data() + value.size();
    };
    switch (flag.type) {
    case FlagType::flag:
        return "takes no value";
    case FlagType::boolean:
        return value == "true" || value == "false" ? std::nullopt : std::optional<std::string>("is true or false");
    case FlagType::whole: {
        long long n = 0;
        if (!whole_number(n) || static_cast<double>(n) < flag.minimum || n > 1'000'000'000'000LL)
            return fmt::format("is a whole number of at least {}", flag.minimum);
        return std::nullopt;
    }
    case FlagType::number: {
        double x = 0;
        return whole_number(x) ? std::nullopt : std::optional<std::string>("is a number");
    }
    case FlagType::text:
    case FlagType::choice:
        break;
    }
    if (flag.allowed.empty() || listed)
        return std::nullopt;
    return fmt::format("is one of {}", fmt::join(flag.allowed, ", "));
}

std::optional<std::string> first_unknown(const std::vector<Argument>& arguments, const FlagTable& table)
{
    for (const Argument& a : arguments) {
        const FlagSpec* f = table.find(a.name);
        if (!f)
            return fmt::format("{} is not in the table of {} {}", a.name, table.title, table.version);
        if (f->type == FlagType::flag && a.values.empty())
            continue;
        if (a.values.empty() || (a.values.size() > 1 && !f->many))
            return fmt::format("{} takes {}", a.name, f->many ? "values" : "one value");
        if (a.variable)
            continue;
        for (const std::string& v : a.values)
            if (const auto wrong = wrong_value(*f, v))
                return fmt::format("{} {}, not {}", a.name, *wrong, v);
    }
    return std::nullopt;
}

} // namespace ridgepoint
