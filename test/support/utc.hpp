// Times in tests: "2024-05-06 07:08:09"_utc, and how Boost.Test prints one.
#pragma once

#include <boost/test/unit_test.hpp>
#include <optional>
#include <ostream>

#include "test/support/utc_literal.hpp"

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
