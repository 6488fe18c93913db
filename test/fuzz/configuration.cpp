// Files of configuration: what is accepted is shown and read as the same, and no error shows a
// secret.
#include "app/base/config.hpp"

#include <fcntl.h>

#include <algorithm>

#include "app/base/file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

const std::filesystem::path& config_file() {
  static const base::TempDir folder("/dev/shm");
  static const std::filesystem::path file = folder.path() / "goldsmith.conf";
  return file;
}

void check_options(const base::Config& config) {
  for (const base::ConfigOption& option : base::config_options()) {
    const std::string shown = option.show(config);
    base::Config again;
    require(option.set(again, shown), "what is shown is accepted: " + option.name);
    require(option.show(again) == shown, "and is the same: " + option.name);
  }
}

}  // namespace

FUZZ_TARGET(configuration, "app/base/config.cpp app/base/config_options.cpp") {
  const auto load = [](const std::string& text) {
    const base::UniqueFd fd = base::open_file(config_file(), O_CREAT | O_TRUNC | O_WRONLY);
    base::write_all(fd.get(), text, config_file());
    check_options(base::load_config({{config_file()}, true, {}}).config);
  };
  fuzz::throws<base::ConfigError>([&] { load(std::string(input)); });
  try {
    load(std::string(input) + "\n[database]\npassword = s3cret\x01\n");
    require(false, "a password is text");
  } catch (const base::ConfigError& error) {
    const std::string_view what = error.what();
    require(what.starts_with(config_file().string()), "an error names the file");
    const bool is_ours = input.find("s3cret") == std::string_view::npos;
    require(!is_ours || what.find("s3cret") == std::string_view::npos, "and no secret");
  }
}
