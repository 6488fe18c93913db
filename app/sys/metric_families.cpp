#include "app/sys/metric_families.hpp"

namespace goldsmith::sys::metric {
namespace {

std::string escaped(std::string_view value) {
  std::string text;
  for (const char byte : value) {
    if (byte == '\\' || byte == '"') text += '\\';
    text += byte == '\n' ? ' ' : byte;
  }
  return text;
}

}  // namespace

std::string key_of(const MetricFamily& family, std::string_view suffix,
                   std::span<const LabelText> labels, std::string_view bound) {
  std::string key(family.name);
  key += suffix;
  char separator = '{';
  for (std::size_t each = 0; each < labels.size(); ++each) {
    key +=
        separator + std::string(family.labels[each]) + "=\"" + escaped(labels[each].view()) + '"';
    separator = ',';
  }
  if (!bound.empty()) {
    key += separator + std::string("le=\"") + std::string(bound) + '"';
    separator = ',';
  }
  return separator == '{' ? key : key + '}';
}

}  // namespace goldsmith::sys::metric
