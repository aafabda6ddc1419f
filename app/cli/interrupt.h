#pragma once
// Ctrl-C asks the running work to stop and lets the program print what it has, while one of these lives. One at a time.

#include <stop_token>

namespace ridgepoint::cli {

class Interrupt {
public:
    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    void (*m_before)(int);
};

} // namespace ridgepoint::cli
