#include "model/specs/json_document.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "model/specs/json_parser.h"

namespace ridgepoint {
namespace {

// ~1 -> /, ~0 -> ~; false for any other use of '~'.
bool unescape_pointer_token(std::string_view token, std::string& out)
{
    out.clear();
    for (std::size_t i = 0; i < token.size(); ++i) {
        if (token[i] != '~') {
            out += token[i];
            continue;
        }
        if (++i >= token.size() || (token[i] != '0' && token[i] != '1'))
            return false;
        out += token[i] == '0' ? '~' : '/';
    }
    return true;
}

} // namespace

int JsonDocument::line_of(std::string_view pointer) const
{
    if (!m_text)
        return 0;
    JsonLimits limits; // the text was accepted before, perhaps under wider limits
    limits.bytes = m_text->size();
    limits.depth = 1 << 10;
    limits.values = m_text->size() + 1;
    JsonParser scan(*m_text, m_file, limits);
    scan.look_for(pointer);
    (void)scan.parse();
    return scan.found_line();
}

Place JsonDocument::place_of(std::string_view pointer) const { return Place{m_file, line_of(pointer), std::string(pointer)}; }

const nlohmann::json* JsonDocument::find(std::string_view pointer) const { return find_value(m_root, pointer); }

const nlohmann::json* find_value(const nlohmann::json& root, std::string_view pointer)
{
    const nlohmann::json* at = &root;
    std::string token;
    while (!pointer.empty()) {
        if (pointer.front() != '/')
            return nullptr;
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        if (!unescape_pointer_token(pointer.substr(0, end), token))
            return nullptr;
        pointer.remove_prefix(end);
        if (at->is_object()) {
            const auto child = at->find(token);
            if (child == at->end())
                return nullptr;
            at = &*child;
        } else if (at->is_array()) {
            if (token.empty() || token.size() > 7 || token.find_first_not_of("0123456789") != std::string::npos
                || (token.size() > 1 && token[0] == '0'))
                return nullptr;
            const std::size_t index = std::stoul(token);
            if (index >= at->size())
                return nullptr;
            at = &(*at)[index];
        } else {
            return nullptr;
        }
    }
    return at;
}

Expected<JsonDocument> parse_json(std::string text, const std::string& file, const JsonLimits& limits)
{
    auto shared = std::make_shared<const std::string>(std::move(text));
    Expected<nlohmann::json> root = JsonParser(*shared, file, limits).parse();
    if (!root)
        return root.error();
    return JsonDocument(std::move(*root), std::move(shared), file);
}

Expected<std::string> read_text_file(const std::string& file, std::size_t limit)
{
    std::error_code ec;
    const std::filesystem::file_status status = std::filesystem::status(file, ec);
    if (!std::filesystem::exists(status))
        return io_error("the file does not exist", file);
    if (!std::filesystem::is_regular_file(status))
        return io_error("this is not a regular file", file);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), std::fclose);
    if (!in)
        return io_error(fmt::format("the file cannot be opened: {}", std::generic_category().message(errno)), file);
    std::string text;
    std::array<char, 65536> buffer;
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), in.get())) {
        text.append(buffer.data(), n);
        if (text.size() > limit)
            return bad_input("the file is too large", Place{file, 0, {}}, {}, fmt::format("at most {} bytes", limit));
    }
    if (std::ferror(in.get()))
        return io_error("the file cannot be read", file);
    return text;
}

Expected<JsonDocument> load_json(const std::string& file, const JsonLimits& limits)
{
    Expected<std::string> text = read_text_file(file, limits.bytes);
    if (!text)
        return text.error();
    return parse_json(std::move(*text), file, limits);
}

std::string escape_pointer_token(std::string_view token)
{
    std::string out;
    for (const char c : token) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

std::string json_excerpt(const nlohmann::json& value)
{
    if (value.is_object())
        return value.empty() ? "{}" : "an object";
    if (value.is_array())
        return value.empty() ? "[]" : fmt::format("a list of {}", value.size());
    std::string out = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    if (out.size() > 80) {
        std::size_t end = 76;
        while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80)
            --end;
        out.resize(end);
        out += "...";
    }
    return out;
}

std::string_view json_type_name(const nlohmann::json& value)
{
    switch (value.type()) {
    case nlohmann::json::value_t::object:
        return "object";
    case nlohmann::json::value_t::array:
        return "array";
    case nlohmann::json::value_t::string:
        return "string";
    case nlohmann::json::value_t::boolean:
        return "boolean";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
        return "integer";
    case nlohmann::json::value_t::number_float:
        return "number";
    default:
        return "null";
    }
}

} // namespace ridgepoint
