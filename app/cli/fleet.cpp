#include "app/cli/fleet.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::cli {
namespace {

constexpr std::size_t kMostName = 200;  // bytes

const json::Value* member(const json::Object& object, std::string_view name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &found->second;
}

std::string text_of(const json::Object& object, std::string_view name) {
  const json::Value* const value = member(object, name);
  const std::string* const text = value ? value->as_string() : nullptr;
  return text ? *text : "";
}

// What a server has but does not load does nothing.
bool is_loaded(const json::Object& object) {
  const json::Value* const value = member(object, "loaded");
  const bool* const loaded = value ? value->as_bool() : nullptr;
  return !loaded || *loaded;
}

bool is_known(const json::Object& object) {
  const json::Value* const value = member(object, "known");
  const bool* const known = value ? value->as_bool() : nullptr;
  return !known || *known;
}

// `what` is the member with the slug. std::nullopt if it is no such list.
std::optional<std::vector<creator::Token>> tokens_of(const json::Object& server,
                                                     std::string_view list, std::string_view what) {
  const json::Value* const value = member(server, list);
  const json::Array* const items = value ? value->as_array() : nullptr;
  if (!items || items->size() > kMostPluginsOfServer) return std::nullopt;
  std::vector<creator::Token> tokens;
  for (const json::Value& item : *items) {
    const json::Object* const object = item.as_object();
    if (!object) return std::nullopt;
    const std::string slug = text_of(*object, what);
    if (!domain::Slug::parse(slug)) return std::nullopt;
    if (!is_loaded(*object)) continue;
    std::string version = is_known(*object) ? text_of(*object, "version") : "";
    if (!domain::Version::parse(version)) version.clear();
    tokens.push_back({slug, version});
  }
  return tokens;
}

class Reading {
 public:
  explicit Reading(std::istream& in) : in_(in) {}

  std::vector<FleetServer> read() {
    while (skip_space()) {
      if (const int c = in_.peek(); c == '{' || c == '[' || c == ',' || c == ']') {
        read_json(c);
      } else {
        read_line();
      }
    }
    return std::move(servers_);
  }

 private:
  int next() {
    const int c = in_.get();
    if (c == std::istream::traits_type::eof()) return c;
    if (++bytes_ > kMostOfFleet) {
      throw Failure(
          fmt::format("more than {} MiB of input: check parts of it", kMostOfFleet >> 20));
    }
    return c;
  }

  bool skip_space() {
    for (;;) {
      const int c = in_.peek();
      if (c == std::istream::traits_type::eof()) return false;
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return true;
      next();
    }
  }

  FleetServer& add() {
    if (servers_.size() == kMostServers) {
      throw Failure(fmt::format("more than {} servers: check parts of the fleet", kMostServers));
    }
    servers_.push_back({std::to_string(servers_.size() + 1)});
    return servers_.back();
  }

  // The brackets and commas of an array of servers say nothing: each object is read by itself.
  void read_json(int first) {
    if (first != '{') {
      next();
      return;
    }
    std::string text;
    const bool is_whole = read_object(text);
    FleetServer& server = add();
    if (!is_whole) {
      server.problem = text.size() > kMostOfServer ? "more than 4 MiB" : "the object has no end";
    } else {
      take_object(text, server);
    }
  }

  // Up to the brace that closes it; of one that is too long the rest is passed over.
  bool read_object(std::string& text) {
    int depth = 0;
    bool in_string = false;
    bool is_escaped = false;
    for (int c = next(); c != std::istream::traits_type::eof(); c = next()) {
      if (text.size() <= kMostOfServer) text += static_cast<char>(c);
      if (in_string) {
        if (!is_escaped && c == '"') in_string = false;
        is_escaped = !is_escaped && c == '\\';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        return text.size() <= kMostOfServer;
      }
    }
    return false;
  }

  static void take_object(const std::string& text, FleetServer& server) {
    const std::optional<json::Value> value = json::parsed(text);
    const json::Object* const object = value ? value->as_object() : nullptr;
    if (!object) {
      server.problem = "it is not JSON";
      return;
    }
    const std::string name = text_of(*object, "name");
    if (!name.empty()) server.name = base::first_bytes(name, kMostName);
    auto components = tokens_of(*object, "components", "component");
    auto plugins = tokens_of(*object, "plugins", "plugin");
    if (!components || !plugins) {
      server.problem = "it is not what goldsmith-keeper status --json prints";
      return;
    }
    server.components = std::move(*components);
    server.plugins = std::move(*plugins);
  }

  void read_line() {
    std::string line;
    for (int c = next(); c != std::istream::traits_type::eof() && c != '\n'; c = next()) {
      if (line.size() <= kMostOfServer) line += static_cast<char>(c);
    }
    std::string_view text = base::trim_ascii(line);
    if (text.empty() || text.starts_with('#')) return;
    FleetServer& server = add();
    const std::size_t space = text.find_last_of(" \t");
    const std::string_view link = space == std::string_view::npos ? text : text.substr(space + 1);
    server.link = link;
    if (!domain::is_utf8(text) || text.size() > kMostOfServer) {
      server.link.clear();
      server.problem = "it is no link";
      return;
    }
    const std::string_view name =
        space == std::string_view::npos ? link : base::trim_ascii(text.substr(0, space));
    server.name = base::first_bytes(name, kMostName);
  }

  std::istream& in_;
  std::size_t bytes_ = 0;
  std::vector<FleetServer> servers_;
};

}  // namespace

std::vector<FleetServer> read_fleet(std::istream& in) { return Reading(in).read(); }

}  // namespace goldsmith::cli
