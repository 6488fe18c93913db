// This host as scans see it, and the line of progress that they write.
#pragma once

#include <string>
#include <string_view>

#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/scan/host.hpp"

namespace goldsmith::cli {

// `context` must outlive the object.
class ScanHost : private scan::Progress {
 public:
  explicit ScanHost(Context& context);
  ScanHost(const ScanHost&) = delete;
  ScanHost& operator=(const ScanHost&) = delete;

  operator const scan::Host&() const { return host_; }

 private:
  void show(std::string_view what) override { line_.show(what); }
  void show_count(std::string_view what, std::size_t done, std::size_t total) override {
    line_.show_count(what, done, total);
  }
  void show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total) override {
    line_.show_transfer(name, done, total);
  }
  void end() override { line_.clear(); }
  void report(std::string_view message) override;

  Context& context_;
  ProgressLine line_;
  const scan::Host host_;
};

}  // namespace goldsmith::cli
