#include "app/owner/patterns.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace goldsmith::owner {

// Builds the nodes of one pattern from its end: each part is told where it leads to.
class PatternReader {
 public:
  PatternReader(Patterns& owner, std::string_view text) : owner_(owner), text_(text) {}

  std::size_t read(std::size_t number) {
    Node end;
    end.kind = Node::Kind::accepts;
    end.number = number;
    return alternatives(0, text_.size(), owner_.add(end));
  }

 private:
  using Node = Patterns::Node;
  using Symbols = Patterns::Symbols;

  // A part of a sequence: where it begins and ends, and what is behind it: `*`, `+`, `?` or '\0'.
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
    char quantifier = '\0';
  };

  bool is_at(std::size_t at, char c) const { return at < text_.size() && text_[at] == c; }

  // Behind what begins at `at`: a group, a set, an escaped character or another one.
  std::size_t end_of_atom(std::size_t at) const {
    if (text_[at] == '\\') return std::min(at + 2, text_.size());
    if (text_[at] == '[') {
      const std::size_t end = text_.find(']', at + (is_at(at + 1, '^') ? 3 : 2));
      return end == std::string_view::npos ? text_.size() : end + 1;
    }
    if (text_[at] != '(') return at + 1;
    std::size_t next = at + 1;
    while (next < text_.size() && text_[next] != ')') next = end_of_atom(next);
    return std::min(next + 1, text_.size());
  }

  std::size_t alternatives(std::size_t begin, std::size_t end, std::size_t next) {
    std::size_t at = begin;
    while (at < end && text_[at] != '|') at = end_of_atom(at);
    const std::size_t first = sequence(begin, at, next);
    if (at == end) return first;
    Node split;
    split.next = first;
    split.other = alternatives(at + 1, end, next);
    return owner_.add(split);
  }

  std::size_t sequence(std::size_t begin, std::size_t end, std::size_t next) {
    std::vector<Part> parts;
    for (std::size_t at = begin; at < end;) {
      Part part{at, end_of_atom(at), '\0'};
      at = part.end;
      if (at < end && (text_[at] == '*' || text_[at] == '+' || text_[at] == '?')) {
        part.quantifier = text_[at++];
      }
      parts.push_back(part);
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) next = quantified(*part, next);
    return next;
  }

  std::size_t quantified(const Part& part, std::size_t next) {
    if (part.quantifier == '\0') return atom(part, next);
    const std::size_t split = owner_.add({});
    const std::size_t body = atom(part, part.quantifier == '?' ? next : split);
    owner_.nodes_[split].next = body;
    owner_.nodes_[split].other = next;
    return part.quantifier == '+' ? body : split;
  }

  std::size_t atom(const Part& part, std::size_t next) {
    const char first = text_[part.begin];
    if (first == '(') return alternatives(part.begin + 1, part.end - 1, next);
    Node node;
    node.next = next;
    node.kind = first == '^' ? Node::Kind::begins : Node::Kind::takes;
    if (first == '[') {
      node.symbols = set(part);
    } else if (first == '.') {
      node.symbols.set().reset(Patterns::kEnd);
    } else if (first == '$') {
      node.symbols.set(Patterns::kEnd);
    } else if (first != '^') {
      node.symbols.set(byte(text_[first == '\\' ? part.end - 1 : part.begin]));
    }
    return owner_.add(node);
  }

  Symbols set(const Part& part) const {
    Symbols symbols;
    const bool excludes = is_at(part.begin + 1, '^');
    const std::size_t end = part.end - 1;
    for (std::size_t at = part.begin + (excludes ? 2 : 1); at < end; ++at) {
      std::size_t last = byte(text_[at]);
      const std::size_t first = last;
      if (is_at(at + 1, '-') && at + 2 < end) {
        at += 2;
        last = byte(text_[at]);
      }
      for (std::size_t each = first; each <= last; ++each) symbols.set(each);
    }
    if (excludes) symbols.flip().reset(Patterns::kEnd);
    return symbols;
  }

  static std::size_t byte(char c) { return static_cast<unsigned char>(c); }

  Patterns& owner_;
  std::string_view text_;
};

Patterns::Patterns(std::span<const Pattern> patterns) {
  for (const Pattern& each : patterns) {
    starts_.push_back(PatternReader(*this, each.text).read(each.number));
  }
  classify();
}

