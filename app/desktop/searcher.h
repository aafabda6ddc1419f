#pragma once
// One search on a thread of its own, told in snapshots. A stopped search tells what it had found; one that was overtaken by
// another tells nothing more.

#include <memory>
#include <thread>

#include <QObject>

#include "views/panels/search_panel.h"

namespace ridgepoint {

class Searcher final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    ~Searcher() override; // stops, and waits for the few milliseconds that takes

    void start(const Plan& plan, const SearchSpace& space, const SearchOptions& options, const SpecStore& specs);
    void stop();
    [[nodiscard]] bool is_busy() const { return m_busy; }

signals:
    void progressed(std::shared_ptr<const ridgepoint::SearchSnapshot> snapshot); // running or at its end
    void failed(const ridgepoint::Error& error);

private:
    void tell(quint64 generation, SearchSnapshot snapshot); // from the search's thread

    std::jthread m_thread;
    quint64 m_generation = 0;
    bool m_busy = false;
};

} // namespace ridgepoint
