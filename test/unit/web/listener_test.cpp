#include "app/web/server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>

#include "client.hpp"

using goldsmith::base::TempDir;
using goldsmith::base::UniqueFd;
using goldsmith::web::Listener;
using goldsmith::web::test::connect_to;

namespace {

struct Folder {
  TempDir folder;
  std::filesystem::path path = folder.path() / "api.sock";
};

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status{};
  BOOST_REQUIRE(lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

// The error of create() for a path that it refuses.
std::string refusal(const std::filesystem::path& path) {
  try {
    Listener::create(path);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(listener, Folder)

BOOST_AUTO_TEST_CASE(only_owner_and_group_may_use_a_socket) {
  const Listener made = Listener::create(path);
  BOOST_TEST(mode_of(path) == 0660U);
  BOOST_TEST(static_cast<bool>(connect_to(path)));
}

BOOST_AUTO_TEST_CASE(a_socket_is_non_blocking_and_closed_on_exec) {
  const Listener made = Listener::create(path);
  BOOST_TEST((fcntl(made.fd(), F_GETFD) & FD_CLOEXEC) != 0);
  BOOST_TEST((fcntl(made.fd(), F_GETFL) & O_NONBLOCK) != 0);
}

// As systemd does when it starts another worker with the same socket.
BOOST_AUTO_TEST_CASE(an_inherited_socket_does_not_block_even_if_somebody_takes_its_flag_off) {
  const Listener made = Listener::create(path);
  const UniqueFd standard_input(dup(STDIN_FILENO));
  BOOST_REQUIRE(dup2(made.fd(), STDIN_FILENO) == STDIN_FILENO);
  const Listener inherited = Listener::inherited();
  dup2(standard_input.get(), STDIN_FILENO);
  BOOST_TEST((fcntl(inherited.fd(), F_GETFL) & O_NONBLOCK) != 0);
  BOOST_REQUIRE(fcntl(inherited.fd(), F_SETFL, 0) == 0);
  BOOST_TEST(accept(inherited.fd(), nullptr, nullptr) == -1);
  BOOST_TEST(errno == EAGAIN);
}

BOOST_AUTO_TEST_CASE(the_destructor_unlinks_the_socket) {
  {
    const Listener made = Listener::create(path);
  }
  BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(a_withdrawn_socket_accepts_no_new_connection_and_frees_its_path) {
  Listener first = Listener::create(path);
  BOOST_TEST(first.withdraw());
  BOOST_CHECK_THROW(connect_to(path), std::runtime_error);
  const Listener second = Listener::create(path);
  BOOST_TEST(first.withdraw());
  BOOST_TEST(static_cast<bool>(connect_to(path)));
}

BOOST_AUTO_TEST_CASE(a_stale_socket_is_replaced) {
  // A killed worker leaves a socket file on which nobody listens.
  std::filesystem::path kept = folder.path() / "kept";
  {
    const Listener killed = Listener::create(path);
    std::filesystem::rename(path, kept);
  }
  std::filesystem::rename(kept, path);
  BOOST_CHECK_THROW(connect_to(path), std::runtime_error);
  const Listener made = Listener::create(path);
  BOOST_TEST(static_cast<bool>(connect_to(path)));
}

BOOST_AUTO_TEST_CASE(a_live_socket_is_left_alone) {
  const Listener live = Listener::create(path);
  BOOST_TEST(refusal(path).find("another process is listening on it") != std::string::npos);
  BOOST_TEST(static_cast<bool>(connect_to(path)));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_a_socket_is_left_alone) {
  goldsmith::base::write_atomically(path, "precious");
  BOOST_TEST(refusal(path).find("is not a socket") != std::string::npos);
  BOOST_TEST(goldsmith::base::read_file(path) == "precious");
}

BOOST_AUTO_TEST_CASE(a_path_too_long_for_a_socket_is_an_error_with_the_limit) {
  const std::filesystem::path longer = folder.path() / std::string(120, 'x');
  BOOST_TEST(refusal(longer).find("the maximum for a socket is 107") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_an_error_with_its_path) {
  BOOST_TEST(refusal(folder.path() / "none" / "x.sock").find("none/x.sock") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
