#include "model/trace/json_elements.h"

#include <algorithm>
#include <streambuf>

#include <fmt/format.h>

namespace ridgepoint {

using Json = nlohmann::json;

namespace {

constexpr std::size_t deepest = 200, deepest_element = 60, most_values = 100'000;

// A source as a stream buffer, which the parser reads byte by byte.
class SourceBuffer : public std::streambuf {
public:
    SourceBuffer(ByteSource& source, const Progress& progress) : m_source(source), m_progress(progress), m_window(std::size_t{256} << 10) {}
    [[nodiscard]] std::uint64_t bytes() const { return m_before + static_cast<std::uint64_t>(gptr() - eback()); }
    [[nodiscard]] bool cancelled() const { return m_cancelled; }

protected:
    int_type underflow() override
    {
        if (m_progress.stopped()) {
            m_cancelled = true;
            return traits_type::eof();
        }
        m_before += static_cast<std::uint64_t>(egptr() - eback());
        const std::size_t n = m_source.read(m_window.data(), m_window.size());
        m_progress.at(m_source.fraction());
        setg(m_window.data(), m_window.data(), m_window.data() + n);
        return n == 0 ? traits_type::eof() : traits_type::to_int_type(m_window[0]);
    }

private:
    ByteSource& m_source;
    const Progress& m_progress;
    std::vector<char> m_window;
    std::uint64_t m_before = 0;
    bool m_cancelled = false;
};

// The paths as a tree of names.
struct Node {
    std::string prefix;
    std::vector<std::pair<std::string, int>> children;
    int path = -1; // index of the path that ends here
};

std::vector<Node> tree_of(const std::vector<std::string>& paths)
{
    std::vector<Node> nodes(1);
    for (std::size_t p = 0; p < paths.size(); ++p) {
        int at = 0;
        std::string_view rest = paths[p];
        while (!rest.empty()) {
            rest.remove_prefix(1); // '/'
            const std::string name(rest.substr(0, rest.find('/')));
            rest.remove_prefix(name.size());
            auto& children = nodes[static_cast<std::size_t>(at)].children;
            const auto found = std::find_if(children.begin(), children.end(), [&](const auto& c) { return c.first == name; });
            if (found != children.end()) {
                at = found->second;
                continue;
            }
            const int fresh = static_cast<int>(nodes.size());
            children.emplace_back(name, fresh);
            nodes.push_back({nodes[static_cast<std::size_t>(at)].prefix + "/" + name, {}, -1});
            at = fresh;
        }
        nodes[static_cast<std::size_t>(at)].path = static_cast<int>(p);
    }
    return nodes;
}

} // namespace

class JsonElementsSax : public nlohmann::json_sax<Json> {
public:
    JsonElementsSax(JsonElements& client, std::vector<Node> nodes, const SourceBuffer& buffer) : m_client(client), m_nodes(std::move(nodes)), m_buffer(buffer) {}

    bool null() override { return value(Json()); }
    bool boolean(bool v) override { return value(Json(v)); }
    bool number_integer(number_integer_t v) override { return value(Json(v)); }
    bool number_unsigned(number_unsigned_t v) override { return value(Json(v)); }
    // As text: times have more digits than a double.
    bool number_float(number_float_t, const string_t& text) override { return value(Json(text)); }
    bool string(string_t& v) override { return value(Json(std::move(v))); }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return open(Json::object(), false); }
    bool start_array(std::size_t) override { return open(Json::array(), true); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& k) override
    {
        if (!m_building.empty() || m_dropping > 0) {
            m_element_key = std::move(k);
        } else {
            m_frames.back().key = std::move(k);
            if (m_frames.back().node >= 0)
                m_client.key(m_nodes[static_cast<std::size_t>(m_frames.back().node)].prefix, m_frames.back().key);
        }
        return true;
    }
    bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) override
    {
        m_trouble = fmt::format("the JSON is broken or ends at byte {}", byte);
        return false;
    }
    [[nodiscard]] const std::string& trouble() const { return m_trouble; }

