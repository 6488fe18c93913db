#include "app/scan/reason.hpp"

#include <algorithm>

#include "app/base/text.hpp"

namespace goldsmith::scan {

Reason::Reason(Kind why, std::string_view sentence) : kind(why), text(base::one_line(sentence)) {}

Reason::Reason(domain::Doubt doubt, const std::string& repository)
    : Reason(Kind::doubt, text_of(doubt, repository)) {}

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
