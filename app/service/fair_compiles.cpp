#include "app/service/fair_compiles.hpp"

#include <optional>
#include <utility>

#include "app/service/plugin_content.hpp"
#include "app/sys/digest.hpp"

namespace goldsmith::service {

std::string FairCompiles::key_of(const Source& source) {
  return sys::sha256_hex("compile 1\n" + source.content_digest + "\n" +
                         source.toolchain_fingerprint + "\n");
}

FairCompiles::Source FairCompiles::source(const compile::Toolchain& toolchain,
                                          std::string fingerprint,
                                          const domain::PluginVersion& version) {
  return {toolchain, version, content_digest(version), std::move(fingerprint)};
}

std::optional<compile::Compilation> FairCompiles::remembered(const Source& source) const {
  return dependencies_.ledger.limit_of(key_of(source), dependencies_.clock.now());
}

std::variant<compile::Compilation, domain::RateLimited> FairCompiles::compile(
    const Source& source, const domain::Permit& may_compile, compile::Priority proved) const {
  const std::string key = key_of(source);
  compile::Ledger& ledger = dependencies_.ledger;
  if (auto known = ledger.limit_of(key, dependencies_.clock.now())) return std::move(*known);

  domain::Turn turn;
  const bool is_proved = ledger.is_proved(key, dependencies_.clock.now());
  if (!is_proved) {
    turn = dependencies_.shares.compile_unproved();
    if (const auto* refusal = std::get_if<domain::RateLimited>(&turn)) return *refusal;
  }
  if (const auto refusal = may_compile.ask()) return *refusal;
  const auto priority = is_proved ? proved : compile::Priority::background;
  compile::Compilation compilation =
      dependencies_.compiler.compile(source.toolchain, source.version, priority);
  ledger.record(key, compilation, dependencies_.clock.now());
  return compilation;
}

}  // namespace goldsmith::service
