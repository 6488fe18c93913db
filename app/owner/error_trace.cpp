#include "app/owner/error_trace.hpp"

#include <algorithm>

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::size_t kLongestWord = 100;
constexpr std::string_view kOfMod = "[AMXX] ";
constexpr std::string_view kFrame = " [0] ";  // the function in which it happened

bool is_ascii(std::string_view text) {
  return !text.empty() && text.size() <= kLongestWord &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string_view plugin_of(std::string_view line) { return word_between(line, "(plugin \"", "\""); }

}  // namespace

std::string_view word_between(std::string_view line, std::string_view before,
                              std::string_view behind) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + before.size());
  const std::size_t end = line.find(behind);
  if (end == std::string_view::npos) return {};
  line = line.substr(0, end);
  return is_ascii(line) && line.find(' ') == std::string_view::npos ? line : std::string_view();
}

bool ErrorTrace::is_of(std::string_view line) {
  const std::size_t at = line.find(kOfMod);
  if (at == std::string_view::npos) return false;
  const std::string_view text = line.substr(at + kOfMod.size());
  return text.starts_with("Displaying debug trace") || text.starts_with("Run time error ") ||
         line.find(kFrame) != std::string_view::npos;
}

bool ErrorTrace::ends_before(std::string_view line) const {
  return !plugin_.empty() && !plugin_of(line).empty();
}

void ErrorTrace::add(std::string_view line) {
  if (const auto plugin = plugin_of(line); !plugin.empty()) plugin_ = plugin;
  if (const auto native = word_between(line, "(native \"", "\""); !native.empty()) native_ = native;
  const std::size_t frame = line.find(kFrame);
  if (!place_.empty() || frame == std::string_view::npos) return;
  if (const auto place = line.substr(frame + kFrame.size()); is_ascii(place)) place_ = place;
}

std::optional<Message> ErrorTrace::told() const {
  const std::string separator = native_.empty() || place_.empty() ? "" : ", ";
  const std::string where = native_ + separator + place_;
  if (plugin_.empty() || where.empty()) return std::nullopt;
  return Message("It happens in {plugin}: {where}", {{"plugin", plugin_}, {"where", where}});
}

}  // namespace goldsmith::owner
