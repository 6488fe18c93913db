// How an option of the configuration is read, bounded and shown, by the kind of its value. Private
// to app/sys/.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/sys/config_options.hpp"
#include "app/sys/config_values.hpp"

namespace goldsmith::sys {

// Which texts are valid, and how an error message says so.
struct TextBounds {
  bool (*legal)(std::string_view);
  const char* bounds;
};
inline constexpr TextBounds kUrl{is_base_url,
                                 "an http:// or https:// address without a slash at its end"};
inline constexpr TextBounds kSecureUrl{is_secure_url,
                                       "an https:// address without a slash at its end"};
inline constexpr TextBounds kOptionalPath{is_optional_path, "an absolute path, or empty"};
inline constexpr TextBounds kPath{is_path, "an absolute path"};
inline constexpr TextBounds kName{is_name, "1 to 255 characters"};
inline constexpr TextBounds kSocket{is_socket, "an absolute path of at most 107 bytes, or empty"};
inline constexpr TextBounds kProxies{
    is_address_list, "addresses and networks (10.0.0.0/8, ::1), separated by commas"};
inline constexpr TextBounds kPassword{is_password, "at most 255 characters"};
inline constexpr TextBounds kText{is_text, "at most 255 characters"};
inline constexpr TextBounds kContact{is_contact,
                                     "an e-mail address, an https:// address, or empty"};
inline constexpr TextBounds kLogo{is_logo,
                                  "an absolute path that ends in .svg, .png or .webp, or empty"};

// `field` gives the Config's member; it may be a string or a path.
template <typename Field>
ConfigOption text_option(std::string_view name, TextBounds bounds, Field field,
                         std::string_view meaning) {
  return {.name = std::string(name),
          .bounds = bounds.bounds,
          .meaning = std::string(meaning),
          .set =
              [field, bounds](Config& config, std::string_view text) {
                if (!bounds.legal(text)) return false;
                field(config) = std::string(text);
                return true;
              },
          .show = [field](Config config) { return std::string(field(config)); }};
}

inline ConfigOption secret(ConfigOption option) {
  option.secret = true;
  option.show = [](const Config&) { return std::string(); };
  return option;
}

// A whole number of units; the field holds `number * unit`.
struct NumberBounds {
  std::uint64_t min;
  std::uint64_t max;
  std::uint64_t unit = 1;
};

template <std::unsigned_integral Number>
void store(Number& field, std::uint64_t value) {
  field = static_cast<Number>(value);
}
template <typename Rep, typename Period>
void store(std::chrono::duration<Rep, Period>& field, std::uint64_t value) {
  field = std::chrono::duration<Rep, Period>(static_cast<Rep>(value));
}
inline std::uint64_t stored(std::uint64_t field) { return field; }
template <typename Rep, typename Period>
std::uint64_t stored(std::chrono::duration<Rep, Period> field) {
  return static_cast<std::uint64_t>(field.count());
}

// `field` gives the Config's member; it may be an unsigned number or a duration.
template <typename Field>
ConfigOption number_option(std::string_view name, NumberBounds bounds, Field field,
                           std::string_view meaning) {
  return {
      .name = std::string(name),
      .bounds = std::to_string(bounds.min) + " to " + std::to_string(bounds.max),
      .meaning = std::string(meaning),
      .set =
          [field, bounds](Config& config, std::string_view text) {
            const auto number = parse_number(text);
            if (!number || *number < bounds.min || *number > bounds.max) return false;
            store(field(config), *number * bounds.unit);
            return true;
          },
      .show = [field, bounds](
                  Config config) { return std::to_string(stored(field(config)) / bounds.unit); }};
}

// NOLINTBEGIN(bugprone-macro-parentheses): a member is named without parentheses
#define FIELD(member) \
  [](Config & config) -> auto& { return config.member; }
// NOLINTEND(bugprone-macro-parentheses)

// mirror.* and depot.* (config_options_mirror.cpp)
void add_mirror(std::vector<ConfigOption>& options);
void add_depot_peers(std::vector<ConfigOption>& options);

}  // namespace goldsmith::sys
