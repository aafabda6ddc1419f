#include "model/trace/sqlite_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <sqlite3.h>

namespace ridgepoint {
namespace {

constexpr std::size_t largest_in_memory = std::size_t{1} << 30;
constexpr int longest_value = 16 << 20;
constexpr int steps_between_checks = 10'000;

std::string quoted(const std::string& name)
{
    std::string out = "\"";
    for (const char c : name)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + '"';
}

// A path as a URI [https://sqlite.org/uri.html]: what is not plain is percent-encoded.
std::string uri_of(const std::string& path)
{
    std::string out = "file:";
    for (const char c : std::filesystem::absolute(path).generic_string()) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '_' || c == '-' || c == ':';
        out += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
    return out + "?mode=ro&immutable=1";
}

struct EndStatement {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

} // namespace

bool SqliteFile::Row::is_null(int column) const { return sqlite3_column_type(m_statement, column) == SQLITE_NULL; }
bool SqliteFile::Row::is_text(int column) const { return sqlite3_column_type(m_statement, column) == SQLITE_TEXT; }

std::optional<std::int64_t> SqliteFile::Row::whole(int column) const
{
    if (sqlite3_column_type(m_statement, column) == SQLITE_INTEGER)
        return sqlite3_column_int64(m_statement, column);
    return std::nullopt;
}

std::string_view SqliteFile::Row::text(int column) const
{
    const auto* chars = sqlite3_column_text(m_statement, column);
    return chars ? std::string_view(reinterpret_cast<const char*>(chars), static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string_view();
}

Expected<std::unique_ptr<SqliteFile>> SqliteFile::open(ByteSource& source, const std::string& file, const Progress& progress)
{
    std::unique_ptr<SqliteFile> out(new SqliteFile(file, progress));
    constexpr int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    std::uint64_t size = 0;
    if (const std::string path = source.plain_file(); !path.empty()) {
        if (sqlite3_open_v2(uri_of(path).c_str(), &out->m_db, flags | SQLITE_OPEN_URI, nullptr) != SQLITE_OK)
            return out->damaged();
        std::error_code ec;
        size = std::filesystem::file_size(path, ec);
    } else {
        std::string& bytes = out->m_bytes;
        constexpr std::size_t window = std::size_t{1} << 20;
        for (std::size_t got = window; got > 0;) {
            const std::size_t before = bytes.size();
            if (before > largest_in_memory)
                return bad_input("a packed data base of more than 1 GiB", Place{file, 0, {}}, {}, "the data base unpacked: it is then read from disk");
            if (progress.stopped())
                return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
            bytes.resize(before + window);
            got = source.read(bytes.data() + before, window);
            bytes.resize(before + got);
        }
        // A data base in write-ahead mode is read as it stands; one in memory cannot have the other file beside it.
        if (bytes.size() > 19 && bytes[18] == 2)
            bytes[18] = bytes[19] = 1;
        size = bytes.size();
        if (sqlite3_open_v2(":memory:", &out->m_db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY, nullptr) != SQLITE_OK
            || sqlite3_deserialize(out->m_db, "main", reinterpret_cast<unsigned char*>(bytes.data()), static_cast<sqlite3_int64>(bytes.size()),
                   static_cast<sqlite3_int64>(bytes.size()), SQLITE_DESERIALIZE_READONLY)
                != SQLITE_OK)
            return out->damaged();
    }
    // Reading a row takes some tens of steps and every row takes bytes: a sound file is far below this bound.
    out->m_steps_left = static_cast<std::int64_t>(std::min<std::uint64_t>(size, std::uint64_t{1} << 40)) * 16 + 10'000'000;
    if (const Status ready = out->prepare_reading(); !ready)
        return ready.error();
    return out;
}

SqliteFile::~SqliteFile()
{
    sqlite3_finalize(m_lookup);
    sqlite3_close(m_db);
}

Error SqliteFile::damaged() const
{
    if (m_progress.stopped())
        return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
    if (m_steps_left <= 0)
        return bad_input("the SQLite data base is built so that reading it does not end", Place{m_file, 0, {}}, {}, "a data base that Nsight Systems exported");
    return bad_input(fmt::format("the SQLite data base cannot be read ({})", m_db ? sqlite3_errmsg(m_db) : "memory ran out"), Place{m_file, 0, {}}, {},
        "a complete data base: `nsys export --type sqlite` makes it anew from the report");
}

int SqliteFile::check_steps(void* self)
{
    auto* db = static_cast<SqliteFile*>(self);
    db->m_steps_left -= steps_between_checks;
    return db->m_steps_left <= 0 || db->m_progress.stopped() ? 1 : 0;
}

Status SqliteFile::prepare_reading()
{
    sqlite3_db_config(m_db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(m_db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(m_db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(m_db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(m_db, SQLITE_LIMIT_LENGTH, longest_value);
    sqlite3_limit(m_db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(m_db, SQLITE_LIMIT_EXPR_DEPTH, 50);
    sqlite3_progress_handler(m_db, steps_between_checks, check_steps, this);
    sqlite3_exec(m_db, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
    // rootpage 0: a virtual table, whose code we do not want to run.
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(m_db, "SELECT name FROM sqlite_master WHERE type='table' AND rootpage>0", -1, &raw, nullptr) != SQLITE_OK)
        return damaged();
    const Statement statement(raw);
    int rc = SQLITE_ROW;
    while ((rc = sqlite3_step(raw)) == SQLITE_ROW && m_tables.size() < 10'000)
        m_tables.insert(std::string(Row(raw).text(0)));
    if (rc != SQLITE_DONE && rc != SQLITE_ROW)
        return damaged();
    return Done{};
}

std::set<std::string> SqliteFile::columns(const std::string& table)
{
    std::set<std::string> out;
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(m_db, fmt::format("PRAGMA table_info({})", quoted(table)).c_str(), -1, &raw, nullptr) != SQLITE_OK)
        return out;
    const Statement statement(raw);
    while (sqlite3_step(raw) == SQLITE_ROW) {
        std::string name(Row(raw).text(1));
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        out.insert(std::move(name));
    }
    return out;
}

Status SqliteFile::each(const std::string& table, const std::vector<std::string>& wanted, const std::function<bool(const Row&)>& visit)
{
    const std::set<std::string> there = columns(table);
    std::string list;
    for (const std::string& w : wanted) {
        std::string lower = w;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        list += (list.empty() ? "" : ", ") + (there.contains(lower) ? quoted(w) : std::string("NULL"));
    }
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(m_db, fmt::format("SELECT {} FROM {}", list, quoted(table)).c_str(), -1, &raw, nullptr) != SQLITE_OK)
        return damaged();
    const Statement statement(raw);
    for (;;) {
        const int rc = sqlite3_step(raw);
        if (rc == SQLITE_DONE)
            return Done{};
        if (rc != SQLITE_ROW)
            return damaged();
        if (!visit(Row(raw)))
            return Done{};
    }
}

std::optional<std::string> SqliteFile::lookup(const std::string& table, const std::string& key_column, std::int64_t key, const std::string& value_column)
{
    const std::string text = fmt::format("SELECT {} FROM {} WHERE {}=?1 LIMIT 1", quoted(value_column), quoted(table), quoted(key_column));
    if (text != m_lookup_text) {
        sqlite3_finalize(m_lookup);
        m_lookup = nullptr;
        m_lookup_text = text;
        if (sqlite3_prepare_v2(m_db, text.c_str(), -1, &m_lookup, nullptr) != SQLITE_OK)
            return std::nullopt;
    }
    if (!m_lookup)
        return std::nullopt;
    sqlite3_reset(m_lookup);
    sqlite3_bind_int64(m_lookup, 1, key);
    if (sqlite3_step(m_lookup) != SQLITE_ROW || Row(m_lookup).is_null(0))
        return std::nullopt;
    return std::string(Row(m_lookup).text(0));
}

} // namespace ridgepoint
