#include "app/cli/scan_host.hpp"

#include <set>
#include <string>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/cli/commands/plugin_starts.hpp"

namespace goldsmith::cli {
namespace {

// On this host.
scan::Start start_on(Context& context) {
  return [&context](const std::vector<db::CheckableVersion>& versions, std::set<std::string>& lines,
                    const auto& tell) {
    CheckHost host(context.config(), base::interruptible_sleep, db::Drafts::found);
    PluginStarts starts(host, context);
    lines = starts.lines();
    return starts.start(versions, false, tell);
  };
}

}  // namespace

ScanHost::ScanHost(Context& context)
    : context_(context),
      line_(context.err(), context.shows_progress()),
      host_{context.config(),
            context.clock(),
            *this,
            [&context]() -> db::Database& { return context.database(); },
            [&context] { context.announce_change(); },
            start_on(context)} {}

void ScanHost::report(std::string_view message) {
  line_.clear();
  context_.report(message);
}

}  // namespace goldsmith::cli
