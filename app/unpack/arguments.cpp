#include "app/unpack/arguments.hpp"

#include <stdexcept>
#include <string>

#include "app/base/text.hpp"

namespace goldsmith::unpack {
namespace {

[[noreturn]] void fail(std::string_view name, std::string_view value) {
  throw std::invalid_argument(
      std::string("invalid argument: ").append(name).append(" ").append(value));
}

template <typename Number>
Number number_of(std::string_view name, std::string_view value) {
  const auto number = base::parse_number<Number>(value);
  if (!number) fail(name, value);
  return *number;
}

class Reader {
 public:
  void take(std::string_view name, std::string_view value) {
    if (std::uint64_t* limit = limit_of(name)) {
      *limit = number_of<std::uint64_t>(name, value);
    } else if (!take_descriptor(name, value) && !take_name(name, value) &&
               !take_rule(name, value)) {
      fail(name, value);
    }
  }

  Job finish() {
    if (!job_.output || !job_.origins || job_.inputs.empty()) {
      fail("--archive, --output, --origins", "are missing");
    }
    for (const Input& input : job_.inputs) {
      if (!input.archive || !input.spill) fail("--archive, --spill", "are not pairs");
    }
    return std::move(job_);
  }

 private:
  std::uint64_t* limit_of(std::string_view name) {
    if (name == "--unpacked-bytes") return &job_.limits.unpacked_bytes;
    if (name == "--entries") return &job_.limits.entries;
    if (name == "--path-bytes") return &job_.limits.path_bytes;
    if (name == "--ratio") return &job_.limits.ratio;
    return nullptr;
  }

  bool take_descriptor(std::string_view name, std::string_view value) {
    if (name != "--archive" && name != "--spill" && name != "--output" && name != "--origins") {
      return false;
    }
    base::UniqueFd fd(number_of<int>(name, value));
    if (name == "--output") {
      job_.output = std::move(fd);
    } else if (name == "--origins") {
      job_.origins = std::move(fd);
    } else if (name == "--archive") {
      job_.inputs.push_back({std::move(fd), {}, {}});
    } else {
      if (job_.inputs.empty()) fail(name, value);
      job_.inputs.back().spill = std::move(fd);
    }
    return true;
  }

  bool take_name(std::string_view name, std::string_view value) {
    if (name == "--names" && value == "any") {
      job_.any_names = true;
      return true;
    }
    if (name != "--name" || job_.inputs.empty()) return false;
    job_.inputs.back().name = value;
    return true;
  }

  bool take_rule(std::string_view name, std::string_view value) {
    domain::InstallRules& rules = job_.rules;
    if (name == "--map-from" || name == "--map-file") {
      rules.map.push_back({std::string(value), {}, name == "--map-file"});
    } else if (name == "--map-to" && !rules.map.empty()) {
      rules.map.back().to = value;
    } else if (name == "--drop") {
      rules.drop.emplace_back(value);
    } else if (name == "--executable") {
      rules.executables.emplace_back(value);
    } else {
      return false;
    }
    return true;
  }

  Job job_;
};

}  // namespace

Job parse_arguments(const std::vector<std::string_view>& arguments) {
  if (arguments.size() % 2 != 0) fail(arguments.back(), "has no value");
  Reader reader;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    reader.take(arguments[i], arguments[i + 1]);
  }
  return reader.finish();
}

}  // namespace goldsmith::unpack
