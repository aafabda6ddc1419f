#include "model/trace/strict_events.h"

#include <simdjson.h>

#include "model/trace/event_borders.h"

namespace ridgepoint {
namespace {

namespace od = simdjson::ondemand;

std::string_view trimmed(std::string_view token)
{
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
        token.remove_suffix(1);
    return token;
}

// The key up to its closing quote. Keys of interest have no escapes; for others the length does not matter.
std::string_view key_text(const char* raw)
{
    std::size_t n = 0;
    while (n < 32 && raw[n] != '"') // padding makes this safe
        ++n;
    return {raw, n};
}

// Arrays are taken whole, everything else as its token; neither is checked here.
bool take_value(od::value value, std::string_view& to)
{
    const std::string_view token = value.raw_json_token();
    if (!token.empty() && token.front() == '[') {
        od::array list;
        return value.get_array().get(list) == simdjson::SUCCESS && list.raw_json().get(to) == simdjson::SUCCESS;
    }
    to = trimmed(token);
    return true;
}

bool take_args(od::value value, EventFields& e)
{
    od::object args;
    const std::string_view token = value.raw_json_token();
    if (token.empty() || token.front() != '{')
        return true; // not an object: nothing to learn
    if (value.get_object().get(args) != simdjson::SUCCESS)
        return false;
    for (auto item : args) {
        od::field field;
        if (std::move(item).get(field) != simdjson::SUCCESS)
            return false;
        if (std::string_view EventFields::* to = args_field(key_text(field.key().raw())); to && !take_value(field.value(), e.*to))
            return false;
    }
    return true;
}

// Only few events fill the fields of args; clearing them all each time would cost a quarter of the walk.
void clear(EventFields& e, bool args)
{
    if (args)
        e = {};
    else
        e.ph = e.cat = e.name = e.pid = e.tid = e.ts = e.dur = {};
}

enum class Outcome { added, passed, failed };

Outcome scan_event(od::object object, EventFields& e, bool& args, EventTable& table)
{
    EventCategory category = EventCategory::none;
    bool have_category = false;
    for (auto item : object) {
        od::field field;
        if (std::move(item).get(field) != simdjson::SUCCESS)
            return Outcome::failed;
        const std::string_view key = key_text(field.key().raw());
        if (key == "args") {
            // The category usually comes first and says that there is nothing to find here.
            if (!have_category || e.name.empty() || table.wants_args(category, e.name)) {
                args = true;
                if (!take_args(field.value(), e))
                    return Outcome::failed;
            }
            continue;
        }
        std::string_view EventFields::* to = event_field(key);
        if (!to)
            continue;
        e.*to = trimmed(field.value().raw_json_token());
        if (to == &EventFields::ph) {
            const char ph = e.ph.size() == 3 ? e.ph[1] : '?';
            if (ph != 'X' && ph != 'B' && ph != 'E')
                return Outcome::passed;
        } else if (to == &EventFields::cat) {
            category = table.category_of(e.cat);
            have_category = true;
            if (category == EventCategory::none && e.ph.size() == 3 && e.ph[1] == 'X')
                return Outcome::passed;
        } else if (to == &EventFields::name && category == EventCategory::op && e.ph.size() == 3 && e.ph[1] == 'X'
            && !table.wants_args(category, e.name) && !e.name.starts_with("\"ProfilerStep")) {
            return Outcome::passed;
        }
    }
    return Outcome::added;
}

// Where the value that starts at p ends; null if its brackets do not close before `end`.
const char* end_of_value(const char* p, const char* end)
{
    int depth = 0;
    for (; p < end; ++p) {
        if (*p == '"') {
            for (++p; p < end && *p != '"'; ++p)
                p += *p == '\\';
            if (p >= end)
                return nullptr;
        } else if (*p == '{' || *p == '[') {
            ++depth;
        } else if (*p == '}' || *p == ']') {
            if (--depth == 0)
                return p + 1;
        }
    }
    return nullptr;
}

bool scan_array(od::parser& parser, char* begin, char* cut, std::uint64_t offset, EventTable& table, const char** array_end)
{
    const char* const text = begin - 1;
    const auto length = static_cast<std::size_t>(cut + 1 - text);
    od::document document;
    od::array events;
    if (parser.iterate(text, length, length + simdjson::SIMDJSON_PADDING).get(document) != simdjson::SUCCESS
        || document.get_array().get(events) != simdjson::SUCCESS)
        return false;
    const char* last = nullptr;
    EventFields e;
    bool args = false;
    for (auto element : events) {
        od::value value;
        od::object object;
        if (std::move(element).get(value) != simdjson::SUCCESS)
            return false;
        last = value.raw_json_token().data();
        if (value.get_object().get(object) != simdjson::SUCCESS)
            return false;
        clear(e, args);
        args = false;
        switch (scan_event(object, e, args, table)) {
        case Outcome::failed: return false;
        case Outcome::passed: table.pass(e); break;
        case Outcome::added: table.add(e, offset + static_cast<std::uint64_t>(last - begin)); break;
        }
    }
    if (!last)
        return false;
    // Values of no interest were passed over by their brackets alone. The walk was sound if its last event ends where
    // the window does, or where the array does.
    const char* after = end_of_value(last, cut);
    if (!after)
        return false;
    after = skip_space(after, cut);
    if (after == cut)
        return true;
    if (*after != ']')
        return false;
    *array_end = after + 1;
    return true;
}

} // namespace

struct StrictEvents::Impl {
    od::parser parser;
};

StrictEvents::StrictEvents() : m_impl(std::make_unique<Impl>()) {}
StrictEvents::~StrictEvents() = default;

bool StrictEvents::scan(char* begin, char* cut, std::uint64_t offset, EventTable& table, const char** array_end)
{
    static_assert(simdjson::SIMDJSON_PADDING <= 127, "JsonStream::back_room covers the padding");
    *array_end = nullptr;
    const char before = begin[-1];
    const char comma = *cut;
    begin[-1] = '[';
    *cut = ']';
    const EventTable::Mark mark = table.mark();
    const bool sound = scan_array(m_impl->parser, begin, cut, offset, table, array_end);
    begin[-1] = before;
    *cut = comma;
    if (!sound) {
        table.rewind(mark);
        *array_end = nullptr;
    }
    return sound;
}

} // namespace ridgepoint
