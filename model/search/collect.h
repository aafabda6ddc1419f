#pragma once
// What a search keeps of the points that it has seen. Private to the search floor.

#include "model/search/search.h"

namespace ridgepoint {

class Collector {
public:
    explicit Collector(const SearchOptions& options) : m_options(options) {}

    void keep(const FoundPlan& plan);
    void broken(LayoutRule rule, const SearchPoint& point);
    void rejected(Rejection why, const FoundPlan& plan, Bytes wanted_headroom);
    void add(const SearchResult& other); // of other points

    SearchResult& result() { return m_result; }

private:
    void keep_best(const FoundPlan& plan);
    void keep_pareto(const FoundPlan& plan);
    static void count(RejectionCount& c, const SearchPoint& point);

    const SearchOptions& m_options;
    SearchResult m_result;
};

void sort_pareto(SearchResult& result);

} // namespace ridgepoint
