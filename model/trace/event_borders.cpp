#include "model/trace/event_borders.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace ridgepoint {
namespace {

// "ph": and the like, at the opening quote.
bool starts_event_key(const char* p, const char* end)
{
    static constexpr std::array<std::string_view, 10> keys{"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "s"};
    if (p >= end || *p != '"')
        return false;
    ++p;
    const char* close = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - p, 8))));
    if (!close)
        return false;
    const std::string_view key(p, static_cast<std::size_t>(close - p));
    const char* colon = skip_space(close + 1, end);
    if (colon >= end || *colon != ':')
        return false;
    for (const std::string_view k : keys)
        if (k == key)
            return true;
    return false;
}

// What the writers of traces put behind the list of events, at the top level of the file.
bool is_top_level_key(std::string_view key)
{
    static constexpr std::array<std::string_view, 22> keys{"traceName", "displayTimeUnit", "baseTimeNanoseconds", "baseTimeNanosec", "deviceProperties", "computeProperties",
        "distributedInfo", "schemaVersion", "record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules", "trace_id", "cuda_runtime_version",
        "cuda_driver_version", "hip_runtime_version", "hip_driver_version", "cupti_version", "metadata", "otherData", "stackFrames"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

} // namespace

const char* next_event(const char* p, const char* end)
{
    while (p < end) {
        p = static_cast<const char*>(std::memchr(p, '}', static_cast<std::size_t>(end - p)));
        if (!p)
            return end;
        const char* q = skip_space(p + 1, end);
        if (q < end && *q == ',') {
            q = skip_space(q + 1, end);
            if (q < end && *q == '{' && starts_event_key(skip_space(q + 1, end), end))
                return q;
        }
        ++p;
    }
    return end;
}

const char* closing_bracket(const char* p, const char* end)
{
    constexpr std::ptrdiff_t longest_key = 32;
    while (p < end && (p = static_cast<const char*>(std::memchr(p, ']', static_cast<std::size_t>(end - p)))) != nullptr) {
        const char* q = skip_space(p + 1, end);
        if (q < end && *q == ',' && (q = skip_space(q + 1, end)) < end && *q == '"') {
            ++q;
            const auto* close = static_cast<const char*>(std::memchr(q, '"', static_cast<std::size_t>(std::min(end - q, longest_key))));
            if (close && is_top_level_key({q, static_cast<std::size_t>(close - q)}) && (q = skip_space(close + 1, end)) < end && *q == ':')
                return p;
        }
        ++p;
    }
    return end;
}

const char* final_bracket(const char* p, const char* end)
{
    const char* q = end;
    for (const char expected : {'}', ']'}) {
        while (q > p && is_space(q[-1]))
            --q;
        if (q == p || q[-1] != expected)
            return end;
        --q;
    }
    return q;
}

const char* last_event_comma(const char* begin, const char* end)
{
    for (const char* p = end; p-- > begin;) {
        if (*p != '{')
            continue;
        const char* key = skip_space(p + 1, end);
        if (key >= end || *key != '"')
            continue;
        const char* comma = p;
        while (comma > begin && is_space(comma[-1]))
            --comma;
        if (comma == begin || comma[-1] != ',')
            continue;
        --comma;
        const char* brace = comma;
        while (brace > begin && is_space(brace[-1]))
            --brace;
        if (brace > begin && brace[-1] == '}' && starts_event_key(key, end))
            return comma;
    }
    return nullptr;
}

} // namespace ridgepoint
