#include "app/archive/io.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace positioned_io {
namespace {

using namespace test;

struct Fixture {
  Fixture() : fd(create(file)) {}

  base::TempDir folder;
  std::filesystem::path file = folder.path() / "target";
  base::UniqueFd fd;
};

dev_t device_of(const std::filesystem::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_dev : 0;
}

const std::filesystem::path kOtherFileSystem = "/dev/shm";

boost::test_tools::assertion_result two_file_systems(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(::access(kOtherFileSystem.c_str(), W_OK) == 0 &&
                                             device_of(kOtherFileSystem) !=
                                                 device_of(std::filesystem::temp_directory_path()));
  result.message() << "/dev/shm is not writable or no file system of its own";
  return result;
}

}  // namespace
}  // namespace positioned_io

BOOST_FIXTURE_TEST_SUITE(positioned_io, Fixture)

BOOST_AUTO_TEST_CASE(bytes_behind_a_gap_move_up_whatever_their_number) {
  for (const std::size_t size : {0U, 1U, 20U, 262'143U, 262'144U, 700'001U}) {
    const std::string bytes = incompressible(size);
    write_at({fd.get(), 100, file}, bytes);
    move_up({fd.get(), 100, file}, size, 20);
    std::string moved(size, '\0');
    BOOST_TEST(read_at({fd.get(), 120, file}, moved) == size);
    BOOST_TEST((moved == bytes), size);
  }
}

BOOST_AUTO_TEST_CASE(a_range_is_copied_within_a_file_system) {
  const auto source = folder.path() / "source";
  base::write_atomically(source, incompressible(900'000));
  const base::UniqueFd from = base::open_file(source, O_RDONLY);
  copy_range({from.get(), 1'000, source}, {fd.get(), 77, file}, 800'000);
  BOOST_TEST((base::read_file(file).substr(77) == incompressible(900'000).substr(1'000, 800'000)));
}

BOOST_AUTO_TEST_CASE(a_range_is_copied_between_file_systems,
                     *boost::unit_test::precondition(two_file_systems)) {
  const base::TempDir other(kOtherFileSystem);
  const auto source = other.path() / "source";
  base::write_atomically(source, incompressible(900'000));
  const base::UniqueFd from = base::open_file(source, O_RDONLY);
  copy_range({from.get(), 1'000, source}, {fd.get(), 77, file}, 800'000);
  BOOST_TEST((base::read_file(file).substr(77) == incompressible(900'000).substr(1'000, 800'000)));
}

BOOST_AUTO_TEST_CASE(a_source_that_ends_early_is_an_error_on_either_way) {
  const auto source = folder.path() / "source";
  base::write_atomically(source, "short");
  const base::UniqueFd from = base::open_file(source, O_RDONLY);
  const auto message =
      message_of<ZipError>([&] { copy_range({from.get(), 0, source}, {fd.get(), 0, file}, 6); });
  BOOST_TEST(contains(message, "source: ends early"), message);
}

BOOST_AUTO_TEST_CASE(a_source_that_ends_early_is_an_error_between_file_systems_too,
                     *boost::unit_test::precondition(two_file_systems)) {
  const base::TempDir other(kOtherFileSystem);
  const auto source = other.path() / "source";
  base::write_atomically(source, "short");
  const base::UniqueFd from = base::open_file(source, O_RDONLY);
  BOOST_CHECK_THROW(copy_range({from.get(), 0, source}, {fd.get(), 0, file}, 6), ZipError);
}

BOOST_AUTO_TEST_CASE(a_failing_write_names_the_file_and_the_cause) {
  const base::UniqueFd full = base::open_file("/dev/full", O_RDWR);
  try {
    write_at({full.get(), 0, "/dev/full"}, "x");
    BOOST_FAIL("nothing was thrown");
  } catch (const base::FileError& error) {
    BOOST_TEST(error.error_number() == ENOSPC);
    BOOST_TEST(contains(error.what(), "/dev/full: can't be written"), error.what());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive
