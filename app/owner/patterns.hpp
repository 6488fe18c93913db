// The patterns that tell causes in logs (decision S34): the subset of regular expressions that
// scripts/tools/log-causes allows. No exceptions, and time that is linear in the line.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace goldsmith::owner {

struct Pattern {
  std::size_t number = 0;  // of what it tells; several patterns may have one
  std::string_view text;
};

// All patterns as one automaton, whose states are made when a line needs them, at most 2,000 at a
// time.
class Patterns {
 public:
  // Precondition: they are of the subset, which the build checks.
  explicit Patterns(std::span<const Pattern> patterns);

  // The numbers of those that the line has, each once, from the lowest. Bytes, not characters: `.`
  // and a set that excludes take any byte.
  std::vector<std::size_t> all_in(std::string_view line);

 private:
  friend class PatternReader;

  static constexpr std::size_t kEnd = 256;  // the symbol behind the last byte of a line
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t kUnmade = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kMostStates = 2000;

  using Symbols = std::bitset<kEnd + 1>;

  // Of the automaton that the patterns say: takes a symbol, goes two ways, or is the end of one.
  struct Node {
    enum class Kind { takes, splits, begins, accepts } kind = Kind::splits;
    Symbols symbols = {};
    std::size_t next = kNone;
    std::size_t other = kNone;   // of `splits`
    std::size_t number = kNone;  // of `accepts`
  };

  // A set of nodes in which all patterns may be.
  struct State {
    std::vector<std::uint32_t> nodes;
    std::vector<std::size_t> accepts;  // the numbers of patterns that end here
    std::vector<std::uint32_t> next;   // by class of symbols
  };

  std::size_t add(const Node& node);
  void classify();
  void enter(std::size_t node, bool at_begin, std::vector<bool>& is_in,
             std::vector<std::uint32_t>& nodes) const;
  std::uint32_t state_of(std::vector<std::uint32_t> nodes);
  std::uint32_t first_state();
  std::uint32_t step(std::uint32_t state, std::size_t symbol);

  std::vector<Node> nodes_;
  std::vector<std::size_t> starts_;
  std::array<std::uint16_t, kEnd + 1> class_of_{};
  std::vector<std::size_t> symbol_of_;  // one of each class
  std::vector<State> states_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
};

}  // namespace goldsmith::owner
