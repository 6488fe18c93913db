#include "app/compile/compiled_plugin_cache.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "test/unit/compile/scripted_compiler.hpp"

namespace goldsmith::compile::test {
namespace {

namespace fs = std::filesystem;
using domain::Permit;
using std::chrono::milliseconds;
using std::chrono::minutes;

struct Fixture : Host {
  CompiledOutcome get() const { return cache.get("1.9", version, granted); }
  std::size_t kept() const {
    if (!fs::exists(root)) return 0;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(root), fs::directory_iterator()));
  }

  CompiledPluginCache make_cache() const {
    return {*this, artefact_folder(config), folder.path() / "compiled_plugins"};
  }
  std::uintmax_t bytes() const {
    std::uintmax_t sum = 0;
    for (const auto& file : fs::directory_iterator(root)) sum += file.file_size();
    return sum;
  }

  fs::path root = config.artefact_cache;
  CompiledPluginCache cache{*this, artefact_folder(config), folder.path() / "compiled_plugins"};
  domain::PluginVersion version = plugin("main() {}");
  Permit granted{[]() -> Permit::Answer { return std::nullopt; }};
};

bool is_rejected(const CompiledOutcome& outcome) {
  return std::holds_alternative<Rejected>(outcome);
}

domain::Error error_of(const std::function<CompiledOutcome()>& get) try {
  get();
  throw std::logic_error("there is an outcome");
} catch (const domain::Failure& failure) {
  return failure.code;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(the_compiled_plugin_cache, Fixture)

BOOST_AUTO_TEST_CASE(a_kept_file_that_can_not_be_read_costs_a_compile) {
  compiler.next = rejected("a.sma(1) : error 017");
  BOOST_TEST(is_rejected(get()));
  const fs::path file = fs::directory_iterator(root)->path();
  fs::remove(file);
  fs::create_directory(file);
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_CASE(a_rejection_that_names_an_error_is_kept) {
  compiler.next = rejected("a.sma(1) : error 017");
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(is_rejected(cache.get("1.9", version, std::nullopt)));
  BOOST_TEST(std::get<Rejected>(get()).is_final);
  BOOST_TEST(compiler.starts == 1);
  BOOST_TEST(kept() == 1U);
  for (const auto& file : artefact_folder(config).verify()) BOOST_TEST(file.detail == "");
}

BOOST_AUTO_TEST_CASE(a_rejection_says_what_would_help) {
  compiler.next = rejected("a.sma(1) : fatal error 100: cannot read from file: \"reapi\"");
  compiler.next.missing_include = "reapi";
  const std::string hint =
      "Needs reapi.inc, which is neither among the plugin's files nor installed here for AMX Mod X "
      "1.9.";
  BOOST_TEST(std::get<Rejected>(get()).hint == hint);
  BOOST_TEST(std::get<Rejected>(get()).hint == hint);  // of the kept one
  BOOST_TEST(compiler.starts == 1);
}

BOOST_AUTO_TEST_CASE(an_end_at_a_limit_is_remembered_but_not_kept) {
  compiler.next = stopped("The compiler was stopped.");
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(is_rejected(cache.get("1.9", version, std::nullopt)));  // as HEAD asks
  BOOST_TEST(compiler.starts == 1);
  BOOST_TEST(kept() == 0U);
  clock.time += minutes(10);
  BOOST_CHECK_THROW(cache.get("1.9", version, std::nullopt), NeedsCompile);
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_CASE(an_unexplained_end_is_neither_kept_nor_remembered) {
  compiler.next = stopped("The compiler reported no error, but made no valid plugin.");
  compiler.next.limit_hit = false;
  BOOST_TEST(!std::get<Rejected>(get()).is_final);
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(compiler.starts == 2);
  BOOST_TEST(kept() == 0U);
}

BOOST_AUTO_TEST_CASE(a_full_scratch_disk_is_no_rejection) {
  compiler.next = compile::Compilation();
  compiler.next.cause = "no room";
  BOOST_TEST((error_of([&] { return get(); }) == domain::Error::compiler_unavailable));
  BOOST_TEST(kept() == 0U);
}

BOOST_AUTO_TEST_CASE(what_a_new_compiler_made_is_kept_as_made_by_it_at_once) {
  compiler.next = compiled(milliseconds(50));
  watch.generation();
  get();
  base::write_atomically(folder.path() / "toolchains" / "1.9" / "amxxpc", "a new one", 0755);
  const auto fingerprint = toolchains.fingerprint(toolchains.find("1.9").value());
  const CompiledOutcome outcome = cache.get("1.9", plugin("main() { new x }"), granted);
  BOOST_TEST(std::get<CompiledBinary>(outcome).toolchain_fingerprint == fingerprint);
  watch.generation();
  get();
  BOOST_TEST(compiler.starts == 3);  // the first one is stale now
}

BOOST_AUTO_TEST_CASE(a_damaged_rejection_is_compiled_again) {
  compiler.next = rejected("a.sma(1) : error 017");
  get();
  for (const auto& file : fs::directory_iterator(root)) fs::resize_file(file.path(), 0);
  BOOST_TEST(is_rejected(get()));
  BOOST_TEST(compiler.starts == 2);
}

BOOST_AUTO_TEST_CASE(the_folder_keeps_its_size) {
  compiler.next = compiled(milliseconds(50));
  compiler.next.binary = std::string(200'000, 'x');
  for (int i = 0; i < 20; ++i) {
    cache.get("1.9", plugin(std::to_string(i)), granted);
    BOOST_TEST(bytes() <= (1U << 20));
  }
  BOOST_TEST(kept() >= 4U);
}

BOOST_AUTO_TEST_CASE(what_another_process_keeps_counts) {
  const CompiledPluginCache other = make_cache();
  compiler.next = compiled(milliseconds(50));
  compiler.next.binary = std::string(600'000, 'x');
  get();
  other.get("1.9", plugin("another"), granted);
  BOOST_TEST(kept() == 1U);
  BOOST_TEST(bytes() == 600'000U);
}

BOOST_AUTO_TEST_CASE(a_plugin_larger_than_the_cache_is_not_kept_and_does_not_count) {
  compiler.next = compiled(milliseconds(50));
  compiler.next.binary = std::string((1U << 20) + 1, 'x');
  BOOST_TEST(std::get<CompiledBinary>(get()).binary == compiler.next.binary);
  BOOST_TEST(kept() == 0U);
  compiler.next.binary = std::string(1'000'000, 'x');
  get();
  BOOST_TEST(kept() == 1U);
}

BOOST_AUTO_TEST_CASE(a_disk_that_is_too_full_keeps_nothing) {
  compiler.next = compiled(milliseconds(50));
  get();
  BOOST_TEST(kept() == 1U);
  config.cache.free_bytes = std::numeric_limits<std::uint64_t>::max() / 2;
  BOOST_TEST(
      std::holds_alternative<CompiledBinary>(make_cache().get("1.9", plugin("another"), granted)));
  BOOST_TEST(kept() == 0U);
}

BOOST_AUTO_TEST_CASE(a_busy_host_is_told_as_such) {
  const domain::Admission one = limits.compile_unproved();
  const domain::Admission other = limits.compile_unproved();
  compiler.next = compiled(milliseconds(50));
  BOOST_TEST((error_of([&] { return get(); }) == domain::Error::rate_limited));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::compile::test
