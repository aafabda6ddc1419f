#include "model/measured/collectives/text_table.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/measured/collectives/inline_json.h"
#include "model/measured/collectives/log_lines.h"
#include "model/measured/collectives/sweeps.h"
#include "model/measured/collectives/table_row.h"
#include "model/measured/delimited_text.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_rows = 5'000'000;
constexpr std::size_t most_devices = 1'000'000;
constexpr std::size_t most_streams = 100'000; // more processes than that are read as one

// One process's output: the tags of a launcher keep those that are printed at the same time apart.
struct Stream {
    TableLayout layout;
    std::string stated_test; // "Collective test starting"
    struct Group { // of NCCL_TESTS_SPLIT; each runs for itself, and the figures are those of the first
        std::set<std::int64_t> ranks;
        std::set<std::string> hosts;
    };
    std::map<std::int64_t, Group> groups;
    std::optional<std::int64_t> first_group;
    bool devices_cut = false;
    std::optional<CollectiveSweep> open;
    std::optional<CollectiveRow> pending; // its figures are to come
    bool half = false; // the last row's second group of figures is to come

    void forget_devices()
    {
        groups.clear();
        first_group.reset();
        devices_cut = false;
    }
};

// "all_reduce_perf" in a command line; the longest name of the word that ends in _perf.
std::string test_in_command(std::string_view line)
{
    const auto at = line.find("_perf");
    if (at == std::string_view::npos || at > 4096)
        return {};
    std::size_t start = at;
    while (start > 0 && (std::isalnum(static_cast<unsigned char>(line[start - 1])) != 0 || line[start - 1] == '_'))
        --start;
    const std::string name(line.substr(start, at + 5 - start));
    return collective_type_of(name) == CollectiveType::other && name != "gather_perf" && name != "scatter_perf" && name != "hypercube_perf" ? std::string() : name;
}

std::string_view value_behind(std::string_view line, std::string_view key)
{
    const auto at = line.find(key);
    return at == std::string_view::npos ? std::string_view() : trimmed(line.substr(at + key.size()));
}

// 22902 -> "2.29.2", 2406 -> "2.4.6": ncclGetVersion's coding changed with 2.9.
std::string version_of_code(std::string_view digits)
{
    int code = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), code);
    if (code < 1000 || code > 9'999'999)
        return {};
    return code < 10000 ? fmt::format("{}.{}.{}", code / 1000, code % 1000 / 100, code % 100) : fmt::format("{}.{}.{}", code / 10000, code % 10000 / 100, code % 100);
}

// "Rank 12" -> 12; none: no such word with a whole number.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word)
{
    const auto words = words_of(value_behind(text, word));
    std::int64_t v = 0;
    if (words.empty() || std::from_chars(words.front().data(), words.front().data() + words.front().size(), v).ec != std::errc{})
        return std::nullopt;
    return v;
}

// What the benchmark says about its run: comments, which the first versions and Markdown write without their '#'.
bool is_report(std::string_view text)
{
    if (text.front() == '#')
        return true;
    return text.starts_with("Out of bounds values") || text.starts_with("Avg bus bandwidth") || text.starts_with("nThread ") || (text.starts_with("Rank ") && text.find(" device ") != std::string_view::npos);
}

class TextReader {
public:
    void line(std::string_view raw, std::int64_t number);
    void finish();

    CollectiveBenchmark benchmark;
    std::vector<Skipped> skipped;
    std::vector<std::string> notes;
    std::int64_t rank_lines = 0;

private:
    void comment(std::string_view text, Stream& stream);
    void device_line(std::string_view text, Stream& stream);
    void version(std::string_view text);
    void open_table(Stream& stream);
    void close(Stream& stream);
    void add(Stream& stream, const CollectiveRow& row);

    std::map<std::string, Stream> m_streams;
    bool m_same_ranks = false;
    int m_split_notes = 0;
    std::string m_command_test;
    std::set<std::string> m_versions;
    std::size_t m_rows = 0;
};

