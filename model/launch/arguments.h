#pragma once
// What a plan says in the words of one framework, and what it could not say.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/launch/flag_table.h"

namespace ridgepoint {

// An option with its values. Where `variable` is set, the value is known only to who starts the job: the text names a shell
// variable that the script asks for.
struct Argument {
    std::string name;
    std::vector<std::string> values; // none: a flag
    bool variable = false;

    bool operator==(const Argument&) const = default;
};

// A feature of the plan that the framework (in this version) has no option for. Nothing is dropped without one of these.
struct NotExpressed {
    std::string field; // of the plan: "/layout/schedule"
    std::string what; // "DualPipe"
    std::string instead; // what was done

    bool operator==(const NotExpressed&) const = default;
};

class Arguments {
public:
    void flag(std::string name) { m_items.push_back({std::move(name), {}, false}); }
    void flag(std::string name, bool wanted)
    {
        if (wanted)
            flag(std::move(name));
    }
    void value(std::string name, std::string text) { m_items.push_back({std::move(name), {std::move(text)}, false}); }
    void value(std::string name, const char* text) { value(std::move(name), std::string(text)); }
    void value(std::string name, long long number) { value(std::move(name), std::to_string(number)); }
    void value(std::string name, int number) { value(std::move(name), static_cast<long long>(number)); }
    void value(std::string name, double number);
    void truth(std::string name, bool on) { value(std::move(name), on ? "true" : "false"); } // boolean options
    void values(std::string name, std::vector<std::string> list) { m_items.push_back({std::move(name), std::move(list), false}); }
    void variable(std::string name, std::string shell_name) { m_items.push_back({std::move(name), {std::move(shell_name)}, true}); }
    void lacks(std::string field, std::string what, std::string instead) { m_missing.push_back({std::move(field), std::move(what), std::move(instead)}); }

    [[nodiscard]] const std::vector<Argument>& items() const { return m_items; }
    [[nodiscard]] const std::vector<NotExpressed>& missing() const { return m_missing; }
    [[nodiscard]] const Argument* find(std::string_view name) const;
    void append(const Arguments& other);

private:
    std::vector<Argument> m_items;
    std::vector<NotExpressed> m_missing;
};

// That every argument stands in the table with an allowed value; the first that does not is an error (of this program: the
// table and the generator disagree).
std::optional<std::string> first_unknown(const std::vector<Argument>& arguments, const FlagTable& table);
// One value against its type; what is wrong with it, or nothing.
std::optional<std::string> wrong_value(const FlagSpec& flag, std::string_view value);

} // namespace ridgepoint
