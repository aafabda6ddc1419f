#pragma once
// Work of which only the newest matters: a new request stops the running one, waits for its thread and takes its place; what
// an overtaken request found is dropped.

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <QObject>

#include "app/desktop/background.h"

namespace ridgepoint {

template <typename Result> class Latest {
public:
    using Work = std::function<Result(std::stop_token)>; // runs on another thread, must own what it uses
    using Then = std::function<void(Result)>;

    explicit Latest(QObject* owner, QThreadPool* pool = QThreadPool::globalInstance()) : m_owner(owner), m_pool(pool) {}
    Latest(const Latest&) = delete;
    Latest& operator=(const Latest&) = delete;
    ~Latest() { m_stop.request_stop(); }

    void request(Work work, Then then)
    {
        m_pending = std::pair(std::move(work), std::move(then));
        m_stop.request_stop();
        if (!m_running)
            start();
    }
    void cancel()
    {
        m_pending.reset();
        m_stop.request_stop();
    }
    [[nodiscard]] bool is_busy() const { return m_running || m_pending.has_value(); }

private:
    void start()
    {
        auto [work, then] = *std::exchange(m_pending, std::nullopt);
        m_stop = std::stop_source();
        m_running = true;
        run_in_background(m_owner, [work = std::move(work), stop = m_stop.get_token()] { return work(stop); },
            [this, then = std::move(then), stop = m_stop.get_token()](Result result) {
                m_running = false;
                if (!stop.stop_requested())
                    then(std::move(result));
                if (m_pending && !m_running)
                    start();
            },
            m_pool);
    }

    QObject* m_owner;
    QThreadPool* m_pool;
    std::optional<std::pair<Work, Then>> m_pending;
    std::stop_source m_stop;
    bool m_running = false;
};

} // namespace ridgepoint
