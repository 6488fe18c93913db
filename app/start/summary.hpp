// What a start showed, in words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/start/server_start.hpp"

namespace goldsmith::start {

// Those that run without an error.
std::size_t running_plugins(const Report& report);

// As the API and --json call it.
std::string_view name_of(Report::Outcome outcome);

// What is wrong, a line each: "FILE: REASON" of plugins first.
std::vector<std::string> lines_of(const Report& report);
// "started, 24 plugins running, 1 faulty: …", with the first of lines_of().
std::string summary_of(const Report& report);

}  // namespace goldsmith::start
