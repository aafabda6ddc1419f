// How fast a trace is read: text per second of wall and of processor time, peak memory, and how soon reading ends when it
// is cancelled. Prints figures; asserts nothing. Make large traces with trace_generator; run twice, so that the file is
// in the page cache.
//
//   trace_bench FILE... [--repeat N] [--cancel]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include "model/trace/timeline.h"

using namespace ridgepoint;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double processor_seconds()
{
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    const auto of = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
    return of(u.ru_utime) + of(u.ru_stime);
}

// Linux counts the peak anew after this; elsewhere it stays that of the whole run.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double peak_bytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::strtod(line.c_str() + 6, nullptr) * 1024;
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_maxrss) * 1024;
}

bool measure(const std::string& file)
{
    forget_peak();
    const auto start = Clock::now();
    const double processor = processor_seconds();
    const auto t = read_timeline(file);
    const double wall = seconds_since(start);
    const double used = processor_seconds() - processor;
    if (!t) {
        fmt::print("{}: {}\n", file, t.error().text());
        return false;
    }
    const double peak = peak_bytes();
    const TimelineSummary s = summarize(*t);
    const double first_picture = seconds_since(start);
    const auto text = static_cast<double>(t->text_bytes);
    fmt::print("{}\n  {:.1f} MB of text, {} events, {} on the GPU, kernels {:.3f} us, busy {:.3f} us\n", file, text * 1e-6, t->events_in_file,
        s.gpu_events, in_microseconds(s.kernel_sum), in_microseconds(s.busy));
    fmt::print("  wall {:.3f} s = {:.0f} MB/s; user + sys {:.3f} s = {:.0f} MB/s; with its summary {:.3f} s; peak {:.1f} MB = {:.3f} of the text\n", wall,
        text * 1e-6 / wall, used, text * 1e-6 / used, first_picture, peak * 1e-6, peak / text);
    for (const auto& left_out : t->skipped)
        fmt::print("  {} x {} (first: {})\n", left_out.count, left_out.reason, left_out.first_place);
    return true;
}

// From the request to the return, with the request at several times of the reading.
void measure_cancelling(const std::string& file)
{
    const auto start = Clock::now();
    if (!read_timeline(file))
        return;
    const double whole = seconds_since(start);
    double longest = 0;
    double most_work = 0; // on a busy machine the time waited says more about the others
    int late = 0;
    constexpr int requests = 20;
    for (int i = 0; i < requests; ++i) {
        std::stop_source stop;
        Clock::time_point asked;
        double work = 0;
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::duration<double>(whole * (i + 0.5) / requests));
            work = processor_seconds();
            asked = Clock::now();
            stop.request_stop();
        });
        const auto t = read_timeline(file, Progress{{}, stop.get_token()});
        const auto returned = Clock::now();
        const double worked = processor_seconds();
        other.join();
        if (t) {
            ++late; // had finished before
            continue;
        }
        longest = std::max(longest, std::chrono::duration<double>(returned - asked).count());
        most_work = std::max(most_work, worked - work);
    }
    fmt::print("  cancelled at {} instants ({} after the end): at most {:.1f} ms from the request to the return, {:.1f} ms of them at work\n", requests, late,
        longest * 1e3, most_work * 1e3);
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> files;
    int repeat = 1;
    bool cancel = false;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--repeat") && i + 1 < argc)
            repeat = std::atoi(argv[++i]);
        else if (!std::strcmp(argv[i], "--cancel"))
            cancel = true;
        else
            files.emplace_back(argv[i]);
    }
    if (files.empty()) {
        std::fputs("usage: trace_bench FILE... [--repeat N] [--cancel]\n", stderr);
        return 2;
    }
    bool sound = true;
    for (const std::string& file : files) {
        for (int r = 0; r < repeat; ++r)
            sound = measure(file) && sound;
        if (cancel)
            measure_cancelling(file);
    }
    return sound ? 0 : 1;
}
