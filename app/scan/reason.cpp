#include "app/scan/reason.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "app/base/text.hpp"

namespace goldsmith::scan {
namespace {

using Kind = Reason::Kind;

Reason made(Kind kind, const std::string& text) { return {kind, base::one_line(text)}; }

std::string shown(const std::string& text) { return text.empty() ? "none" : '"' + text + '"'; }

}  // namespace

namespace reasons {

Reason doubt(domain::Doubt doubt, const std::string& repository) {
  return made(Kind::doubt, text_of(doubt, repository));
}

Reason policy() { return made(Kind::policy, "mirror.publish_plugins is \"ask\""); }

Reason inbox() { return made(Kind::inbox, "it was left in the inbox"); }

Reason new_plugin() {
  return made(Kind::new_plugin, "it is new, and new plugins of its repository are drafts");
}

Reason tag(const std::string& text) { return made(Kind::number, text); }

Reason number(domain::VersionStep step, const domain::Version& former) {
  return made(Kind::number, domain::told(step, former.str() + ", which is published"));
}

Reason compile(const std::string& line, const domain::Version& former, const std::string& why) {
  return made(Kind::compile,
              fmt::format("it does not compile with {}, as {} does: {}", line, former.view(), why));
}

Reason claim(std::string_view what, const std::string& before, const std::string& now) {
  return made(Kind::claim,
              fmt::format("its {} was {}, and is {} now", what, shown(before), shown(now)));
}

Reason question(const std::string& text) { return made(Kind::question, "it asks: " + text); }

Reason place(const std::string& file) { return made(Kind::place, file); }

Reason not_started(const std::string& line, const domain::Version& former) {
  return made(Kind::not_started,
              fmt::format("it was not started with {} yet, as {} was", line, former.view()));
}

Reason start(const std::string& line, const domain::Version& former, const std::string& message) {
  return made(Kind::start, fmt::format("it does not run with {}, as {} does{}", line, former.view(),
                                       message.empty() ? "" : ": " + message));
}

Reason not_tried() { return made(Kind::not_tried, "it was not tried yet"); }

}  // namespace reasons

std::vector<std::string> texts_of(const std::vector<Reason>& reasons) {
  std::vector<std::string> texts;
  for (const Reason& each : reasons) texts.push_back(each.text);
  return texts;
}

std::string held_for(const std::vector<Reason>& reasons) {
  return base::join(texts_of(reasons), "\n");
}

bool is_held_for(std::string_view held, const Reason& reason) {
  const std::vector<std::string_view> lines = base::split(held, '\n');
  return std::ranges::find(lines, reason.text) != lines.end();
}

}  // namespace goldsmith::scan
