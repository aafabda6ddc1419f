#include "model/trace/lenient_events.h"

#include "model/trace/event_borders.h"

namespace ridgepoint {
namespace {

enum class Parse { good, incomplete, broken };

// How a quote inside a string is told from its end.
enum class Quotes {
    escaped, // JSON
    by_what_follows, // the end stands before a comma or a closing bracket
    by_keys, // of a value in an object also: before , "key": or at the end of the object
};

class EventParser {
public:
    // `stop`: how far strings may run.
    EventParser(const char* p, const char* stop, Quotes quotes) : m_p(p), m_end(stop), m_quotes(quotes) {}

    Parse event(EventFields& e)
    {
        return object(&e, nullptr);
    }
    [[nodiscard]] const char* position() const { return m_p; }

private:
    static constexpr int most_nested = 64;

    bool more()
    {
        m_p = skip_space(m_p, m_end);
        return m_p < m_end;
    }

    // A string at its opening quote; `follow` are the bytes that may come after it. `member`: it is the value of a key.
    Parse string(std::string_view& text, std::string_view follow, bool member)
    {
        const char* const open = m_p++;
        for (; m_p < m_end; ++m_p) {
            if (*m_p == '\\' && m_p + 1 < m_end) {
                if (m_quotes == Quotes::escaped || !(m_p[1] == '"' && closes_before_key(m_p + 2))) {
                    ++m_p;
                    continue;
                }
                ++m_p; // a path that ends in a backslash: this quote is the end
            }
            if (*m_p != '"')
                continue;
            if (m_quotes != Quotes::escaped) {
                const char* after = skip_space(m_p + 1, m_end);
                if (after < m_end && follow.find(*after) == std::string_view::npos)
                    continue;
                if (m_quotes == Quotes::by_keys && member && !closes_before_key(m_p + 1) && !closes_object(m_p + 1))
                    continue;
            }
            ++m_p;
            text = {open, static_cast<std::size_t>(m_p - open)};
            return Parse::good;
        }
        return Parse::incomplete;
    }

    // , "key": behind a quote
    bool closes_before_key(const char* p) const
    {
        p = skip_space(p, m_end);
        if (p >= m_end || *p != ',')
            return false;
        p = skip_space(p + 1, m_end);
        if (p >= m_end || *p != '"')
            return false;
        for (const char* q = ++p; q < m_end && q - p < 48; ++q) {
            if (*q == '\\')
                return false;
            if (*q == '"') {
                q = skip_space(q + 1, m_end);
                return q < m_end && *q == ':';
            }
        }
        return false;
    }

    // } behind a quote, with what may stand behind an object
    bool closes_object(const char* p) const
    {
        p = skip_space(p, m_end);
        if (p < m_end && *p == ',')
            p = skip_space(p + 1, m_end); // one comma too many
        if (p >= m_end || *p != '}')
            return p >= m_end;
        p = skip_space(p + 1, m_end);
        return p >= m_end || *p == '}' || *p == ']' || closes_before_key(p) || (*p == ',' && skip_space(p + 1, m_end) == m_end);
    }

