#include "app/owner/fetching.hpp"

#include <fcntl.h>

#include <utility>

#include "app/owner/folder.hpp"
#include "app/owner/service.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::size_t kMostKnown = 512U << 20;  // bytes of the list
constexpr std::size_t kMostKnownNames = 32U << 20;
constexpr std::string_view kKnownFiles = "/server/known-files.txt";
constexpr std::string_view kKnownNames = "/server/known-names.txt";

std::string text_of_known(const Caller& caller, const std::string& file, const std::string& agent) {
  if (!file.empty()) {
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    auto content = opened ? read_beginning(opened.get(), kMostKnown) : std::nullopt;
    if (!content) fail(Message("cannot read {path}", {{"path", shown(file)}}));
    return std::move(*content);
  }
  const Message::Value service{"service", caller.service};
  Service from(caller, agent);
  Answer answer = from.get(caller.service + std::string(kKnownFiles), kMostKnown);
  if (answer.status == 0) fail(Message("cannot reach {service}", {service}));
  if (answer.status == 200) return std::move(answer.body);
  from.refuse(answer, Message("{service} answered {status}",
                              {service, {"status", std::to_string(answer.status)}}));
}

}  // namespace

std::optional<KnownFiles> fetch_known_files(const Caller& caller, const std::string& file,
                                            const std::string& agent) {
  std::string text;
  try {
    text = text_of_known(caller, file, agent);
  } catch (const Stop& stop) {
    if (!stop.message.empty()) caller.fail(stop.status, stop.message);
    return std::nullopt;
  }
  KnownFiles::Problem problem{};
  auto known = KnownFiles::parse(std::move(text), problem);
  if (known) return known;
  switch (problem) {
    case KnownFiles::Problem::format:
      caller.fail(1, Message("the list of known files is of an unknown format; get the current "
                             "script from {service}",
                             {{"service", caller.service}}));
      break;
    case KnownFiles::Problem::incomplete:
      caller.fail(1, Message("the list of known files is not complete; try again", {}));
      break;
    case KnownFiles::Problem::damaged:
      caller.fail(1, Message("the list of known files is damaged", {}));
      break;
  }
  return std::nullopt;
}

std::optional<KnownNames> fetch_known_names(const Caller& caller, const std::string& file) {
  std::optional<std::string> text;
  if (!file.empty()) {
    const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    text = opened ? read_beginning(opened.get(), kMostKnownNames) : std::nullopt;
  } else if (!caller.service.empty()) {
    try {
      Answer answer = Service(caller, "goldsmith-explain/1")
                          .get(caller.service + std::string(kKnownNames), kMostKnownNames);
      if (answer.status == 200) text = std::move(answer.body);
    } catch (const Stop&) {
      // As without a service.
    }
  }
  const bool is_read = text.has_value();
  std::optional<KnownNames> known = is_read ? KnownNames::parse(std::move(*text)) : std::nullopt;
  if (!known && !file.empty()) {
    caller.fail(2, is_read ? Message("{path} is no list of known names", {{"path", shown(file)}})
                           : Message("cannot read {path}", {{"path", shown(file)}}));
  }
  return known;
}

}  // namespace goldsmith::owner
