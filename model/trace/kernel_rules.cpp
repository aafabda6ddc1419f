#include "model/trace/kernel_rules.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/specs/store.h"

namespace ridgepoint {
namespace {

std::string lower(std::string_view text)
{
    std::string s(text);
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

bool contains(std::string_view name, std::string_view pattern)
{
    if (pattern.find('#') == std::string_view::npos)
        return name.find(pattern) != std::string_view::npos;
    const auto same = [](char n, char p) { return p == '#' ? n >= '0' && n <= '9' : n == p; };
    return std::search(name.begin(), name.end(), pattern.begin(), pattern.end(), same) != name.end();
}

template <typename E> std::optional<std::uint8_t> value_named(std::string_view name, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        if (name_of(static_cast<E>(i)) == name)
            return static_cast<std::uint8_t>(i);
    return std::nullopt;
}

} // namespace

struct KernelRuleReader {
    const nlohmann::json& root;
    const std::string& file;
    std::optional<Error> error{};

    void fail(const std::string& pointer, std::string message, std::string found = {}, std::string expected = {})
    {
        if (!error)
            error = bad_input(std::move(message), Place{file, 0, pointer}, std::move(found), std::move(expected));
    }

    std::vector<std::string> patterns(const nlohmann::json& rule, const char* key, const std::string& pointer)
    {
        std::vector<std::string> out;
        const auto found = rule.find(key);
        if (found == rule.end())
            return out;
        if (!found->is_array()) {
            fail(pointer + "/" + key, "patterns are a list of texts", found->dump());
            return out;
        }
        for (const auto& p : *found) {
            if (!p.is_string() || p.get_ref<const std::string&>().empty())
                fail(pointer + "/" + key, "a pattern is a text that is not empty", p.dump());
            else
                out.push_back(lower(p.get_ref<const std::string&>()));
        }
        return out;
    }

    template <typename E> std::vector<KernelRules::Rule> list(const char* name, const char* what, std::size_t values)
    {
        std::vector<KernelRules::Rule> out;
        const auto found = root.find(name);
        if (found == root.end())
            return out;
        if (!found->is_array()) {
            fail(std::string("/") + name, "must be a list of rules", found->type_name());
            return out;
        }
        for (std::size_t i = 0; i < found->size(); ++i) {
            const std::string pointer = fmt::format("/{}/{}", name, i);
            const auto& rule = (*found)[i];
            if (!rule.is_object() || !rule.contains(what) || !rule[what].is_string()) {
                fail(pointer, fmt::format("a rule is an object with \"{}\"", what));
                break;
            }
            const auto value = value_named<E>(rule[what].template get_ref<const std::string&>(), values);
            if (!value) {
                std::string known;
                for (std::size_t k = 0; k < values; ++k)
                    known += (k ? ", " : "") + std::string(name_of(static_cast<E>(k)));
                fail(pointer + "/" + what, fmt::format("there is no such {}", what), rule[what].dump(), "one of " + known);
                break;
            }
            KernelRules::Rule r{*value, patterns(rule, "any", pointer), patterns(rule, "all", pointer), patterns(rule, "none", pointer)};
            if (r.any.empty() && r.all.empty())
                fail(pointer, "a rule without \"any\" or \"all\" would match everything");
            out.push_back(std::move(r));
        }
        return out;
    }
};

Expected<KernelRules> KernelRules::read(std::string_view text, const std::string& file)
{
    nlohmann::json root;
    try {
        root = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& e) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(e.byte, text.size())), '\n');
        return bad_input("the kernel rules are not JSON", Place{file, static_cast<int>(line), {}});
    }
    if (!root.is_object())
        return bad_input("the kernel rules are a JSON object", Place{file, 1, {}});
    KernelRuleReader reader{root, file};
    KernelRules rules;
    rules.m_classes = reader.list<KernelClass>("rules", "class", kernel_class_count);
    rules.m_precisions = reader.list<KernelPrecision>("precisions", "precision", 9);
    rules.m_collectives = reader.list<CollectiveType>("collectives", "type", 9);
    if (reader.error)
        return *reader.error;
    return rules;
}

Expected<KernelRules> KernelRules::load(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        return io_error("the kernel rules cannot be read", file);
    return read(text.str(), file);
}

Expected<std::shared_ptr<const KernelRules>> KernelRules::load_default()
{
    using Result = Expected<std::shared_ptr<const KernelRules>>;
    static const Result once = []() -> Result {
        namespace fs = std::filesystem;
        auto rules = load((fs::path(find_builtin_specs()) / "trace" / "kernel_classes.json").string());
        if (!rules)
            return rules.error();
        const char* config = std::getenv("XDG_CONFIG_HOME");
        const char* home = std::getenv("HOME");
        const fs::path user = config && *config ? fs::path(config) : home && *home ? fs::path(home) / ".config" : fs::path();
        const fs::path own = user / "ridgepoint" / "specs" / "trace" / "kernel_classes.json";
        std::error_code ec;
        if (!user.empty() && fs::exists(own, ec)) {
            auto first = load(own.string());
            if (!first)
                return first.error();
            rules->put_before(std::move(*first));
        }
        return std::make_shared<const KernelRules>(std::move(*rules));
    }();
    return once;
}

Expected<std::shared_ptr<const KernelRules>> KernelRules::load_reference()
{
    using Result = Expected<std::shared_ptr<const KernelRules>>;
    static const Result once = []() -> Result {
        auto rules = load((std::filesystem::path(find_builtin_specs()) / "trace" / "reference_classes.json").string());
        if (!rules)
            return rules.error();
        return std::make_shared<const KernelRules>(std::move(*rules));
    }();
    return once;
}

void KernelRules::put_before(KernelRules first)
{
    const auto join = [](std::vector<Rule>& mine, std::vector<Rule>& theirs) {
        theirs.insert(theirs.end(), mine.begin(), mine.end());
        mine = std::move(theirs);
    };
    join(m_classes, first.m_classes);
    join(m_precisions, first.m_precisions);
    join(m_collectives, first.m_collectives);
}

int KernelRules::first_match(const std::vector<Rule>& rules, std::string_view name)
{
    const std::string text = lower(name);
    const auto in_name = [&](const std::string& pattern) { return contains(text, pattern); };
    for (const Rule& r : rules)
        if ((r.any.empty() || std::any_of(r.any.begin(), r.any.end(), in_name)) && std::all_of(r.all.begin(), r.all.end(), in_name)
            && std::none_of(r.none.begin(), r.none.end(), in_name))
            return r.value;
    return -1;
}

KernelClass KernelRules::kernel_class(std::string_view name) const
{
    const int v = first_match(m_classes, name);
    return v < 0 ? KernelClass::other : static_cast<KernelClass>(v);
}

KernelPrecision KernelRules::precision(std::string_view name) const
{
    const int v = first_match(m_precisions, name);
    return v < 0 ? KernelPrecision::unknown : static_cast<KernelPrecision>(v);
}

CollectiveType KernelRules::collective_type(std::string_view name) const
{
    const int v = first_match(m_collectives, name);
    return v < 0 ? CollectiveType::other : static_cast<CollectiveType>(v);
}

} // namespace ridgepoint
