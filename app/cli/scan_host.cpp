#include "app/cli/scan_host.hpp"

#include <memory>
#include <set>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/cli/commands/plugin_starts.hpp"

namespace goldsmith::cli {
namespace {

class HostStarts : public scan::Starts {
 public:
  explicit HostStarts(Context& context)
      : host_(context.config(), base::interruptible_sleep, db::Drafts::found),
        starts_(host_, context) {}

  std::set<std::string> lines() override { return starts_.lines(); }
  std::vector<scan::StartedVersion> start(
      const std::vector<db::CheckableVersion>& versions,
      const std::function<void(std::size_t done, std::size_t total)>& tell) override {
    return starts_.start(versions, false, tell);
  }

 private:
  CheckHost host_;
  PluginStarts starts_;
};

}  // namespace

ScanHost::ScanHost(Context& context)
    : context_(context),
      line_(context.err(), context.shows_progress()),
      host_{context.config(),
            context.clock(),
            *this,
            [&context]() -> db::Database& { return context.database(); },
            [&context] { context.announce_change(); },
            [&context] { return std::make_unique<HostStarts>(context); }} {}

void ScanHost::report(std::string_view message) {
  line_.clear();
  context_.report(message);
}

}  // namespace goldsmith::cli
