// Times in tests: "2024-05-06 07:08:09"_utc, and how Boost.Test prints one.
#pragma once

#include <boost/test/unit_test.hpp>
#include <optional>
#include <ostream>
#include <string_view>

#include "app/domain/timestamp.hpp"

namespace goldsmith {

// Throws std::bad_optional_access for a text that is no time.
inline domain::Timestamp operator""_utc(const char* text, std::size_t size) {
  return domain::parse_timestamp(std::string_view(text, size)).value();
}

}  // namespace goldsmith

namespace boost::test_tools::tt_detail {

template <>
struct print_log_value<goldsmith::domain::Timestamp> {
  void operator()(std::ostream& out, const goldsmith::domain::Timestamp& time) const {
    out << goldsmith::domain::format_timestamp(time);
  }
};

template <>
struct print_log_value<std::optional<goldsmith::domain::Timestamp>> {
  void operator()(std::ostream& out,
                  const std::optional<goldsmith::domain::Timestamp>& time) const {
    out << (time ? goldsmith::domain::format_timestamp(*time) : "(absent)");
  }
};

}  // namespace boost::test_tools::tt_detail
