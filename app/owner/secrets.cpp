#include "app/owner/secrets.hpp"

#include <sodium/randombytes.h>

#include <cstdint>
#include <string_view>

#include "app/domain/component.hpp"

namespace goldsmith::owner {
namespace {

std::string random_secret() {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kLength = 32;
  std::string secret;
  for (int i = 0; i < kLength; ++i) {
    secret += kLetters[::randombytes_uniform(static_cast<std::uint32_t>(kLetters.size()))];
  }
  return secret;
}

}  // namespace

bool fill_secrets(const Installation& installation, const UpdateFacts& facts,
                  const std::string& path, std::vector<MadeSecret>& made) {
  const ServerFiles& files = installation.files();
  const std::string staged = below(kNew, path);
  bool is_made = false;
  for (const UpdateFacts::Secret& secret : facts.secrets) {
    if (secret.is_suggested || secret.file != path) continue;
    const auto content = files.read(staged, kMostOfSmallFile);
    if (!content) fail_without_room(installation);
    const std::string with_value = domain::fill_setting(*content, secret.setting, random_secret());
    if (with_value.empty()) continue;
    constexpr unsigned kOwnersAlone = 0600;
    if (!files.write(staged, with_value, kOwnersAlone)) fail_without_room(installation);
    made.push_back({secret.setting.substr(0, secret.setting.find_first_of(" =")), path});
    is_made = true;
  }
  return is_made;
}

}  // namespace goldsmith::owner
