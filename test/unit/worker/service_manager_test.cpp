#include "app/worker/options.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>

#include "app/base/file.hpp"

namespace goldsmith::worker::test {
namespace {

using std::chrono::milliseconds;

// The socket that systemd listens on.
class Manager {
 public:
  Manager() : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    const std::filesystem::path path = folder_.path() / "notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    BOOST_REQUIRE(bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) ==
                  0);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~Manager() { unsetenv("NOTIFY_SOCKET"); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // The next message, or "" when none came.
  std::string heard() const {
    char text[256];
    const ssize_t size = recv(fd_.get(), text, sizeof text, 0);
    return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
  }

 private:
  base::TempDir folder_;
  base::UniqueFd fd_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(service_manager)

BOOST_AUTO_TEST_CASE(the_first_call_says_ready_and_the_watchdog_hears_at_most_one_a_second) {
  const Manager systemd;
  ServiceManager manager;
  const ServiceManager::Time start{};
  manager.alive(0, start);
  BOOST_TEST(systemd.heard() == "READY=1\nSTATUS=0 requests served");
  for (int i = 1; i < 1000; ++i) manager.alive(5, start + milliseconds(i));
  BOOST_TEST(systemd.heard() == "");
  manager.alive(7, start + milliseconds(1000));
  BOOST_TEST(systemd.heard() == "WATCHDOG=1\nSTATUS=7 requests served");
  manager.alive(8, start + milliseconds(1999));
  BOOST_TEST(systemd.heard() == "");
  manager.stopping();
  BOOST_TEST(systemd.heard() == "STOPPING=1");
}

BOOST_AUTO_TEST_CASE(a_manager_that_is_gone_does_no_harm) {
  const std::unique_ptr<Manager> systemd = std::make_unique<Manager>();
  setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
  ServiceManager manager;
  BOOST_CHECK_NO_THROW(manager.alive(0, {}));
  BOOST_CHECK_NO_THROW(manager.stopping());
  BOOST_TEST(systemd->heard() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::worker::test
