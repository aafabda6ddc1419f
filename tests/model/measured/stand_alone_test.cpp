// Readers stand alone: each is given what it does not recognise and ends with content or with an error that says why. Kinds of
// text that once made one fall; tests/fuzz looks for more.

#include <optional>
#include <string>
#include <vector>

#include "tests/model/measured/shared_facts.h"

namespace ridgepoint {
namespace {

std::vector<TextFormat> every_format()
{
    std::vector<TextFormat> all;
    for (const auto& family : {collective_formats(), counter_formats(), totals_formats(), serving_formats(), training_formats(), metric_formats(), graph_formats(), table_formats()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

} // namespace

TEST(StandAlone, WhatAReaderDoesNotRecogniseIsContentOrAnError)
{
    const std::vector<std::string> texts{
        "",
        "\n",
        "{}",
        "[]",
        "{\"results\": []}",
        "null",
        "a,b\n1,2\n3,4\n",
        "device,HBMBw\n0,1\n",
        "time,value,rank\n1,2,3\n",
        // a log whose commas make it a table without steps
        "0: 2025-03-04 00:44:44,441 - root - INFO - step: 1990 loss: 3.4370\n0: 2025-03-04 00:44:44,442 - root - INFO - step: 1991 loss: 3.4369\n",
        "# HELP x y\n# TYPE x gauge\nx{a=\"b\"} 1\n",
        "# out-of-place\n#  size count type redop root time algbw busbw #wrong\n 8 2 float sum -1 10 0.1 0.1 0\n",
        std::string("\x08\x01\x12\x00\xff\xff", 6),
        std::string(300, '['),
        "============ Serving Benchmark Result ============\n",
        "step,loss\n,\n",
    };
    for (const TextFormat& format : every_format())
        for (const std::string& text : texts) {
            SCOPED_TRACE(std::string(format.name) + " is given " + text.substr(0, 60));
            (void)format.recognises(text);
            std::optional<Expected<Measured>> read;
            EXPECT_NO_THROW(read = format.read(text, "file"));
            if (!read)
                continue;
            const Expected<Measured>& m = *read;
            if (!m)
                EXPECT_FALSE(m.error().message.empty());
            else
                EXPECT_FALSE(m->facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).empty());
        }
}

} // namespace ridgepoint
