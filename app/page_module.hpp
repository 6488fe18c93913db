// What the modules of pages have in common: WebAssembly, which a browser runs (decision S34). A
// page writes into memory that allocate() has given it and gives it back with release(). What
// throws ends the module: all further calls of the page fail.
#pragma once

#include <string>
#include <string_view>

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define GOLDSMITH_EXPORT(name) extern "C" __attribute__((export_name(name)))

namespace goldsmith::page {

// Makes `text` the answer of a call and returns its place; answer_size() says how long it is. Valid
// until the next answer.
const char* answer(std::string text);

// In the language of the page, as it says; in English if it does not.
std::string translated(std::string_view text);

}  // namespace goldsmith::page