void TextReader::version(std::string_view text)
{
    for (const std::string_view key : {"NCCL version ", "NCCL version: ", "RCCL version ", "RCCL version: ", "RCCL version : "}) {
        const auto words = words_of(value_behind(text, key));
        if (words.empty() || !std::isdigit(static_cast<unsigned char>(words.front().front())))
            continue;
        std::string_view v = words.front();
        while (!v.empty() && (v.back() == ',' || v.back() == '.'))
            v.remove_suffix(1);
        if (m_versions.size() < 100 && m_versions.insert(std::string(v)).second && m_versions.size() > 1)
            notes.push_back(fmt::format("the file names another version of the library as well: {}", v));
        if (benchmark.version.empty() || m_versions.size() == 1)
            benchmark.version = v;
        if (text.find("RCCL") != std::string_view::npos)
            benchmark.tool = "rccl-tests";
        return;
    }
}

void TextReader::device_line(std::string_view text, Stream& stream)
{
    // "#  Rank  0 Group  0 Pid 25 on host device  0 [0x53] NVIDIA H100 80GB HBM3"; old versions have no group.
    // The first ones have no process id either.
    const auto on = text.find(" on "), device = text.find(" device ", on == std::string_view::npos ? 0 : on);
    const auto rank = number_behind(text, "Rank");
    if (!rank || on == std::string_view::npos || device == std::string_view::npos) {
        stream.devices_cut = stream.devices_cut || (rank && text.ends_with("...")); // the benchmark's own buffer was full
        return;
    }
    const auto open = text.find('[', device), close = text.find(']', device);
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return;
    ++rank_lines;
    const std::int64_t number = number_behind(text, "Group").value_or(0);
    stream.first_group = stream.first_group.value_or(number);
    if (stream.groups.size() < most_devices || stream.groups.contains(number)) {
        Stream::Group& group = stream.groups[number];
        const std::string host(trimmed(text.substr(on + 4, device - on - 4)));
        if (!group.ranks.insert(*rank).second && !group.hosts.contains(host) && !m_same_ranks) {
            m_same_ranks = true;
            notes.emplace_back("processes on different hosts have the same rank: each ran the benchmark for itself, without the others (mpirun with a build that has no MPI)");
        }
        group.hosts.insert(host);
    }
    if (benchmark.devices.size() < most_devices)
        benchmark.devices.emplace_back(trimmed(text.substr(close + 1)));
    if (text.find("AMD Instinct") != std::string_view::npos)
        benchmark.tool = "rccl-tests";
}

void TextReader::comment(std::string_view text, Stream& stream)
{
    if (text.find("nThread") != std::string_view::npos && text.find("minBytes") != std::string_view::npos) {
        close(stream);
        stream.forget_devices();
    } else if (const auto test = value_behind(text, "Collective test starting:"); !test.empty()) {
        close(stream);
        stream.stated_test = words_of(test).front();
    } else if (text.find("Rank") != std::string_view::npos && (text.find("device") != std::string_view::npos || text.ends_with("..."))) {
        device_line(text, stream);
    } else if (const auto average = value_behind(text, "Avg bus bandwidth"); !average.empty()) {
        const auto words = words_of(value_behind(text, ":"));
        if (const auto v = words.empty() ? std::nullopt : number_in(words.front()); v && stream.open)
            stream.open->printed_average = gigabytes_per_second(*v);
    } else if (const auto bounds = value_behind(text, "Out of bounds values :"); bounds.find("FAILED") != std::string_view::npos) {
        notes.push_back(fmt::format("the benchmark found wrong results: out of bounds values {}", bounds));
    } else if (const auto tests = value_behind(text, "nccl-tests version"); !tests.empty() && benchmark.version.empty()) {
        benchmark.version = version_of_code(value_behind(tests, "nccl-library="));
    }
}

void TextReader::open_table(Stream& stream)
{
    stream.open.emplace();
    stream.open->test = stream.stated_test.empty() ? m_command_test : stream.stated_test;
    stream.open->stated = !stream.stated_test.empty();
    if (!stream.first_group)
        return;
    const Stream::Group& group = stream.groups[*stream.first_group];
    stream.open->ranks = stream.devices_cut ? 0 : static_cast<int>(group.ranks.size());
    stream.open->hosts = static_cast<int>(group.hosts.size());
    if (stream.groups.size() > 1 && m_split_notes++ == 0)
        notes.push_back(fmt::format("{} groups of ranks run at once (NCCL_TESTS_SPLIT): ranks and bandwidths are those of one group", stream.groups.size()));
}

