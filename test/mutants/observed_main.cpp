// Boost.Test's main(), which writes to MUTANTS_LOG what each case took and reached, and ends at the
// first failure of a program that is changed. In the place of test/support/test_main.cpp, behind
// schemata.header().
#define BOOST_TEST_MODULE goldsmith
#include <unistd.h>

#include <boost/test/results_collector.hpp>
#include <boost/test/tree/observer.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace {

class Observer : public boost::unit_test::test_observer {
 public:
  Observer() { boost::unit_test::framework::register_observer(*this); }
  ~Observer() override { boost::unit_test::framework::deregister_observer(*this); }

  // Behind the collector of results.
  int priority() override { return 100; }

  void test_start(boost::unit_test::counter_t, boost::unit_test::test_unit_id) override {
    write("start-up", 0, true);
  }
  void test_unit_start(const boost::unit_test::test_unit& unit) override {
    if (unit.p_type == boost::unit_test::TUT_CASE)
      *log() << "begins 0 - " << unit.full_name() << '\n';
  }
  void test_unit_finish(const boost::unit_test::test_unit& unit, unsigned long elapsed) override {
    if (unit.p_type != boost::unit_test::TUT_CASE) return;
    const bool passed = boost::unit_test::results_collector.results(unit.p_id).passed();
    write(unit.full_name(), elapsed, passed);
    if (!passed && goldsmith_mutants()[0] != 0) ::_exit(1);
  }

 private:
  static std::unique_ptr<std::ofstream> log() {
    const char* const path = std::getenv("MUTANTS_LOG");
    return std::make_unique<std::ofstream>(path == nullptr ? "/dev/null" : path, std::ios::app);
  }
  static void write(const std::string& name, unsigned long elapsed, bool passed) {
    const auto file = log();
    *file << (passed ? "passed " : "failed ") << elapsed << ' ';
    for (unsigned number = 1; number < MUTANTS; ++number) {
      if (goldsmith_mutants()[number] == 0) continue;
      *file << number << ',';
      goldsmith_mutants()[number] = 0;
    }
    *file << "- " << name << '\n';
  }
};

}  // namespace

BOOST_TEST_GLOBAL_CONFIGURATION(Observer);
