// The accept loop as nginx sees it: a process behind a Unix socket that speaks FastCGI records.
#include "app/web/server.hpp"

#include <sys/socket.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/web/server.hpp"
#include "client.hpp"
#include "server_process.hpp"

using goldsmith::base::TempDir;
using goldsmith::base::UniqueFd;
using goldsmith::web::Listener;
using goldsmith::web::serve;
using namespace goldsmith::web::test;

namespace server {
namespace {

struct Folder {
  TempDir folder;
  std::filesystem::path path = folder.path() / "api.sock";
};

struct Served : Folder {
  ServerProcess server{path};

  void check_it_still_serves() const {
    BOOST_TEST(ask(path, plain("GET", "/echo")).has("Status: 200 OK"));
  }
};

}  // namespace
}  // namespace server

BOOST_AUTO_TEST_SUITE(server)

BOOST_FIXTURE_TEST_CASE(a_get_is_answered_and_logged, Served) {
  Parameters parameters = plain("GET", "/echo?a=b");
  parameters.emplace_back("REQUEST_ID", "abc123");
  const Answer answer = ask(path, parameters);
  BOOST_TEST(answer.has("Status: 200 OK"));
  BOOST_TEST(answer.has("Content-Type: text/plain"));
  BOOST_TEST(answer.has("Content-Length: 30"));
  BOOST_TEST(answer.body == "GET /echo?a=b 192.0.2.7 abc123");
  BOOST_TEST(answer.ended);
  BOOST_TEST(server.next_log() == "GET /echo?a=b 200");
}

BOOST_FIXTURE_TEST_CASE(a_head_has_the_headers_of_a_get_and_no_body, Served) {
  const Answer answer = ask(path, plain("HEAD", "/big"));
  BOOST_TEST(answer.has("Status: 200 OK"));
  BOOST_TEST(answer.has("Content-Length: " + std::to_string(big_body().size())));
  BOOST_TEST(answer.body.empty());
  BOOST_TEST(answer.ended);
}

BOOST_FIXTURE_TEST_CASE(a_body_in_a_file_arrives_complete, Served) {
  const Answer answer = ask(path, plain("GET", "/file"));
  BOOST_TEST(answer.has("Content-Length: " + std::to_string(big_body().size())));
  BOOST_TEST((answer.body == big_body()));
  BOOST_TEST(answer.ended);
  const Answer head = ask(path, plain("HEAD", "/file"));
  BOOST_TEST(head.has("Content-Length: " + std::to_string(big_body().size())));
  BOOST_TEST(head.body.empty());
}

BOOST_FIXTURE_TEST_CASE(a_response_of_several_megabytes_arrives_complete, Served) {
  const Answer answer = ask(path, plain("GET", "/big"));
  BOOST_TEST((answer.body == big_body()));
  BOOST_TEST(answer.ended);
}

