#pragma once
// A data base that somebody else wrote, opened to read tables and nothing else: immutable, no triggers, views or virtual
// tables, bounded in length of values and in steps, so that a hostile file costs no more than its size.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/trace/byte_source.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ridgepoint {

class SqliteFile {
public:
    // From the file itself if the source is one, else from its bytes in memory, up to 1 GiB. Errors: too large, not a
    // data base (damaged header), memory ran out.
    static Expected<std::unique_ptr<SqliteFile>> open(ByteSource& source, const std::string& file, const Progress& progress);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    // Ordinary tables only. Names as written; columns in lower case.
    [[nodiscard]] bool has(std::string_view table) const { return m_tables.contains(std::string(table)); }
    [[nodiscard]] const std::set<std::string>& tables() const { return m_tables; }
    std::set<std::string> columns(const std::string& table);

    // A row's values by position. Numbers of text that is none are absent.
    class Row {
    public:
        explicit Row(sqlite3_stmt* statement) : m_statement(statement) {}
        [[nodiscard]] bool is_null(int column) const;
        [[nodiscard]] bool is_text(int column) const;
        [[nodiscard]] std::optional<std::int64_t> whole(int column) const;
        [[nodiscard]] std::string_view text(int column) const; // valid until the next row

    private:
        sqlite3_stmt* m_statement;
    };
    // Calls for each row of the table; columns that it lacks are null. `visit` false: enough. Errors: the data base is
    // damaged, reading was cancelled, the bound of steps was reached; rows before were visited.
    Status each(const std::string& table, const std::vector<std::string>& wanted, const std::function<bool(const Row&)>& visit);
    // The value of another column where an integer column has this value; none if absent. For the primary key.
    std::optional<std::string> lookup(const std::string& table, const std::string& key_column, std::int64_t key, const std::string& value_column);

private:
    SqliteFile(const std::string& file, const Progress& progress) : m_file(file), m_progress(progress) {}
    Status prepare_reading();
    [[nodiscard]] Error damaged() const;
    static int check_steps(void* self);

    std::string m_file;
    const Progress& m_progress;
    std::string m_bytes; // of a data base in memory
    sqlite3* m_db = nullptr;
    sqlite3_stmt* m_lookup = nullptr;
    std::string m_lookup_text;
    std::set<std::string> m_tables;
    std::int64_t m_steps_left = 0;
};

} // namespace ridgepoint
