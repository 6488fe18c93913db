#include "app/cli/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "app/cli/context.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::size_t kMaxBarWidth = 30;
constexpr std::size_t kMinBarWidth = 8;
constexpr std::size_t kMinNameWidth = 12;
constexpr std::chrono::milliseconds kRedrawInterval{100};

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string shortened(const std::string& name, std::size_t width) {
  if (sys::display_width(name) <= width) return name;
  return std::string(sys::first_columns(name, width - 1)) + "…";
}

std::string human_time(std::uint64_t seconds) {
  if (seconds < 100) return std::to_string(seconds) + " s";
  if (seconds < 100 * 60) return std::to_string(seconds / 60) + " min";
  return std::to_string(seconds / 3600) + " h";
}

std::string bar(const Transfer& transfer, std::size_t width) {
  const std::size_t filled =
      static_cast<std::size_t>(static_cast<double>(width) * static_cast<double>(transfer.done) /
                               static_cast<double>(transfer.total));
  return '[' + std::string(filled, '#') + std::string(width - filled, '.') + ']';
}

// What stands behind the bar.
std::string figures(const Transfer& transfer) {
  std::string text;
  if (transfer.total > 0) {
    text = std::to_string(transfer.done * 100 / transfer.total) + " %  " +
           sys::readable_size(transfer.done) + " of " + sys::readable_size(transfer.total);
  } else {
    text = sys::readable_size(transfer.done);
  }
  const double seconds = static_cast<double>(transfer.elapsed.count()) / 1000;
  if (seconds < 0.5 || transfer.done == 0) return text;
  const double rate = static_cast<double>(transfer.done) / seconds;
  text += "  " + sys::readable_size(static_cast<std::uint64_t>(rate)) + "/s";
  if (transfer.total > transfer.done) {
    text += "  " +
            human_time(static_cast<std::uint64_t>(
                static_cast<double>(transfer.total - transfer.done) / rate)) +
            " left";
  }
  return text;
}

}  // namespace

std::string describe(const Transfer& whole, std::size_t width) {
  Transfer transfer = whole;
  transfer.total = transfer.total > 0 ? std::max(transfer.total, transfer.done) : 0;
  const std::string end = figures(transfer);
  const std::size_t fixed = sys::display_width(end) + 2;
  const std::size_t left = width > fixed + kMinNameWidth ? width - fixed : kMinNameWidth;
  const std::string name = shortened(transfer.name, left);
  const std::size_t name_width = sys::display_width(name);
  if (transfer.total > 0 && left >= name_width + 2 + kMinBarWidth + 2) {
    const std::size_t bar_width = std::min(left - name_width - 4, kMaxBarWidth);
    return name + "  " + bar(transfer, bar_width) + "  " + end;
  }
  return name + "  " + end;
}

ProgressLine::ProgressLine(std::ostream& terminal, bool is_terminal)
    : terminal_(terminal), is_terminal_(is_terminal) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::show(std::string_view what) {
  if (is_terminal_) draw(shortened(one_line(what), terminal_width() - 1));
}

void ProgressLine::show_transfer(const std::string& name, std::uint64_t done, std::uint64_t total) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (name != name_) {
    name_ = name;
    begun_ = now;
  } else if (done != total && now - drawn_at_ < kRedrawInterval) {
    return;
  }
  drawn_at_ = now;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - begun_);
  draw(describe({one_line(name), done, total, elapsed}, terminal_width() - 1));
}

void ProgressLine::show_count(std::string_view what, std::size_t done, std::size_t total) {
  const Clock::time_point now = Clock::now();
  if (done != total && now - drawn_at_ < kRedrawInterval) return;
  drawn_at_ = now;
  show(std::to_string(done) + " of " + std::to_string(total) + " " + std::string(what));
}

void ProgressLine::clear() {
  if (drawn_) terminal_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

void ProgressLine::draw(const std::string& line) {
  terminal_ << '\r' << line << "\x1b[K" << std::flush;
  drawn_ = true;
}

}  // namespace goldsmith::cli
