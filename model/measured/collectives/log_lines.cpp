#include "model/measured/collectives/log_lines.h"

#include <algorithm>
#include <cctype>

#include "model/measured/delimited_text.h"

namespace ridgepoint {
namespace {

constexpr std::size_t longest_tag = 160;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void remove_colours(std::string& line)
{
    if (line.find('\x1b') == std::string::npos)
        return;
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
            for (i += 2; i < line.size() && (static_cast<unsigned char>(line[i]) < 0x40 || static_cast<unsigned char>(line[i]) > 0x7E); ++i) { }
            continue;
        }
        out += line[i];
    }
    line = std::move(out);
}

// "[1,0]<stdout>:" and the like, wherever they stand.
void remove_tags(std::string& line, std::string& source)
{
    if (line.find("]<std") == std::string::npos)
        return;
    std::string out;
    std::size_t from = 0;
    for (;;) {
        const auto mark = line.find("]<std", from);
        if (mark == std::string::npos)
            break;
        const auto close = line.find('>', mark);
        const auto open = line.rfind('[', mark);
        if (close == std::string::npos || close - mark > 12 || open == std::string::npos || open < from || mark - open > longest_tag) {
            out.append(line, from, mark + 1 - from);
            from = mark + 1;
            continue;
        }
        out.append(line, from, open - from);
        if (source.empty())
            source = line.substr(open, mark + 1 - open);
        out += ' '; // a tag inside a row stands between two columns
        from = close + 1 + (close + 1 < line.size() && line[close + 1] == ':' ? 1 : 0);
    }
    out.append(line, std::min(from, line.size()), std::string::npos);
    line = std::move(out);
}

bool looks_like_time(std::string_view word)
{
    // 2024-07-19T01:02:03.123Z, [2024-07-19, 01:02:03,123]
    const auto digits = std::count_if(word.begin(), word.end(), is_digit);
    const auto marks = std::count_if(word.begin(), word.end(), [](char c) { return c == ':' || c == '-'; });
    return digits >= 6 && marks >= 2 && std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || std::string_view(":-.,TZ+[]/").find(c) != std::string_view::npos; });
}

// What the first versions and nccom-test print without a '#'.
bool is_report_or_header(std::string_view text)
{
    constexpr std::string_view begins[]{"Rank ", "nThread ", "Using devices", "Out of bounds values", "Avg bus bandwidth", "size", "bytes "};
    return std::any_of(std::begin(begins), std::end(begins), [&](std::string_view b) { return text.starts_with(b); });
}

// One prefix off the start; false: none is left.
bool remove_prefix(std::string& line, std::string& source)
{
    const auto start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line[start] == '#')
        return false;
    const auto end = std::min(line.size(), line.find_first_of(" \t", start));
    const std::string word = line.substr(start, end - start);
    const bool rank = word.size() > 1 && word.size() <= 8 && word.back() == ':' && std::all_of(word.begin(), word.end() - 1, is_digit); // srun -l
    const bool named = word.size() > 2 && word.back() == ':' && word.size() <= longest_tag && std::isalpha(static_cast<unsigned char>(word.front())) != 0; // pdsh, clush
    const bool bracketed = word.size() > 2 && word.front() == '[' && word.back() == ']' && word.size() <= longest_tag; // kubectl --prefix
    const bool piped = line.compare(end, 2, " |") == 0 && word.size() <= longest_tag; // docker compose
    if (looks_like_time(word)) {
        line.erase(0, end);
        return true;
    }
    if (!rank && !named && !bracketed && !piped)
        return false;
    // Only in front of what the benchmark prints: a '#' or a row.
    std::string rest = line.substr(piped ? end + 2 : end);
    const auto first = rest.find_first_not_of(" \t");
    if (first == std::string::npos || (rest[first] != '#' && !is_digit(rest[first]) && rest[first] != '[' && rest[first] != '-' && !is_report_or_header(std::string_view(rest).substr(first))))
        return false;
    if (source.empty())
        source = word;
    line = std::move(rest);
    return true;
}

void remove_chatter(BenchmarkLine& line)
{
    auto at = std::string::npos;
    for (const char* word : {" NCCL INFO ", " NCCL WARN ", " NCCL TRACE ", " NCCL ERROR ", "RCCL INFO"})
        at = std::min(at, line.text.find(word));
    if (at == std::string::npos)
        return;
    // host:pid:tid [device] stands before; the host's name may stick to what was printed last.
    auto start = at;
    if (const auto bracket = line.text.rfind('[', at); bracket != std::string::npos && at - bracket < 8)
        start = bracket;
    while (start > 0 && line.text[start - 1] == ' ')
        --start;
    while (start > 0 && line.text[start - 1] != ' ' && line.text[start - 1] != '\t')
        --start;
    line.chatter = line.text.substr(at + 1);
    // Behind figures the host's name sticks to the last of them: the root, or the count of wrong elements.
    const std::string_view glued = std::string_view(line.text).substr(start);
    if (line.text.find_first_not_of(" \t") < start)
        start += glued.starts_with("-1") ? 2 : glued.starts_with("N/A") ? 3 : glued.starts_with("0") ? 1 : 0;
    line.text.resize(start);
    // "-1[0] host:...": a tag of the launcher between them.
    const auto end = line.text.find_last_not_of(" \t");
    const auto open = end == std::string::npos || line.text[end] != ']' ? std::string::npos : line.text.rfind('[', end);
    if (open != std::string::npos && open > 0 && line.text[open - 1] != ' ' && end - open < longest_tag)
        line.text.resize(open);
}

} // namespace

BenchmarkLine benchmark_line(std::string_view raw)
{
    BenchmarkLine line;
    line.text = raw.substr(0, std::min(raw.size(), std::size_t{8192})); // rows and device lines are far shorter
    std::replace(line.text.begin(), line.text.end(), '\r', ' ');
    remove_colours(line.text);
    remove_tags(line.text, line.source);
    remove_chatter(line);
    for (int i = 0; i < 4 && remove_prefix(line.text, line.source); ++i) { }
    return line;
}

} // namespace ridgepoint
