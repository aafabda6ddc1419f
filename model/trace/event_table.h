#pragma once
// What a trace's events mean, one by one as a scanner finds them: GPU work, host launches, operators with shapes, steps.
// Rows are kept small; everything that needs two events together waits for assemble().

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/trace/event_fields.h"
#include "model/trace/large_pages.h"
#include "model/trace/op_work.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

enum class EventCategory : std::uint8_t { none, kernel, gpu_copy, gpu_fill, launch, op, annotation, gpu_annotation };

struct GpuRow {
    std::int64_t ts, dur;
    std::int64_t correlation, external; // -1: not given
    std::uint32_t name;
    std::int32_t device, stream, collective;
    EventCategory category;
};
struct LaunchRow {
    std::int64_t correlation, external, ts;
    std::uint32_t thread;
    bool graph; // replays a whole graph: its kernels belong to no operator
};
struct OpRow {
    std::int64_t external, ts, dur;
    std::uint32_t thread;
    OpWork work;
    KernelClass target;
    std::int32_t collective; // of record_param_comms; else -1
};

class EventTable {
public:
    // How much of an event of this kind is worth reading.
    [[nodiscard]] EventCategory category_of(std::string_view quoted);
    [[nodiscard]] bool wants_args(EventCategory c, std::string_view quoted_name); // the name is known by then

    // Counts the event and takes what it says. `place` is its offset in the text.
    void add(const EventFields& e, std::uint64_t place);
    // From now on the digits behind a time's point count nanoseconds whatever their number: "20.7" is 20 us and 7 ns.
    void read_fractions_as_nanoseconds() { m_unpadded = true; }
    // Counts an event without interest, with what was read of it until that was clear.
    void pass(const EventFields& e)
    {
        ++m_rows.events;
        count(e);
    }
    // Counts an event that could not be read, or something wrong outside events (count_event false).
    void skip(std::string_view reason, std::uint64_t place, bool count_event = true);

    // Reserves for the whole file, of which this fraction has been read, so that the rows are not copied as they grow:
    // fresh pages cost more than parsing does.
    void make_room(double fraction);

    // A scanner that gives up in the middle of a window goes back to where the window began.
    struct Mark {
        std::size_t gpu, launches, ops, steps, gpu_steps;
        std::int64_t events;
        std::vector<Timeline::Skipped> skipped;
        std::vector<std::pair<std::uint32_t, GpuRow>> open;
        std::array<std::int64_t, 128> phases;
        std::vector<std::int64_t> categories;
    };
    [[nodiscard]] Mark mark() const;
    void rewind(const Mark& m);

    struct Rows {
        RowTable<GpuRow> gpu;
        RowTable<LaunchRow> launches;
        RowTable<OpRow> ops;
        struct Step {
            std::string name;
            std::int64_t ts, dur;
            bool from_op; // written as an operator, as in 2021
        };
        std::vector<Step> steps, gpu_steps;
        std::deque<std::string> names; // raw, with escapes
        std::vector<Timeline::Collective> collectives;
        std::vector<Timeline::Skipped> skipped;
        std::int64_t events = 0;
        std::vector<std::pair<std::string, std::int64_t>> phases, categories; // see Timeline::Recording
    };
    [[nodiscard]] const Rows& rows() const { return m_rows; }
    Rows take(); // ends the reading: events still open are counted as left out

private:
    void count(const EventFields& e); // by phase and category
    [[nodiscard]] std::size_t category_index(std::string_view quoted); // in m_categories; its size: too many to remember
    void add_complete(const EventFields& e, std::uint64_t place);
    void add_gpu(const EventFields& e, EventCategory c, std::uint64_t place);
    void add_step(const EventFields& e, EventCategory c, std::string_view name);
    [[nodiscard]] std::optional<std::int64_t> time(std::string_view text) const;
    bool check_times(const GpuRow& r, std::uint64_t place);
    std::uint32_t intern(std::string_view raw);
    const OpRule* rule_of(std::string_view raw);
    std::int32_t collective_of(const EventFields& e);

    Rows m_rows;
    std::unordered_map<std::string_view, std::uint32_t> m_name_ids;
    std::deque<std::string> m_op_names;
    std::unordered_map<std::string_view, const OpRule*> m_op_rules;
    std::vector<std::pair<std::string, EventCategory>> m_categories;
    std::vector<std::int64_t> m_category_counts; // of complete events
    std::size_t m_last_category = 0; // events of a kind come in runs
    std::array<std::int64_t, 128> m_phase_counts{};
    std::vector<std::pair<std::uint32_t, GpuRow>> m_open; // B events by row, innermost last
    bool m_unpadded = false;
};

// The text of a JSON string token: quotes removed, escapes resolved, never invalid UTF-8; line breaks are spaces, other
// control bytes are dropped (a damaged "nv\x01jet" is still nvjet). An escape that JSON does not know stays as written.
std::string plain_text(std::string_view token);

} // namespace ridgepoint