private:
    struct Frame {
        int node = -1;
        bool is_array = false;
        std::string key; // of an object: the latest
        std::int64_t count = 0;
    };

    // The node of a value that begins here; -1: not on the way to any path.
    int node_here()
    {
        if (m_frames.empty())
            return 0;
        Frame& f = m_frames.back();
        ++f.count;
        if (f.node < 0)
            return -1;
        int any = -1;
        for (const auto& [name, child] : m_nodes[static_cast<std::size_t>(f.node)].children) {
            if (name == "*")
                any = child;
            else if (!f.is_array && name == f.key)
                return child;
        }
        return any;
    }

    Json* attach(Json v)
    {
        Json& parent = *m_building.back();
        if (parent.is_array()) {
            parent.push_back(std::move(v));
            return &parent.back();
        }
        return &(parent[m_element_key] = std::move(v));
    }

    bool value(Json v)
    {
        if (m_dropping > 0)
            return true;
        if (!m_building.empty()) {
            if (++m_values > most_values)
                drop();
            else
                attach(std::move(v));
            return true;
        }
        const int node = node_here();
        if (node >= 0 && m_nodes[static_cast<std::size_t>(node)].path >= 0)
            m_client.element(static_cast<std::size_t>(m_nodes[static_cast<std::size_t>(node)].path), std::move(v), m_buffer.bytes());
        return true;
    }

    bool open(Json empty, bool is_array)
    {
        if (m_dropping > 0) {
            ++m_dropping;
            return m_dropping < static_cast<int>(deepest) || too_deep();
        }
        if (!m_building.empty()) {
            if (m_building.size() >= deepest_element || ++m_values > most_values) {
                drop();
                ++m_dropping;
            } else {
                m_building.push_back(attach(std::move(empty)));
            }
            return true;
        }
        const int node = node_here();
        if (node >= 0 && m_nodes[static_cast<std::size_t>(node)].path >= 0) {
            m_element = std::move(empty);
            m_element_path = m_nodes[static_cast<std::size_t>(node)].path;
            m_element_byte = m_buffer.bytes();
            m_values = 0;
            m_building.push_back(&m_element);
            return true;
        }
        m_frames.push_back({node, is_array, {}, 0});
        return m_frames.size() < deepest || too_deep();
    }

    bool close()
    {
        if (m_dropping > 0) {
            --m_dropping;
            return true;
        }
        if (!m_building.empty()) {
            m_building.pop_back();
            if (m_building.empty())
                m_client.element(static_cast<std::size_t>(m_element_path), std::move(m_element), m_element_byte);
            return true;
        }
        const Frame ended = std::move(m_frames.back());
        m_frames.pop_back();
        if (ended.is_array && !m_frames.empty() && m_frames.back().node >= 0 && !m_frames.back().is_array)
            m_client.array(m_nodes[static_cast<std::size_t>(m_frames.back().node)].prefix, m_frames.back().key, ended.count);
        return true;
    }

    // The element so far is given up; what is still open of it is passed over.
    void drop()
    {
        m_dropping = static_cast<int>(m_building.size());
        m_building.clear();
        m_element = Json();
        m_client.too_large(static_cast<std::size_t>(m_element_path), m_element_byte);
    }
    bool too_deep()
    {
        m_trouble = fmt::format("nested deeper than {} levels", deepest);
        return false;
    }

    JsonElements& m_client;
    std::vector<Node> m_nodes;
    const SourceBuffer& m_buffer;
    std::vector<Frame> m_frames;
    Json m_element;
    std::vector<Json*> m_building; // open containers of the element, outermost first
    std::string m_element_key;
    int m_element_path = -1;
    std::uint64_t m_element_byte = 0;
    std::size_t m_values = 0;
    int m_dropping = 0;
    std::string m_trouble;
};

JsonElements::Result JsonElements::walk(ByteSource& source, const std::vector<std::string>& paths, const Progress& progress)
{
    SourceBuffer buffer(source, progress);
    std::istream stream(&buffer);
    JsonElementsSax sax(*this, tree_of(paths), buffer);
    Result r;
    r.complete = Json::sax_parse(stream, &sax, Json::input_format_t::json, false);
    r.bytes = buffer.bytes();
    r.cancelled = buffer.cancelled();
    if (!r.complete)
        r.trouble = sax.trouble().empty() ? fmt::format("the JSON is broken at byte {}", r.bytes) : sax.trouble();
    return r;
}

} // namespace ridgepoint
