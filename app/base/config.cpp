#include "app/base/config.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include <fmt/core.h>
#include <boost/program_options.hpp>

#include "app/base/file.hpp"
#include "app/base/text.hpp"

namespace goldsmith::base {

namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::uint64_t kMaxFileBytes = 1U << 20;

std::string environment_name(std::string_view option) {
  std::string name = "GOLDSMITH_";
  for (const char byte : option) {
    const bool is_lower = byte >= 'a' && byte <= 'z';
    name += byte == '.' ? '_' : is_lower ? static_cast<char>(byte - ('a' - 'A')) : byte;
  }
  return name;
}

// `where` names the source: "FILE line 3", "the environment", "the command line".
void apply(LoadedConfig& loaded, const ConfigOption& option, std::string_view value,
           const std::string& where) {
  if (option.set(loaded.config, value)) {
    loaded.places[option.name].push_back(where);
    return;
  }
  throw ConfigError(where + ": " + option.refusal(value));
}

std::string at_line(const fs::path& file, std::size_t line) {
  return fmt::format("{} line {}", file.string(), line);
}

// Without the comment: from a `#` or `;` that starts the line, or a `#` after white space. A value
// may hold both characters, which the reader of Boost.Program_options would silently cut off.
std::string_view without_comment(std::string_view line) {
  line = trim_ascii(line);
  if (line.starts_with('#') || line.starts_with(';')) return {};
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '#' && (line[i - 1] == ' ' || line[i - 1] == '\t')) {
      return trim_ascii(line.substr(0, i));
    }
  }
  return line;
}

// One ini file: `[section]` puts "section." before the names that follow it.
class FileReader {
 public:
  FileReader(LoadedConfig& loaded, const fs::path& file) : loaded_(loaded), file_(file) {}

  void read(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++line_;
      read_line(without_comment(line));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw ConfigError(at_line(file_, line_) + ": " + reason);
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (line.front() == '[') return read_section(line);
    const std::size_t equals = line.find('=');
    // The line itself is not shown: it may be a password.
    if (equals == std::string_view::npos) fail("expected name = value or [section]");
    const std::string name = section_ + std::string(trim_ascii(line.substr(0, equals)));
    const ConfigOption* option = find_config_option(name);
    if (option == nullptr) fail("there is no option \"" + name + "\"; --help lists them all");
    const auto [first, is_new] = seen_.emplace(name, line_);
    if (!is_new) fail(fmt::format("{} was set before, on line {}", name, first->second));
    apply(loaded_, *option, trim_ascii(line.substr(equals + 1)), at_line(file_, line_));
  }

  void read_section(std::string_view line) {
    if (line.back() != ']') fail("a section is written [name]");
    section_ = std::string(trim_ascii(line.substr(1, line.size() - 2))) + ".";
    const auto options = config_options();
    const bool known = std::any_of(options.begin(), options.end(), [&](const auto& option) {
      return option.name.starts_with(section_);
    });
    if (!known) fail("there is no section \"" + section_.substr(0, section_.size() - 1) + "\"");
  }

  LoadedConfig& loaded_;
  const fs::path& file_;
  std::size_t line_ = 0;
  std::string section_;
  std::map<std::string, std::size_t> seen_;
};

void read_config_file(LoadedConfig& loaded, const fs::path& file, bool required) {
  std::string text;
  try {
    text = read_file(file, kMaxFileBytes);
  } catch (const FileError& error) {
    if (!required && error.error_number() == ENOENT) return;
    throw ConfigError(error.what());
  }
  FileReader(loaded, file).read(text);
  loaded.files.push_back(file);
}

po::options_description describe_options() {
  po::options_description description;
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    const std::string value = option.show(defaults);
    const std::string text =
        option.meaning + "; " + option.bounds + (value.empty() ? "" : "; default " + value);
    description.add_options()(option.name.c_str(), po::value<std::string>()->value_name("VALUE"),
                              text.c_str());
  }
  return description;
}

void read_environment(LoadedConfig& loaded) {
  for (const ConfigOption& option : config_options()) {
    const std::string name = environment_name(option.name);
    const char* const value = std::getenv(name.c_str());
    if (value != nullptr) apply(loaded, option, value, "the environment's " + name);
  }
}

// Takes the options of the table out of the arguments; all else is the caller's to judge. Boost's
// parser would drop a `--` and refuse a `--name=` from what is not ours.
void read_arguments(LoadedConfig& loaded, const std::vector<std::string>& arguments) {
  std::vector<std::string>& rest = loaded.rest;
  for (auto each = arguments.begin(); each != arguments.end(); ++each) {
    if (*each == "--") {
      rest.insert(rest.end(), each, arguments.end());
      break;
    }
    const std::size_t equals = each->find('=');
    const bool is_long = each->starts_with("--");
    const std::string name =
        is_long ? each->substr(2, equals == std::string::npos ? equals : equals - 2) : "";
    const ConfigOption* option = find_config_option(name);
    if (option != nullptr && equals == std::string::npos) {
      throw ConfigError("the command line: write --" + name + "=VALUE");
    }
    if (option != nullptr) {
      apply(loaded, *option, std::string_view(*each).substr(equals + 1), "the command line");
    } else if (name.find('.') != std::string::npos) {
      throw ConfigError("the command line: there is no option \"" + name +
                        "\"; --help lists them all");
    } else {
      rest.push_back(*each);
    }
  }
}

bool is_drop_in(const fs::path& file) {
  return file.extension() == ".conf" && !file.filename().native().starts_with('.');
}

}  // namespace

LoadedConfig load_config(const ConfigSources& sources) {
  LoadedConfig loaded;
  for (const auto& file : sources.files) read_config_file(loaded, file, sources.required);
  read_environment(loaded);
  read_arguments(loaded, sources.arguments);
  return loaded;
}

std::vector<fs::path> with_drop_ins(const fs::path& file, const std::string& pool) {
  const fs::path folder = file.parent_path() / "conf.d";
  std::vector<fs::path> files = {file};
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    if (!is_drop_in(each->path())) continue;
    if (!each->exists()) throw ConfigError(each->path().string() + ": the link leads nowhere");
    files.push_back(each->path());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw ConfigError(folder.string() + ": " + error.message());
  }
  std::sort(files.begin() + 1, files.end());
  const fs::path of_pool = file.parent_path() / (pool + ".conf");
  if (!pool.empty() && fs::exists(of_pool)) files.push_back(of_pool);
  return files;
}

std::string config_help() {
  std::ostringstream text;
  text << describe_options();
  return text.str();
}

std::string config_template() {
  std::ostringstream text;
  text << "# goldsmith's configuration; goldsmith.conf(5). A line without # in front counts.\n"
          "# `goldsmith-worker --check-config` says whether the file is good.\n";
  const Config defaults;
  for (const ConfigOption& option : config_options()) {
    const std::string value = option.show(defaults);
    text << "\n# " << option.meaning << ": " << option.bounds << "\n#" << option.name << " ="
         << (value.empty() ? "" : " ") << value << '\n';
  }
  return text.str();
}

}  // namespace goldsmith::base
