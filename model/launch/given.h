#pragma once
// Options as they were given, typed by the table of their framework.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/launch/flag_table.h"
#include "model/launch/read.h"
#include "model/launch/shell.h"
#include "model/launch/toml.h"

namespace ridgepoint {

class Given {
public:
    Given(const FlagTable& table, std::string file)
        : m_table(table)
        , m_file(std::move(file))
    {
    }

    // Words after the program: "--name value", "--name=value", flags, short aliases. Options that the table lacks are noted
    // with what seem to be their values.
    Status take_words(const std::vector<ShellWord>& words, std::vector<std::string>& notes);
    Status take_toml(const std::vector<TomlEntry>& entries, std::vector<std::string>& notes);

    [[nodiscard]] bool has(std::string_view name) const { return m_values.contains(std::string(name)); }
    // The first mistake is kept; getters go on with a harmless value.
    int whole(std::string_view name, int otherwise, int minimum = 1);
    double number(std::string_view name, double otherwise);
    bool truth(std::string_view name, bool otherwise);
    [[nodiscard]] std::string text(std::string_view name, std::string otherwise = {}) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] const std::vector<std::string>& loose() const { return m_loose; } // words that belong to no option
    [[nodiscard]] Place place_of(std::string_view name) const;
    void fail(std::string_view name, std::string message, std::string found = {}, std::string expected = {});
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    struct Entry {
        std::vector<std::string> values;
        int line = 0;
        bool expands = false;
    };
    Status store(const FlagSpec& flag, Entry entry, std::vector<std::string>& notes);

    const FlagTable& m_table;
    std::string m_file;
    std::map<std::string, Entry> m_values;
    std::vector<std::string> m_loose;
    std::optional<Error> m_error;
};

// Each fills the layout, workload, precision and assumptions of a plan whose kind of workload is set.
struct ReadState {
    Plan& plan;
    Given& given;
    const SpecStore& specs;
    std::vector<std::string>& notes;
    int gpus = 0; // that the text tells of; 0: none
};
Status read_megatron(ReadState& s, const std::string& model);
Status read_torchtitan(ReadState& s, const FlagTable& table, const std::string& model);
Status read_vllm(ReadState& s, const std::string& model);
Status read_sglang(ReadState& s, const std::string& model);
Status read_tensorrt(ReadState& s, const std::string& model);

} // namespace ridgepoint
