// What the names are that a log has: of what sources use, includes, and libraries (decision S41).
// No exceptions, no files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"

namespace goldsmith::owner {

struct LogName {
  enum class Kind { name, include, library };  // a library is named as sources do: "reapi"

  Kind kind = Kind::name;
  std::string text;

  friend bool operator==(const LogName&, const LogName&) = default;
};

// The service's list, /server/known-names.txt.
class KnownNames {
 public:
  // std::nullopt if it is not whole, or of another format.
  static std::optional<KnownNames> parse(std::string text);

  // Who has it, in which versions: a sentence each, at most three; one that nobody is known to have
  // it, where that says something.
  std::vector<base::Message> told(const LogName& name) const;
  // Whose the file of a library is, what is wrong with that component's versions, and which of them
  // are held: at most six sentences; none if it is nobody's.
  std::vector<base::Message> told_of_file(std::string_view file) const;
  // Of the plugins with such a file: how the last start with each went, at most two sentences.
  std::vector<base::Message> told_of_plugin(std::string_view file) const;

 private:
  struct Home {
    std::string_view title;
    std::vector<std::string_view> versions;
    std::vector<std::string_view> troubles;  // lines `held` and `defect`
    std::vector<std::string_view> libraries;
  };
  struct Place {
    std::string_view name;
    std::string_view include;
    bool is_include = false;  // the name is that of the include itself
    std::uint32_t home = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  bool read_line(std::string_view line, std::string_view& include);
  bool read_names(std::string_view line, std::string_view include);
  base::Message told(std::string_view name, const Place& place) const;
  const Home* home_of(std::string_view library) const;

  std::unique_ptr<std::string> text_;  // that all views are of
  std::vector<Home> homes_;
  std::vector<std::string_view> starts_;  // lines `runs` and `faulty`
  std::vector<Place> places_;
};

}  // namespace goldsmith::owner
