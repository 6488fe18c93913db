#include "app/worker/service_manager.hpp"

#include <systemd/sd-daemon.h>

#include <string>

namespace goldsmith::worker {
namespace {

constexpr std::chrono::seconds kInterval{1};

// A manager that does not listen is no reason to stop serving.
void notify(const std::string& message) { static_cast<void>(sd_notify(0, message.c_str())); }

}  // namespace

void ServiceManager::alive(std::uint64_t requests_served, Time now) {
  if (told_ && now - *told_ < kInterval) return;
  const std::string what = told_ ? "WATCHDOG=1" : "READY=1";
  notify(what + "\nSTATUS=" + std::to_string(requests_served) + " requests served");
  told_ = now;
}

void ServiceManager::stopping() { notify("STOPPING=1"); }

}  // namespace goldsmith::worker
