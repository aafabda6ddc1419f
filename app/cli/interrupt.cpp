#include "app/cli/interrupt.h"

#include <csignal>

namespace ridgepoint::cli {
namespace {

std::stop_source* interrupted = nullptr;
extern "C" void on_interrupt(int) { interrupted->request_stop(); }

} // namespace

Interrupt::Interrupt()
{
    interrupted = &m_stop;
    m_before = std::signal(SIGINT, on_interrupt);
}

Interrupt::~Interrupt()
{
    std::signal(SIGINT, m_before);
    interrupted = nullptr;
}

} // namespace ridgepoint::cli
