// TensorBoard event files: TFRecords (uint64 length, masked crc32c of it, payload, masked crc32c of that) of Event messages.
// A run that is still going ends in a cut record.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/training/protobuf_fields.h"
#include "model/measured/training/quantities.h"
#include "model/measured/training/training_formats.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int k = 0; k < 8; ++k)
            c = (c & 1U) != 0 ? 0x82f63b78U ^ (c >> 1) : c >> 1; // Castagnoli
        table[i] = c;
    }
    return table;
}();

std::uint32_t masked_crc32c(std::string_view data)
{
    std::uint32_t c = 0xffffffffU;
    for (const char byte : data)
        c = crc_table[(c ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (c >> 8);
    c ^= 0xffffffffU;
    return ((c >> 15) | (c << 17)) + 0xa282ead8U;
}

std::uint64_t little_endian(std::string_view bytes)
{
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        v |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return v;
}

// The one number of a scalar TensorProto (dtype 1, tensor_content 4, float_val 5, double_val 6, int_val 7, int64_val 10).
std::optional<double> scalar_of(std::string_view tensor)
{
    std::uint64_t type = 1;
    std::optional<double> value;
    std::string_view content;
    ProtobufFields fields(tensor);
    ProtobufField f;
    while (fields.next(f)) {
        const bool packed = f.wire == ProtobufField::bytes;
        if (f.number == 1 && f.wire == ProtobufField::varint)
            type = f.value;
        else if (f.number == 4 && packed)
            content = f.data;
        else if (f.number == 5 && packed && f.data.size() == 4)
            value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(f.data))));
        else if (f.number == 5 && f.wire == ProtobufField::fixed32)
            value = static_cast<double>(f.as_float());
        else if (f.number == 6 && packed && f.data.size() == 8)
            value = std::bit_cast<double>(little_endian(f.data));
        else if (f.number == 6 && f.wire == ProtobufField::fixed64)
            value = f.as_double();
        else if ((f.number == 7 || f.number == 10) && f.wire == ProtobufField::varint)
            value = static_cast<double>(static_cast<std::int64_t>(f.value));
        else if ((f.number == 7 || f.number == 10) && packed) {
            std::uint64_t v = 0;
            for (std::size_t i = 0; i < f.data.size() && i < 10; ++i)
                v |= static_cast<std::uint64_t>(static_cast<unsigned char>(f.data[i]) & 0x7fU) << std::min<std::size_t>(63, 7 * i);
            value = static_cast<double>(static_cast<std::int64_t>(v));
        }
    }
    if (fields.broken())
        return std::nullopt;
    if (!value && content.size() == 4 && (type == 1 || type == 3))
        value = type == 1 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(content)))) : static_cast<double>(static_cast<std::int32_t>(little_endian(content)));
    else if (!value && content.size() == 8 && (type == 2 || type == 9))
        value = type == 2 ? std::bit_cast<double>(little_endian(content)) : static_cast<double>(static_cast<std::int64_t>(little_endian(content)));
    else if (!value && content.size() == 2 && type == 14) // bfloat16 is the upper half of a float
        value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(content)) << 16));
    return value;
}

class EventReader {
public:
    Expected<Measured> read(std::string_view text, const std::string& file)
    {
        m_log.framework = "TensorBoard";
        std::size_t at = 0;
        while (at < text.size()) {
            const std::string place = fmt::format("byte {}", at);
            const std::uint64_t length = text.size() - at >= 12 ? little_endian(text.substr(at, 8)) : 0;
            if (text.size() - at < 12 || length > text.size() - at - 12 || text.size() - at - 12 - static_cast<std::size_t>(length) < 4) {
                // A length that its checksum does not vouch for is damage, not the end of a running job.
                const bool sound = text.size() - at < 12 || masked_crc32c(text.substr(at, 8)) == little_endian(text.substr(at + 8, 4));
                skip(m_skipped, sound ? "the last record is cut; the run may be going on" : "damaged length of a record; what follows cannot be read", place);
                m_truncated = true;
                break;
            }
            const std::string_view payload = text.substr(at + 12, static_cast<std::size_t>(length));
            if (masked_crc32c(text.substr(at, 8)) != little_endian(text.substr(at + 8, 4))) {
                skip(m_skipped, "damaged length of a record; what follows cannot be read", place);
                m_truncated = true;
                break;
            }
            if (masked_crc32c(payload) != little_endian(text.substr(at + 12 + static_cast<std::size_t>(length), 4)))
                skip(m_skipped, "record with a wrong checksum", place);
            else
                event(payload, place);
            ++m_records;
            at += 16 + static_cast<std::size_t>(length);
        }
        return finish(file);
    }

private:
    void event(std::string_view message, const std::string& place)
    {
        double wall = 0;
        std::int64_t step = 0;
        std::vector<std::string_view> summaries;
        ProtobufFields fields(message);
        ProtobufField f;
        while (fields.next(f)) {
            if (f.number == 1 && f.wire == ProtobufField::fixed64)
                wall = f.as_double();
            else if (f.number == 2 && f.wire == ProtobufField::varint)
                step = static_cast<std::int64_t>(f.value);
            else if (f.number == 5 && f.wire == ProtobufField::bytes)
                summaries.push_back(f.data);
        }
        if (fields.broken()) {
            skip(m_skipped, "event that is no protobuf message", place);
            return;
        }
        for (const std::string_view summary : summaries) {
            ProtobufFields values(summary);
            while (values.next(f))
                if (f.number == 1 && f.wire == ProtobufField::bytes)
                    scalar(f.data, step, wall, place);
        }
    }