BOOST_FIXTURE_TEST_CASE(long_parameters_arrive_complete, Served) {
  for (const std::size_t length : {8000U, 20'000U}) {  // at once, and in pieces
    const std::string target = "/echo?" + std::string(length, 'x');
    BOOST_TEST(ask(path, plain("GET", target)).body.starts_with("GET " + target + ' '));
  }
}

// libfcgi reads 8 KiB at a time, so that some end in the middle of the last record or before it.
BOOST_FIXTURE_TEST_CASE(long_requests_follow_each_other_on_a_kept_connection, Served) {
  const UniqueFd fd = connect_to(path);
  for (const std::size_t pieces : {1U, 3U}) {
    for (std::size_t length = pieces * 8192 - 115; length < pieces * 8192 - 80; ++length) {
      const std::string target = "/echo?" + std::string(length, 'x');
      send_request(fd.get(), plain("GET", target), true);
      const Answer answer = read_next_answer(fd.get());
      BOOST_TEST_REQUIRE(answer.body.starts_with("GET " + target + ' '), length);
      BOOST_TEST_REQUIRE(server.next_log() == "GET " + target + " 200");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_request_may_arrive_in_pieces_and_have_a_body, Served) {
  constexpr std::size_t kLastRecord = 8;
  std::string records = request_records(plain("POST", "/echo"), true);
  records.insert(records.size() - kLastRecord, std::string("\1\5\0\1\0\3\0\0abc", 11));
  const UniqueFd fd = connect_to(path);
  for (const std::size_t size : {std::size_t{1}, std::size_t{10}, records.size() - 1}) {
    goldsmith::base::write_all(fd.get(), records.substr(0, size), "request");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    goldsmith::base::write_all(fd.get(), records.substr(size), "request");
    BOOST_TEST_REQUIRE(read_next_answer(fd.get()).body.starts_with("POST /echo "));
  }
}

BOOST_FIXTURE_TEST_CASE(a_client_that_disconnects_does_no_harm, Served) {
  connect_to(path);  // sends nothing
  {
    const UniqueFd fd = connect_to(path);  // in the middle of a record
    goldsmith::base::write_all(fd.get(), std::string_view("\1\1\0\1\0\10\0\0\0\1", 10), "request");
  }
  for (int i = 0; i < 20; ++i) send_request(connect_to(path).get(), plain("GET", "/big"));
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(invalid_fastcgi_records_are_dropped, Served) {
  {
    UniqueFd fd = connect_to(path);
    goldsmith::base::write_all(fd.get(), "GET /v1/meta HTTP/1.1\r\nHost: x\r\n\r\n", "request");
    shutdown(fd.get(), SHUT_WR);
    BOOST_TEST(read_answer(std::move(fd)).head.empty());
  }
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(records_about_the_connection_never_reach_the_library, Served) {
  const std::string name = "FCGI_MAX_CONNS";
  std::string names;
  for (int i = 0; i < 12; ++i) {
    names += static_cast<char>(name.size()) + std::string(1, '\0') + name;
  }
  const std::string get_values = std::string("\1\11\0\0\0", 5) + static_cast<char>(names.size()) +
                                 std::string(2, '\0') + names;
  // Or in what pads the first record of a request.
  const std::string padded = std::string("\1\1\0\1\0\10", 6) +
                             static_cast<char>(get_values.size()) +
                             std::string("\0\0\1\1\0\0\0\0\0", 9) + get_values;
  for (const std::string& records : {get_values, padded}) {
    UniqueFd fd = connect_to(path);
    goldsmith::base::write_all(fd.get(), records, "request");
    shutdown(fd.get(), SHUT_WR);
    BOOST_TEST(read_answer(std::move(fd)).head.empty());
  }
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(a_client_that_stalls_is_given_up, Served) {
  const UniqueFd silent = connect_to(path);
  const UniqueFd stalled = connect_to(path);
  goldsmith::base::write_all(stalled.get(), std::string_view("\1\1\0\1\0\10\0\0\0\1", 10),
                             "request");
  check_it_still_serves();
  BOOST_TEST(is_closed_by_server(silent.get()));
  BOOST_TEST(is_closed_by_server(stalled.get()));
}

BOOST_FIXTURE_TEST_CASE(a_connection_is_closed_unless_the_client_keeps_it, Served) {
  const UniqueFd fd = connect_to(path);
  send_request(fd.get(), plain("GET", "/echo"));
  BOOST_TEST(read_next_answer(fd.get()).has("Status: 200 OK"));
  BOOST_TEST(is_closed_by_server(fd.get()));
}

BOOST_FIXTURE_TEST_CASE(a_kept_connection_serves_one_request_after_the_other, Served) {
  const UniqueFd fd = connect_to(path);
  for (const char* target : {"/echo?1", "/echo?2", "/echo?3"}) {
    send_request(fd.get(), plain("GET", target), true);
    BOOST_TEST(read_next_answer(fd.get()).body.starts_with(std::string("GET ") + target + ' '));
  }
  send_request(fd.get(), plain("GET", "/echo"));  // the last one
  BOOST_TEST(read_next_answer(fd.get()).ended);
  BOOST_TEST(is_closed_by_server(fd.get()));
}

BOOST_FIXTURE_TEST_CASE(silent_kept_connections_keep_nobody_waiting_and_stay, Served) {
  std::vector<UniqueFd> kept;
  for (int i = 0; i < 20; ++i) {
    kept.push_back(connect_to(path));
    send_request(kept.back().get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(kept.back().get()).ended);
  }
  check_it_still_serves();
  for (const UniqueFd& fd : kept) {
    send_request(fd.get(), plain("GET", "/echo?again"), true);
    BOOST_TEST(read_next_answer(fd.get()).body.starts_with("GET /echo?again "));
  }
}

BOOST_FIXTURE_TEST_CASE(busy_kept_connections_and_new_ones_take_turns, Served) {
  const UniqueFd first = connect_to(path);
  const UniqueFd second = connect_to(path);
  for (const UniqueFd* fd : {&first, &second}) {
    send_request(fd->get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(fd->get()).ended);
    BOOST_TEST(server.next_log() == "GET /echo 200");
  }
  send_request(first.get(), plain("GET", "/hold"), true);
  server.wait_until_held();
  send_request(first.get(), plain("GET", "/echo?first"), true);
  send_request(second.get(), plain("GET", "/echo?second"), true);
  UniqueFd waiting = connect_to(path);
  send_request(waiting.get(), plain("GET", "/echo?new"));
  server.let_go();
  BOOST_TEST(read_next_answer(first.get()).body == "held");
  BOOST_TEST(read_next_answer(first.get()).ended);
  BOOST_TEST(read_next_answer(second.get()).ended);
  BOOST_TEST(read_answer(std::move(waiting)).ended);
  BOOST_TEST(server.next_log() == "GET /hold 200");
  std::set<std::string> logged;  // in any order
  for (int i = 0; i < 3; ++i) logged.insert(server.next_log());
  BOOST_TEST(logged == (std::set<std::string>{"GET /echo?first 200", "GET /echo?new 200",
                                              "GET /echo?second 200"}),
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_connection_beyond_the_limit_is_answered_and_closed, Served) {
  constexpr int kLimit = 128;
  std::vector<UniqueFd> kept;
  for (int i = 0; i <= kLimit; ++i) {
    kept.push_back(connect_to(path));
    send_request(kept.back().get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(kept.back().get()).ended);
  }
  BOOST_TEST(is_closed_by_server(kept.back().get()));
  kept.erase(kept.begin());  // makes room for one
  const UniqueFd another = connect_to(path);
  for (int i = 0; i < 2; ++i) {
    send_request(another.get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(another.get()).ended);
  }
}

BOOST_FIXTURE_TEST_CASE(a_kept_connection_that_the_client_closes_does_no_harm, Served) {
  for (int i = 0; i < 5; ++i) {
    const UniqueFd fd = connect_to(path);
    send_request(fd.get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(fd.get()).ended);
  }
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(a_stop_signal_closes_kept_connections, Served) {
  const UniqueFd kept = connect_to(path);
  const UniqueFd other = connect_to(path);
  for (const UniqueFd* fd : {&kept, &other}) {
    send_request(fd->get(), plain("GET", "/echo"), true);
    BOOST_TEST(read_next_answer(fd->get()).ended);
  }
  server.signal(SIGTERM);
  BOOST_TEST(is_closed_by_server(kept.get()));
  BOOST_TEST(is_closed_by_server(other.get()));
  BOOST_TEST(server.exit_code() == 0);
}

BOOST_FIXTURE_TEST_CASE(a_request_without_a_target_never_reaches_the_application, Served) {
  const Answer answer = ask(path, {{"REQUEST_METHOD", "GET"}});
  BOOST_TEST(answer.has("Status: 400 Bad Request"));
  BOOST_TEST(answer.body == R"({"error":"bad_request","status":false})");
  BOOST_TEST(ask(path, {}).has("Status: 400 Bad Request"));
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(an_exception_is_a_fixed_500_and_the_next_request_is_fine, Served) {
  const Answer answer = ask(path, plain("GET", "/throw"));
  BOOST_TEST(answer.has("Status: 500 Internal Server Error"));
  BOOST_TEST(answer.body == R"({"error":"internal_error","status":false})");
  BOOST_TEST(server.next_log() == "GET /throw 500");
  check_it_still_serves();
}

BOOST_FIXTURE_TEST_CASE(each_stop_signal_stops_an_idle_server_cleanly, Folder) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) {
    ServerProcess server(path);
    server.signal(number);
    BOOST_TEST(server.exit_code() == 0);
    BOOST_TEST(!std::filesystem::exists(path));
  }
}

BOOST_FIXTURE_TEST_CASE(a_stop_signal_lets_the_current_request_finish, Served) {
  UniqueFd fd = connect_to(path);
  send_request(fd.get(), plain("GET", "/hold"));
  server.wait_until_held();
  server.signal(SIGTERM);
  server.let_go();
  const Answer answer = read_answer(std::move(fd));
  BOOST_TEST(answer.has("Status: 200 OK"));
  BOOST_TEST(answer.body == "held");
  BOOST_TEST(answer.ended);
  BOOST_TEST(server.exit_code() == 0);
}

BOOST_FIXTURE_TEST_CASE(connections_waiting_at_the_servers_own_socket_are_served_before_it_stops,
                        Served) {
  UniqueFd fd = connect_to(path);
  send_request(fd.get(), plain("GET", "/hold"));
  server.wait_until_held();
  UniqueFd waiting = connect_to(path);
  send_request(waiting.get(), plain("GET", "/big"));
  server.signal(SIGTERM);
  server.let_go();
  BOOST_TEST(read_answer(std::move(fd)).body == "held");
  BOOST_TEST((read_answer(std::move(waiting)).body == big_body()));
  BOOST_TEST(server.exit_code() == 0);
  BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_FIXTURE_TEST_CASE(connections_waiting_at_an_inherited_socket_are_left_to_other_servers,
                        Folder) {
  const Listener shared = Listener::create(path);
  ServerProcess server(shared.fd());
  UniqueFd fd = connect_to(path);
  send_request(fd.get(), plain("GET", "/hold"));
  server.wait_until_held();
  const UniqueFd waiting = connect_to(path);
  server.signal(SIGTERM);
  server.let_go();
  BOOST_TEST(read_answer(std::move(fd)).body == "held");
  BOOST_TEST(server.exit_code() == 0);
  BOOST_TEST(std::filesystem::exists(path));
  BOOST_TEST(static_cast<bool>(UniqueFd(accept(shared.fd(), nullptr, nullptr))));
}

BOOST_FIXTURE_TEST_CASE(two_servers_share_an_inherited_socket, Folder) {
  const Listener shared = Listener::create(path);
  ServerProcess first(shared.fd());
  ServerProcess second(shared.fd());
  for (int i = 0; i < 50; ++i) {
    BOOST_TEST(ask(path, plain("GET", "/echo")).has("Status: 200 OK"));
  }
  first.signal(SIGTERM);
  BOOST_TEST(first.exit_code() == 0);
  BOOST_TEST(ask(path, plain("GET", "/echo")).has("Status: 200 OK"));
}

BOOST_FIXTURE_TEST_CASE(a_child_process_sees_neither_the_socket_nor_the_connection, Folder) {
  const Listener shared = Listener::create(path);
  const ServerProcess server(shared.fd());
  const std::string listing = ask(path, plain("GET", "/descriptors")).body;
  BOOST_TEST_CONTEXT(listing) {
    BOOST_TEST(listing.find("0 -> /dev/null") != std::string::npos);
    BOOST_TEST(listing.find("socket:") == std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(without_a_listening_socket_the_error_names_the_fix) {
  BOOST_CHECK_EXCEPTION(
      serve({}, nullptr, nullptr), std::runtime_error, [](const std::runtime_error& error) {
        return std::string_view(error.what()).find("--socket PATH") != std::string_view::npos;
      });
}

BOOST_AUTO_TEST_SUITE_END()
