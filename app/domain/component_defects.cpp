#include <vector>

#include "app/domain/manifest_fields.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::domain {
namespace {

constexpr std::size_t kMostDefects = 100;

Defect read_defect(const Node& node) {
  const Fields fields(node, {"text", "since", "until", "source", "hold"});
  Defect defect;
  defect.text = fields.required("text").line(kTextLimit);
  fields.read("since", read_version, defect.since);
  fields.read("until", read_version, defect.until);
  const Node source = fields.required("source");
  defect.source = read_url(source);
  if (defect.source.empty()) source.location().fail("is empty; it is the address that tells it");
  fields.read("hold", read_flag, defect.holds);
  if (defect.since && defect.until && version_order(*defect.since, *defect.until) >= 0) {
    fields.location().member("until").fail(
        "is not after \"since\"; it names the first version without "
        "the defect");
  }
  return defect;
}

}  // namespace

std::vector<Defect> read_defects(const Node& node) {
  std::vector<Defect> defects;
  for (const Node& element : read_elements(node, kMostDefects)) {
    defects.push_back(read_defect(element));
  }
  return defects;
}

}  // namespace goldsmith::domain