void TextReader::add(Stream& stream, const CollectiveRow& row)
{
    if (m_rows >= most_rows)
        return;
    ++m_rows;
    if (!stream.open)
        open_table(stream);
    stream.open->rows.push_back(row);
}

void TextReader::close(Stream& stream)
{
    if (stream.pending)
        skip(skipped, "row without its figures", {});
    stream.pending.reset();
    stream.half = false;
    if (stream.open && !stream.open->rows.empty())
        benchmark.sweeps.push_back(std::move(*stream.open));
    if (stream.open)
        stream.stated_test.clear();
    stream.open.reset();
}

void TextReader::line(std::string_view raw, std::int64_t number)
{
    const BenchmarkLine l = benchmark_line(raw);
    if (!l.chatter.empty())
        version(l.chatter);
    std::string_view text = trimmed(l.text);
    if (text.empty())
        return;
    Stream& stream = m_streams[m_streams.size() < most_streams || m_streams.contains(l.source) ? l.source : std::string()];
    if (auto header = table_header(l.text)) {
        close(stream);
        stream.layout = std::move(*header);
        open_table(stream);
        return;
    }
    if (is_report(text)) {
        comment(text, stream);
        return;
    }
    version(text);
    RowReading reading = table_row(l.text, stream.layout);
    if (reading.kind != RowReading::Kind::none && stream.pending)
        skip(skipped, "row without its figures", fmt::format("line {}", number));
    const bool broken = !l.chatter.empty() && stream.layout.in_place_at > 0; // another process's line cut this one
    CollectiveRow rest;
    if (reading.kind == RowReading::Kind::row) {
        stream.pending.reset();
        stream.half = broken && !reading.row.in_place;
        add(stream, reading.row);
    } else if (reading.kind == RowReading::Kind::preamble) {
        stream.half = false;
        stream.pending = std::move(reading.row);
    } else if (stream.pending && finish_row(l.text, stream.layout, *stream.pending)) {
        stream.half = broken && !stream.pending->in_place;
        add(stream, *stream.pending);
        stream.pending.reset();
    } else if (stream.half && stream.open && !stream.open->rows.empty() && finish_row(l.text, stream.layout, rest)) {
        stream.open->rows.back().in_place = rest.in_place ? rest.in_place : rest.out_of_place;
        stream.half = false;
    } else if (text.find("rccl-tests") != std::string_view::npos) {
        benchmark.tool = "rccl-tests";
    } else if (const std::string test = test_in_command(text); !test.empty()) {
        m_command_test = test;
    }
}

void TextReader::finish()
{
    for (auto& [source, stream] : m_streams)
        close(stream);
}

} // namespace

bool is_collective_text(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '{')
        return false;
    if (text.find("nccl-tests structured output") != std::string_view::npos)
        return true;
    return text.find("busbw") != std::string_view::npos && text.find("algbw") != std::string_view::npos;
}

Expected<Measured> read_collective_text(std::string_view text, const std::string& file)
{
    TextReader reader;
    reader.benchmark.tool = "nccl-tests";
    std::string_view rest = text;
    std::int64_t number = 0;
    while (!rest.empty()) {
        const auto end = std::min(rest.size(), rest.find('\n'));
        reader.line(rest.substr(0, end), ++number);
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    reader.finish();
    for (CollectiveSweep& sweep : sweeps_of_inline_json(text, file, reader.skipped, reader.benchmark.version))
        reader.benchmark.sweeps.push_back(std::move(sweep));
    if (reader.benchmark.sweeps.empty())
        return bad_input("nccl-tests output without a single row of figures", Place{file, 0, {}}, {}, "rows of size, count, type, time, algbw, busbw");
    return collective_measured(std::move(reader.benchmark), reader.rank_lines, file, "nccl-tests output", std::move(reader.skipped), std::move(reader.notes));
}

} // namespace ridgepoint