    void scalar(std::string_view value, std::int64_t step, double wall, const std::string& place)
    {
        std::string_view tag;
        std::optional<double> v;
        ProtobufFields fields(value);
        ProtobufField f;
        while (fields.next(f)) {
            if (f.number == 1 && f.wire == ProtobufField::bytes)
                tag = f.data;
            else if (f.number == 2 && f.wire == ProtobufField::fixed32)
                v = static_cast<double>(f.as_float());
            else if (f.number == 8 && f.wire == ProtobufField::bytes && !v)
                v = scalar_of(f.data);
        }
        if (fields.broken() || tag.empty() || tag.size() > 500) {
            skip(m_skipped, "summary that is no protobuf message", place);
            return;
        }
        if (m_tags.size() < 100'000 || m_tags.contains(tag))
            ++m_tags.emplace(std::string(tag), 0).first->second;
        if (!v)
            return; // a picture, a histogram, text
        ++m_scalars;
        // Megatron writes every figure a second time against samples: "lm loss vs samples".
        if (tag.ends_with(" vs samples") || tag.ends_with("/eval") || tag.starts_with("eval") || tag.starts_with("val"))
            return;
        auto q = quantity_named(tag);
        if (!q && tag == "throughput") // Megatron's --log-throughput
            q = NamedQuantity{TrainingQuantity::flops_per_gpu, 1e12};
        if (q && (q->quantity == TrainingQuantity::global_batch || q->quantity == TrainingQuantity::gpus || q->quantity == TrainingQuantity::sequence_length))
            put_setting(m_log, q->quantity == TrainingQuantity::global_batch ? "global_batch_size" : q->quantity == TrainingQuantity::gpus ? "world_size" : "seq_length", *v);
        if (!q || step < 0)
            return;
        TrainingStep& s = m_steps[step];
        s.step = step;
        if (q->quantity != TrainingQuantity::step)
            put(s, *q, *v);
        m_clock[step] = wall;
    }

    Expected<Measured> finish(const std::string& file)
    {
        std::vector<std::string> notes;
        for (auto& [step, s] : m_steps)
            m_log.steps.push_back(s);
        const bool timed = std::any_of(m_log.steps.begin(), m_log.steps.end(), [](const TrainingStep& s) { return s.time || s.tokens_per_second || s.tokens_per_second_per_gpu; });
        if (!timed && m_clock.size() > 1) {
            for (std::size_t i = 1; i < m_log.steps.size(); ++i) { // in the order of the steps, as m_clock
                const std::int64_t from = m_log.steps[i - 1].step, to = m_log.steps[i].step;
                const double seconds = (m_clock[to] - m_clock[from]) / static_cast<double>(to - from);
                if (seconds > 0 && std::isfinite(seconds))
                    m_log.steps[i].time = Seconds{seconds};
            }
            notes.emplace_back("No tag states a time of a step: it is the clock between two events over the steps in between, evaluation and checkpoints included.");
        }
        nlohmann::json tags = nlohmann::json::object();
        for (const auto& [tag, n] : m_tags)
            tags[printable(tag)] = n;
        const nlohmann::json own = {{"n_records", m_records}, {"n_scalars", m_scalars}, {"n_tags", m_tags.size()}, {"tags", tags}, {"truncated", m_truncated}};
        if (m_log.steps.empty())
            return bad_input(fmt::format("the event file has no scalar of training that is known here ({} tags)", m_tags.size()), Place{file, 0, {}}, m_tags.empty() ? std::string() : printable(m_tags.begin()->first), "tags such as iteration-time, throughput(tps), train_step_timing in s");
        return finished("TensorBoard events", file, std::move(m_log), std::move(m_skipped), std::move(notes), own);
    }

    static std::string printable(std::string_view tag)
    {
        std::string out;
        for (const char c : tag)
            out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
        return out;
    }

    TrainingLog m_log;
    std::vector<Skipped> m_skipped;
    std::map<std::int64_t, TrainingStep> m_steps;
    std::map<std::int64_t, double> m_clock; // seconds since 1970
    std::map<std::string, std::int64_t, std::less<>> m_tags;
    std::int64_t m_records = 0, m_scalars = 0;
    bool m_truncated = false;
};

bool recognises(std::string_view text) { return text.size() >= 12 && masked_crc32c(text.substr(0, 8)) == little_endian(text.substr(8, 4)); }

Expected<Measured> read(std::string_view text, const std::string& file) { return EventReader().read(text, file); }

} // namespace

TextFormat event_file_format() { return {"TensorBoard events", recognises, read}; }

} // namespace ridgepoint
