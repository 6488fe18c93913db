#include "app/cli/scan_host.hpp"

#include "app/cli/start_host.hpp"

namespace goldsmith::cli {

ScanHost::ScanHost(Context& context)
    : context_(context),
      line_(context.err(), context.shows_progress()),
      host_{context.config(),
            context.clock(),
            *this,
            [&context]() -> db::Database& { return context.database(); },
            [&context] { context.announce_change(); },
            [&context] { return start_host(context); }} {}

void ScanHost::report(std::string_view message) {
  line_.clear();
  context_.report(message);
}

}  // namespace goldsmith::cli
