#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/pawn/amx_image.hpp"
#include "app/pawn/amxx_file.hpp"

namespace goldsmith::pawn {
namespace {

using domain::PluginNeed;
using domain::PluginNeeds;

constexpr std::size_t kMostNeeds = 64;
constexpr std::size_t kMostOffers = 1024;

// A string of the data segment, one character a cell; "" if no name is like it.
std::string literal_at(const Image& image, std::uint32_t address) {
  std::string text;
  if (address % kCell != 0) return text;
  for (std::size_t at = address / kCell; at < image.cells(field::kData, field::kHeap); ++at) {
    const std::uint32_t character = image.cell(field::kData, at);
    if (character == 0) break;
    if (character > 0x7E || text.size() > domain::kLongestNativeName) return "";
    text += static_cast<char>(character);
  }
  return text;
}

struct Calls {
  std::vector<std::string> literals;  // their first arguments
  bool has_others = false;            // calls whose first argument is none
};

// The calls of a native with `arguments` arguments, of which the first is a text.
Calls calls_of(const Image& image, std::size_t native, std::size_t arguments, std::size_t most) {
  constexpr std::uint32_t kPush = 39;
  constexpr std::uint32_t kCallNative = 123;
  Calls calls;
  const std::size_t count = image.cells(field::kCode, field::kData);
  for (std::size_t at = 0; at + 2 <= count && calls.literals.size() < most; ++at) {
    const auto is = [&](std::size_t place, std::size_t value) {
      return image.cell(field::kCode, place) == value;
    };
    if (!is(at, kCallNative) || !is(at + 1, native)) continue;
    // push.c ADDRESS, push.c SIZE (of the arguments), sysreq.c NATIVE
    const bool is_constant =
        at >= 4 && is(at - 4, kPush) && is(at - 2, kPush) && is(at - 1, arguments * kCell);
    std::string literal =
        is_constant ? literal_at(image, image.cell(field::kCode, at - 3)) : std::string();
    if (literal.empty()) {
      calls.has_others = true;
    } else {
      calls.literals.push_back(std::move(literal));
    }
  }
  return calls;
}

template <typename T>
void sort_and_unite(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Collects what tags ask for; the order of tags does not matter to AMX Mod X.
class Requests {
 public:
  // `tag`: of an exported tag, or of a request such as "?rl_reapi". False if it asks for what no
  // library is called.
  bool add_tag(std::string_view tag) {
    if (take(tag, "?rl_")) return require(tag, false);
    if (take(tag, "?rc_")) return require(tag, true);
    if (take(tag, "?f_")) return load(tag, false, tag);
    if (take(tag, "?d_") || take(tag, "?ec_")) return load_for(tag, true);
    if (take(tag, "?el_")) return load_for(tag, false);
    return true;
  }

  // A name of the table of libraries, which `#pragma library` fills, is loaded and required.
  bool add_library(std::string_view name) {
    if (base::equals_ignoring_case(name, "float")) return true;  // a part of AMX Mod X
    if (base::equals_ignoring_case(name, "socket")) name = "sockets";
    const bool is_class = base::equals_ignoring_case(name, "dbi");
    return require(name, is_class) && load(name, is_class, name);
  }

  std::vector<PluginNeed> take_needs() {
    for (PluginNeed& need : needs_) {
      const auto module = modules_.find({need.name, need.is_class});
      if (module != modules_.end()) need.module = module->second;
    }
    sort_and_unite(needs_);
    return std::move(needs_);
  }

 private:
  using Wanted = std::pair<std::string, bool>;  // a name in lower case, and whether of a class

  static bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  }

  bool require(std::string_view name, bool is_class) {
    if (!domain::is_library_name(name) || needs_.size() >= kMostNeeds) return false;
    needs_.push_back({base::to_lower_ascii(name), is_class});
    return true;
  }

  bool load(std::string_view name, bool is_class, std::string_view module) {
    if (!domain::is_library_name(module) || modules_.size() >= kMostNeeds) return false;
    modules_.emplace(std::pair(base::to_lower_ascii(name), is_class), module);
    return true;
  }

  // "NAME_MODULE"; a doubled underscore belongs to the name.
  bool load_for(std::string_view text, bool is_class) {
    std::size_t at = text.find('_');
    while (at != std::string_view::npos && text.substr(at + 1).starts_with('_')) {
      at = text.find('_', at + 2);
    }
    // AMX Mod X ignores such a request.
    if (at == std::string_view::npos || at + 1 == text.size()) return true;
    return load(text.substr(0, at), is_class, text.substr(at + 1));
  }

  std::vector<PluginNeed> needs_;
  std::map<Wanted, std::string> modules_;
};

std::optional<std::vector<PluginNeed>> read_requests(const Image& image) {
  const auto wanted = image.names_of(field::kTags, field::kNames);
  const auto older = image.names_of(field::kLibraries, field::kPubvars);
  if (!wanted || !older) return std::nullopt;
  Requests requests;
  const bool are_legal = std::all_of(wanted->begin(), wanted->end(),
                                     [&](std::string_view tag) { return requests.add_tag(tag); }) &&
                         std::all_of(older->begin(), older->end(), [&](std::string_view library) {
                           return requests.add_library(library);
                         });
  if (!are_legal) return std::nullopt;
  return requests.take_needs();
}

// What the table of natives says, and the calls of register_native.
domain::PluginNatives read_natives(const Image& image, const std::vector<std::string_view>& used) {
  domain::PluginNatives natives;
  const auto uses = [&](std::string_view native) {
    return std::find(used.begin(), used.end(), native);
  };
  natives.is_filtered = uses("set_native_filter") != used.end();
  if (!natives.is_filtered) {
    for (const std::string_view name : used) {
      if (domain::is_native_name(name)) natives.imports.emplace_back(name);
    }
    sort_and_unite(natives.imports);
  }
  const auto native = uses("register_native");
  if (native == used.end()) return natives;
  constexpr std::size_t kArguments = 3;  // name, handler, style
  Calls calls =
      calls_of(image, static_cast<std::size_t>(native - used.begin()), kArguments, kMostOffers);
  natives.offers_more = calls.has_others || calls.literals.size() == kMostOffers;
  natives.offers = std::move(calls.literals);
  const auto illegal = std::erase_if(
      natives.offers, [](const std::string& name) { return !domain::is_native_name(name); });
  natives.offers_more = natives.offers_more || illegal > 0;
  sort_and_unite(natives.offers);
  return natives;
}

// The libraries that a plugin registers by literal names.
std::vector<std::string> read_libraries(const Image& image, std::size_t register_library) {
  std::vector<std::string> names;
  for (const std::string& name : calls_of(image, register_library, 1, kMostNeeds).literals) {
    if (domain::is_library_name(name)) names.push_back(base::to_lower_ascii(name));
  }
  sort_and_unite(names);
  return names;
}

}  // namespace

std::optional<PluginNeeds> plugin_needs(std::string_view file) {
  const Image image(start_of_image(file, kMostImageBytes));
  if (!image.has_header()) return std::nullopt;
  auto required = read_requests(image);
  const auto used = image.names_of(field::kNatives, field::kLibraries);
  if (!required || !used) return std::nullopt;

  PluginNeeds needs;
  const auto uses = [&](std::string_view native) {
    return std::find(used->begin(), used->end(), native);
  };
  needs.is_filtered = uses("set_module_filter") != used->end();
  if (const auto native = uses("register_library"); native != used->end()) {
    needs.registers = read_libraries(image, static_cast<std::size_t>(native - used->begin()));
  }
  std::erase_if(*required, [&](const PluginNeed& need) {
    return !need.is_class &&
           std::binary_search(needs.registers.begin(), needs.registers.end(), need.name);
  });
  needs.required = std::move(*required);
  needs.natives = read_natives(image, *used);
  return needs;
}

}  // namespace goldsmith::pawn
