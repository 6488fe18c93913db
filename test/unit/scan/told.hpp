// What a scan tells, for tests.
#pragma once

#include <string>
#include <vector>

#include "app/scan/host.hpp"

namespace goldsmith::scan {

class Told : public Progress {
 public:
  void show(std::string_view /*what*/) override {}
  void show_count(std::string_view /*what*/, std::size_t /*done*/, std::size_t /*total*/) override {
  }
  void show_transfer(const std::string& /*name*/, std::uint64_t /*done*/,
                     std::uint64_t /*total*/) override {}
  void end() override {}
  void report(std::string_view message) override { reports.emplace_back(message); }

  std::vector<std::string> reports;
};

}  // namespace goldsmith::scan
