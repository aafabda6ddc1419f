#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/economics/cost.h"
#include "model/hardware/read.h"
#include "model/specs/nearest.h"
#include "model/specs/reader.h"

namespace ridgepoint {
namespace {

// "eu-*" covers every region that starts with "eu-".
bool covers(const std::string& pattern, const std::string& region)
{
    if (!pattern.empty() && pattern.back() == '*')
        return region.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
    return pattern == region;
}

std::optional<std::string> book_of(const SpecStore& specs, const std::string& instance)
{
    if (specs.contains(SpecKind::price, instance))
        return instance;
    for (const std::string& id : specs.ids(SpecKind::price))
        if (SpecReader(specs, SpecKind::price, id).text_or("/instance", {}) == instance)
            return id;
    return std::nullopt;
}

Error not_sold(const SpecStore& specs, SpecReader& book, const std::string& region, const std::string& term)
{
    Error e = bad_input(fmt::format("no {} price of {} in {}", term, book.text_or("/instance", book.id()), region),
        specs.place_of(SpecKind::price, book.id()), fmt::format("{} in {}", term, region));
    std::set<std::string> offers;
    for (std::size_t i = 0; i < book.size("/prices"); ++i) {
        const std::string at = fmt::format("/prices/{}", i);
        for (std::size_t r = 0; r < book.size(at + "/regions"); ++r)
            offers.insert(fmt::format("{} in {}", book.text_or(at + "/term", {}), book.text_or(fmt::format("{}/regions/{}", at, r), {})));
    }
    e.expected = offers.empty() ? std::string() : fmt::format("{}", fmt::join(offers, ", "));
    if (book.has("/not_sold/" + term))
        e.hint = fmt::format("{}: {}", term, book.text_or("/not_sold/" + term, {}));
    else
        e.hint = "Take one of these or give your own rate (term \"custom\")";
    return e;
}

} // namespace

Expected<Price> find_price(const SpecStore& specs, const std::string& instance, const std::string& region, const std::string& term)
{
    const std::optional<std::string> id = book_of(specs, instance);
    if (!id) {
        Error e = bad_input(fmt::format("no price of {} is known", instance), {}, "\"" + instance + "\"");
        e.hint = "Give your own rate (term \"custom\"), or add a file to specs/prices";
        return e;
    }
    SpecReader book(specs, SpecKind::price, *id);
    for (std::size_t i = 0; i < book.size("/prices"); ++i) {
        const std::string at = fmt::format("/prices/{}", i);
        if (book.text(at + "/term") != term)
            continue;
        bool sold = false;
        for (std::size_t r = 0; r < book.size(at + "/regions"); ++r)
            sold = sold || covers(book.text(fmt::format("{}/regions/{}", at, r)), region);
        if (!sold)
            continue;
        Price price;
        price.instance = instance;
        price.region = region;
        price.term = term;
        const std::string field = at + (book.has(at + "/per_gpu") ? "/per_gpu" : "/per_instance");
        price.per_gpu = book.quantity<DollarsPerSecond>(field);
        if (!book.has(at + "/per_gpu")) {
            const Expected<Node> node = read_node(specs, instance);
            if (!node)
                return node.error();
            price.per_gpu /= static_cast<double>(node->accelerators);
        }
        if (!book.ok())
            return book.error();
        if (const auto origin = specs.provenance(SpecKind::price, *id, field)) {
            price.date = origin->date;
            price.source = origin->source;
            price.note = origin->note;
        }
        return price;
    }
    if (!book.ok())
        return book.error();
    return not_sold(specs, book, region, term);
}

Price custom_price(const std::string& instance, double dollars_per_gpu_hour)
{
    Price price;
    price.instance = instance;
    price.term = "custom";
    price.per_gpu = dollars_per_hour(dollars_per_gpu_hour);
    price.source = "your own rate";
    return price;
}

} // namespace ridgepoint
