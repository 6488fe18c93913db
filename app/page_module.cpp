#include "app/page_module.hpp"

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace goldsmith::page {
namespace {

std::string last_answer;

// Null if the page has no other text; otherwise one that allocate() has made, with a NUL at its
// end.
extern "C" __attribute__((import_module("page"), import_name("translate"))) char* translate(
    const char* text, std::size_t size);

}  // namespace

const char* answer(std::string text) {
  last_answer = std::move(text);
  return last_answer.data();
}

std::string translated(std::string_view text) {
  char* const known = translate(text.data(), text.size());
  if (known == nullptr) return std::string(text);
  std::string result(known);
  std::free(known);
  return result;
}

GOLDSMITH_EXPORT("answer_size") std::size_t answer_size() { return last_answer.size(); }

GOLDSMITH_EXPORT("allocate") void* allocate(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) __builtin_trap();
  return memory;
}

GOLDSMITH_EXPORT("release") void release(void* memory) { std::free(memory); }

}  // namespace goldsmith::page

// What the standard library does in their place writes a message to a file, which a browser lacks.
extern "C" {
void* __cxa_allocate_exception(std::size_t) { __builtin_trap(); }
void __cxa_throw(void*, void*, void*) { __builtin_trap(); }
void abort_message(const char*, ...) { __builtin_trap(); }
void __assert_fail(const char*, const char*, int, const char*) { __builtin_trap(); }
}
_LIBCPP_BEGIN_NAMESPACE_STD
void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
_LIBCPP_END_NAMESPACE_STD
