#pragma once
// Single elements of a JSON document too large for a tree: the reader walks the text once and hands over the values at
// the paths it was asked for, each as a small tree. Memory is that of the largest of them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/base/progress.h"
#include "model/trace/byte_source.h"

namespace ridgepoint {

class JsonElements {
public:
    virtual ~JsonElements() = default;

    struct Result {
        bool complete = false; // the document was read to its end
        bool cancelled = false;
        std::string trouble; // why not, with the byte; empty if complete
        std::uint64_t bytes = 0;
    };
    // Paths are keys from the root, "*" for any element of an array or any key: "/traceEvents/*".
    Result walk(ByteSource& source, const std::vector<std::string>& paths, const Progress& progress);

protected:
    // A value at the path of that index.
    virtual void element(std::size_t path, nlohmann::json value, std::uint64_t byte) = 0;
    // A key on the way to a path, with the path's prefix: key("/a", "b") before "/a/b" or anything else in "/a".
    virtual void key(std::string_view, const std::string&) {}
    // An array directly under an object on the way, with its number of elements.
    virtual void array(std::string_view, const std::string&, std::int64_t) {}
    // An element that was dropped: deeper than 60 levels or of more than 100,000 values.
    virtual void too_large(std::size_t, std::uint64_t) {}

private:
    friend class JsonElementsSax;
};

} // namespace ridgepoint
