#include "app/cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include <fmt/core.h>

#include "app/base/text.hpp"
#include "app/cli/context.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::cli {

namespace {

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), domain::is_digit);
}

// A wider cell would push the columns behind it off the screen, in every row.
constexpr std::size_t kMaxAligned = 60;

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
  if (base::display_width(name) <= width) return name;
  return std::string(base::first_columns(name, width - 1)) + "…";
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
    text = fmt::format("{} %  {} of {}", transfer.done * 100 / transfer.total,
                       base::readable_size(transfer.done), base::readable_size(transfer.total));
  } else {
    text = base::readable_size(transfer.done);
  }
  const double seconds = static_cast<double>(transfer.elapsed.count()) / 1000;
  if (seconds < 0.5 || transfer.done == 0) return text;
  const double rate = static_cast<double>(transfer.done) / seconds;
  text += "  " + base::readable_size(static_cast<std::uint64_t>(rate)) + "/s";
  if (transfer.total > transfer.done) {
    text += "  " +
            human_time(static_cast<std::uint64_t>(
                static_cast<double>(transfer.total - transfer.done) / rate)) +
            " left";
  }
  return text;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = base::printable(cell);
  rows_.push_back(std::move(row));
}

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths;
  std::vector<bool> are_numbers(headers_.size(), true);
  for (std::size_t i = 0; i < headers_.size(); ++i) {
    widths.push_back(base::display_width(headers_[i]));
    for (const auto& row : rows_) {
      if (const std::size_t width = base::display_width(row.at(i)); width <= kMaxAligned) {
        widths[i] = std::max(widths[i], width);
      }
      are_numbers[i] = are_numbers[i] && is_number(row.at(i));
    }
  }
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::size_t width = base::display_width(row[i]);
      const std::string padding(widths[i] - std::min(widths[i], width), ' ');
      if (i > 0) line += "  ";
      line += are_numbers[i] ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(headers_);
  for (const auto& row : rows_) print_row(row);
}

void print_fields(std::ostream& out,
                  const std::vector<std::pair<std::string, std::string>>& fields) {
  std::size_t column = 0;
  for (const auto& [name, value] : fields) column = std::max(column, base::display_width(name) + 2);
  for (const auto& [name, value] : fields) {
    out << name;
    if (!value.empty()) out << std::string(column - base::display_width(name), ' ') << value;
    out << '\n';
  }
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

PrintableBuffer::~PrintableBuffer() { pass_on(); }

PrintableBuffer::int_type PrintableBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return sync();
  line_ += traits_type::to_char_type(character);
  if (line_.back() == '\n') pass_on();
  return out_ ? character : traits_type::eof();
}

int PrintableBuffer::sync() {
  pass_on();
  return out_.flush() ? 0 : -1;
}

void PrintableBuffer::pass_on() {
  out_ << base::printable(line_, "\n\t");
  line_.clear();
}

std::string describe(const Transfer& whole, std::size_t width) {
  Transfer transfer = whole;
  transfer.total = transfer.total > 0 ? std::max(transfer.total, transfer.done) : 0;
  const std::string end = figures(transfer);
  const std::size_t fixed = base::display_width(end) + 2;
  const std::size_t left = width > fixed + kMinNameWidth ? width - fixed : kMinNameWidth;
  const std::string name = shortened(transfer.name, left);
  const std::size_t name_width = base::display_width(name);
  if (transfer.total > 0 && left >= name_width + 2 + kMinBarWidth + 2) {
    const std::size_t bar_width = std::min(left - name_width - 4, kMaxBarWidth);
    return name + "  " + bar(transfer, bar_width) + "  " + end;
  }
  return shortened(name + "  " + end, width);
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
  show(fmt::format("{} of {} {}", done, total, what));
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
