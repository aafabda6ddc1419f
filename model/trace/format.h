#pragma once
// A format of measured files: how to recognise it and how to read it. One file per format; registry.cpp lists them.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/trace/byte_source.h"
#include "model/trace/kernel_rules.h"
#include "model/trace/timeline.h"

namespace ridgepoint {

struct TraceFormat {
    std::string_view name;
    bool (*recognises)(std::string_view head); // the first bytes of the text, gzip removed
    Expected<Timeline> (*read)(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress);
    bool takes_any = false; // any JSON, where no other kind of file is recognised
};

const std::vector<TraceFormat>& trace_formats();

// What a file that no format recognises seems to be ("nccl-tests output"), from its first bytes; empty if unknown.
std::string foreign_format(std::string_view head);

// Whether a format of GPU timelines recognises a file that begins so.
bool is_timeline(std::string_view head);
Expected<Timeline> read_timeline(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress = {});
// The text of a file, in memory (tests, fuzzing). `file` is only for messages.
Expected<Timeline> read_timeline_text(std::string_view text, const std::string& file, const KernelRules& rules, const Progress& progress = {});
Expected<Timeline> read_timeline(const std::string& file, const KernelRules& rules, const Progress& progress = {});

// The formats.
TraceFormat kineto_format();
TraceFormat nsys_sqlite_format();
TraceFormat nsys_gpu_trace_format(); // CSV
TraceFormat rocprof_csv_format();
TraceFormat rocprof_chrome_format();
TraceFormat rocprof_json_format();
TraceFormat xla_json_format();
TraceFormat xplane_format();
TraceFormat nccl_profiler_format();

} // namespace ridgepoint
