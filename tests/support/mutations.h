#pragma once
// Files broken at random, the same way on every run: bytes flipped, cut out, doubled, numbers made huge. What the fuzz
// targets do for hours under sanitizers, in a second.

#include <cstdint>
#include <random>
#include <string>

namespace ridgepoint::test {

template<typename Read>
void with_mutations(const std::string& sound, int rounds, std::uint32_t seed, Read read)
{
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return n == 0 ? std::size_t{0} : static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < rounds; ++round) {
        std::string text = sound;
        for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
            const std::size_t at = below(text.size()), length = 1 + below(24);
            switch (below(6)) {
            case 0: text[at] = static_cast<char>(random()); break;
            case 1: text[at] = static_cast<char>(text[at] ^ (1 << below(8))); break;
            case 2: text.erase(at, length); break;
            case 3: text.insert(at, text.substr(below(text.size()), length)); break;
            case 4: text.insert(at, std::string(length, "\xff\x00{[\"9,-"[below(8)])); break;
            default: text.resize(at); break;
            }
        }
        read(text);
    }
}

} // namespace ridgepoint::test
