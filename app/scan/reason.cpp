#include "app/scan/reason.hpp"

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

}  // namespace goldsmith::scan