std::size_t Patterns::add(const Node& node) {
  nodes_.push_back(node);
  return nodes_.size() - 1;
}

// Symbols that all nodes take alike are of one class.
void Patterns::classify() {
  std::map<std::pair<std::uint16_t, bool>, std::uint16_t> made;
  std::unordered_set<Symbols> sets;
  for (const Node& node : nodes_) {
    if (node.kind != Node::Kind::takes || !sets.insert(node.symbols).second) continue;
    made.clear();
    for (std::size_t symbol = 0; symbol <= kEnd; ++symbol) {
      const auto next = static_cast<std::uint16_t>(made.size());
      class_of_[symbol] =
          made.try_emplace({class_of_[symbol], node.symbols[symbol]}, next).first->second;
    }
  }
  symbol_of_.assign(std::max<std::size_t>(made.size(), 1), 0);
  for (std::size_t symbol = 0; symbol <= kEnd; ++symbol) symbol_of_[class_of_[symbol]] = symbol;
}

// Adds the nodes that are reached from there without a symbol.
void Patterns::enter(std::size_t node, bool at_begin, std::vector<bool>& is_in,
                     std::vector<std::uint32_t>& nodes) const {
  std::vector<std::size_t> pending{node};
  while (!pending.empty()) {
    const std::size_t at = pending.back();
    pending.pop_back();
    if (at == kNone || is_in[at]) continue;
    is_in[at] = true;
    const Node& each = nodes_[at];
    if (each.kind == Node::Kind::splits) {
      pending.push_back(each.other);
      pending.push_back(each.next);
    } else if (each.kind == Node::Kind::begins) {
      if (at_begin) pending.push_back(each.next);
    } else {
      nodes.push_back(static_cast<std::uint32_t>(at));
    }
  }
}

std::uint32_t Patterns::state_of(std::vector<std::uint32_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  const auto found = known_.find(nodes);
  if (found != known_.end()) return found->second;
  State state;
  for (const std::uint32_t each : nodes) {
    if (nodes_[each].kind == Node::Kind::accepts) {
      state.accepts.push_back(nodes_[each].number);
    }
  }
  state.next.assign(symbol_of_.size(), kUnmade);
  state.nodes = std::move(nodes);
  const auto number = static_cast<std::uint32_t>(states_.size());
  known_.emplace(state.nodes, number);
  states_.push_back(std::move(state));
  return number;
}

std::uint32_t Patterns::first_state() {
  if (!states_.empty()) return 0;
  std::vector<bool> is_in(nodes_.size());
  std::vector<std::uint32_t> nodes;
  for (const std::size_t start : starts_) enter(start, true, is_in, nodes);
  return state_of(std::move(nodes));
}

std::uint32_t Patterns::step(std::uint32_t state, std::size_t symbol) {
  std::vector<bool> is_in(nodes_.size());
  std::vector<std::uint32_t> nodes;
  for (const std::uint32_t each : states_[state].nodes) {
    const Node& node = nodes_[each];
    if (node.kind == Node::Kind::takes && node.symbols[symbol]) {
      enter(node.next, false, is_in, nodes);
    }
  }
  // A pattern may begin anywhere.
  if (symbol != kEnd) {
    for (const std::size_t start : starts_) enter(start, false, is_in, nodes);
  }
  if (states_.size() >= kMostStates) {
    states_.clear();
    known_.clear();
    first_state();
    return state_of(std::move(nodes));
  }
  const std::uint32_t next = state_of(std::move(nodes));
  states_[state].next[class_of_[symbol]] = next;
  return next;
}

std::vector<std::size_t> Patterns::all_in(std::string_view line) {
  std::vector<std::size_t> found;
  std::uint32_t state = first_state();
  const auto collect = [&] {
    for (const std::size_t each : states_[state].accepts) {
      const auto place = std::lower_bound(found.begin(), found.end(), each);
      if (place == found.end() || *place != each) found.insert(place, each);
    }
  };
  collect();
  const auto take = [&](std::size_t symbol) {
    const std::uint32_t next = states_[state].next[class_of_[symbol]];
    state = next != kUnmade ? next : step(state, symbol);
    collect();
  };
  for (const char c : line) take(static_cast<unsigned char>(c));
  take(kEnd);
  return found;
}

}  // namespace goldsmith::owner