    Parse value(std::string_view& text, bool member)
    {
        if (!more())
            return Parse::incomplete;
        const char* const begin = m_p;
        Parse result = Parse::good;
        if (*m_p == '"') {
            result = string(text, member ? ",}" : ",}]", member);
        } else if (*m_p == '{') {
            result = object(nullptr, nullptr);
            text = {begin, static_cast<std::size_t>(m_p - begin)};
        } else if (*m_p == '[') {
            result = array();
            text = {begin, static_cast<std::size_t>(m_p - begin)};
        } else {
            while (m_p < m_end && !is_space(*m_p) && *m_p != ',' && *m_p != '}' && *m_p != ']' && *m_p != '"' && *m_p != '{' && *m_p != '[')
                ++m_p;
            if (m_p == m_end)
                return Parse::incomplete;
            text = {begin, static_cast<std::size_t>(m_p - begin)};
            // null and the words for no number say nothing
            if (const char c = text.empty() ? 'n' : text.front(); (c < '0' || c > '9') && c != '-' && c != 't' && c != 'f')
                text = {};
            else if (text.size() > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9'))
                text = {};
        }
        return result;
    }

    Parse array()
    {
        if (++m_depth > most_nested)
            return Parse::broken;
        ++m_p;
        for (;;) {
            if (!more())
                return Parse::incomplete;
            if (*m_p == ']') {
                ++m_p;
                --m_depth;
                return Parse::good;
            }
            if (*m_p == ',') {
                ++m_p;
                continue;
            }
            const char* const before = m_p;
            std::string_view ignored;
            if (const Parse r = value(ignored, false); r != Parse::good)
                return r;
            if (m_p == before)
                return Parse::broken;
        }
    }

    // The event itself (event not null), its args (args not null), or anything else.
    Parse object(EventFields* event, EventFields* args)
    {
        if (++m_depth > most_nested)
            return Parse::broken;
        ++m_p;
        for (;;) {
            if (!more())
                return Parse::incomplete;
            if (*m_p == '}') {
                ++m_p;
                --m_depth;
                return Parse::good;
            }
            if (*m_p == ',') {
                ++m_p;
                continue;
            }
            if (*m_p != '"')
                return Parse::broken;
            std::string_view key;
            if (const Parse r = string(key, ":", false); r != Parse::good)
                return r;
            key = key.substr(1, key.size() - 2);
            if (!more())
                return Parse::incomplete;
            if (*m_p != ':')
                return Parse::broken;
            ++m_p;
            if (!more())
                return Parse::incomplete;
            Parse r = Parse::good;
            std::string_view text;
            if (event && key == "args" && *m_p == '{')
                r = object(nullptr, event);
            else
                r = value(text, true);
            if (r != Parse::good || (r = separator()) != Parse::good)
                return r;
            EventFields* const fields = event ? event : args;
            if (!fields)
                continue;
            if (std::string_view EventFields::* to = event ? event_field(key) : args_field(key))
                fields->*to = text;
        }
    }

    // Behind a value.
    Parse separator()
    {
        if (!more())
            return Parse::incomplete;
        return *m_p == ',' || *m_p == '}' ? Parse::good : Parse::broken;
    }

    const char* m_p;
    const char* m_end;
    Quotes m_quotes;
    int m_depth = 0;
};

bool has_quote_inside(std::string_view token) { return token.size() > 2 && token.substr(1, token.size() - 2).find('"') != std::string_view::npos; }

// What must follow an event that was read right.
bool ends_well(const char* p, const char* end)
{
    p = skip_space(p, end);
    return p == end || *p == ',' || *p == ']' || *p == '{' || *p == '}';
}

} // namespace

LenientScan scan_lenient(const char* begin, const char* end, bool last, std::uint64_t offset, EventTable& table)
{
    const char* p = begin;
    while ((p = skip_space(p, end)) < end) {
        const std::uint64_t place = offset + static_cast<std::uint64_t>(p - begin);
        if (*p == ',') {
            const char* q = skip_space(p + 1, end);
            if (q < end && *q == ']')
                table.skip("comma behind the last event", place, false);
            if (q == end && !last)
                return {p, false};
            ++p;
            continue;
        }
        if (*p == ']')
            return {p + 1, true};
        if (*p != '{') {
            if (*p == '}') { // the array was never closed, the file's object is
                table.skip("the list of events is not closed", place, false);
                return {p, true};
            }
            const char* const next = closing_bracket(p, next_event(p, end));
            if (next == end && !last)
                return {p, false};
            table.skip("text between events that is not an event", place, false);
            p = next;
            continue;
        }
        EventFields e;
        EventParser strict(p, end, Quotes::escaped);
        Parse result = strict.event(e);
        const char* after = strict.position();
        if (result != Parse::good || !ends_well(after, end)) {
            const char* limit = closing_bracket(p + 1, next_event(p + 1, end));
            if (limit == end && last && result == Parse::broken)
                limit = final_bracket(p + 1, end);
            if (limit == end && !last)
                return {p, false}; // wait for the event's end to come into view
            // The event ends before the comma in front of the next one, or before the list's bracket.
            const char* stop = limit;
            if (limit != end && *limit == '{')
                while (stop > p && *stop != ',')
                    --stop;
            Parse again = Parse::broken;
            for (const Quotes quotes : {Quotes::by_what_follows, Quotes::by_keys}) {
                e = {};
                EventParser tolerant(p, stop, quotes);
                again = tolerant.event(e);
                after = tolerant.position();
                if (again == Parse::good && skip_space(after, stop) == stop)
                    break;
            }
            if (again == Parse::good && (has_quote_inside(e.ph) || has_quote_inside(e.cat)))
                again = Parse::broken; // it swallowed what follows
            if (again != Parse::good || skip_space(after, stop) != stop) {
                if (again == Parse::good && limit == end && ends_well(after, end)) {
                    table.add(e, place);
                    p = after;
                    continue;
                }
                if (limit == end && result == Parse::incomplete)
                    return {p, false}; // the file ends inside this event
                table.skip("event that is not JSON", place);
                p = limit;
                continue;
            }
        }
        table.add(e, place);
        p = after;
    }
    return {p, false};
}

} // namespace ridgepoint
