#pragma once
// The fast path: events that are valid JSON, many at once.

#include <cstdint>
#include <memory>

#include "model/trace/event_table.h"

namespace ridgepoint {

class StrictEvents {
public:
    StrictEvents();
    ~StrictEvents();
    StrictEvents(const StrictEvents&) = delete;
    StrictEvents& operator=(const StrictEvents&) = delete;

    // Adds the events in [begin, cut), where *cut is the comma after the last of them. The bytes begin[-1] and *cut are
    // changed for the time of the call, and JsonStream::back_room bytes behind cut are read. True: all were read;
    // *array_end is then behind the array's bracket if the array ended before cut, else null. False: something is not
    // valid JSON; the table is as it was.
    bool scan(char* begin, char* cut, std::uint64_t offset, EventTable& table, const char** array_end);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace ridgepoint
