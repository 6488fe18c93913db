#include "app/host/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

#include "app/base/file.hpp"
#include "app/base/interruption.hpp"

using namespace goldsmith::base;
using namespace goldsmith::host;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// Generous: a limit that is not what a test is about must never be what ends its child.
constexpr seconds kPatience{120};

Command make_command(std::vector<std::string> arguments) {
  Command result;
  result.arguments = std::move(arguments);
  result.limits.wall_clock = kPatience;
  return result;
}

Command shell(std::string script) { return make_command({"/bin/sh", "-c", std::move(script)}); }

std::string output_of(const Command& command) {
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::exited), outcome.reason);
  BOOST_TEST(outcome.code == 0, outcome.output);
  return outcome.output;
}

boost::test_tools::assertion_result kernel_groups_by_session(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(std::filesystem::exists("/proc/self/autogroup"));
  result.message() << "this kernel has no autogroups";
  return result;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator begin("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

// Killed processes die in their own time: waits for it, however long it takes.
bool is_gone(pid_t process) {
  for (const auto deadline = std::chrono::steady_clock::now() + kPatience;
       std::chrono::steady_clock::now() < deadline; std::this_thread::sleep_for(milliseconds(5))) {
    if (::kill(process, 0) != 0 && errno == ESRCH) return true;
    std::string status;
    try {
      status = read_file("/proc/" + std::to_string(process) + "/stat");
    } catch (const FileError&) {
      return true;
    }
    // "PID (name) STATE …": a zombie that init has not collected yet runs no more.
    const std::size_t name_end = status.rfind(") ");
    if (name_end != std::string::npos && status.at(name_end + 2) == 'Z') return true;
  }
  return false;
}

// The command writes the id of a process to "pid" in its folder.
void check_that_it_dies_with_its_caller(Command command) {
  const TempDir folder;
  const std::filesystem::path pipe_file = folder.path() / "pid";
  BOOST_TEST_REQUIRE(::mkfifo(pipe_file.c_str(), 0600) == 0);
  for (const auto& file : {folder.path(), pipe_file}) ::chmod(file.c_str(), 0777);
  command.working_directory = folder.path();
  const pid_t caller = ::fork();
  if (caller == 0) {
    run_process(command);
    ::_exit(0);
  }
  // Opening waits for the program to be there.
  const UniqueFd pipe = open_file(pipe_file, O_RDONLY);
  std::string text(16, '\0');
  BOOST_TEST_REQUIRE(::read(pipe.get(), text.data(), text.size()) > 0);
  ::kill(caller, SIGKILL);
  ::waitpid(caller, nullptr, 0);
  BOOST_TEST(is_gone(std::stoi(text)));
}

// Replaces a descriptor of this process until the end of the scope.
class Redirected {
 public:
  Redirected(int fd, int replacement) : fd_(fd), saved_(::fcntl(fd, F_DUPFD_CLOEXEC, 50)) {
    if (replacement >= 0) {
      ::dup2(replacement, fd);
    } else {
      ::close(fd);
    }
  }
  ~Redirected() { ::dup2(saved_.get(), fd_); }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int fd_;
  UniqueFd saved_;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(process)

BOOST_AUTO_TEST_CASE(the_exit_code_and_both_streams_come_back) {
  const ProcessOutcome outcome = run_process(shell("echo out; echo err >&2; echo out; exit 7"));
  BOOST_TEST((outcome.end == ProcessEnd::exited));
  BOOST_TEST(outcome.code == 7);
  BOOST_TEST(outcome.output == "out\nerr\nout\n");
  BOOST_TEST(outcome.reason == "");
  BOOST_TEST((outcome.duration > std::chrono::microseconds(0)));
}

BOOST_AUTO_TEST_CASE(arguments_arrive_as_they_are) {
  Command command = make_command(
      {"/bin/sh", "-c", "printf '<%s>' \"$@\"", "sh", "", "a b", "'\"$x`", "*", "é\n", "--"});
  BOOST_TEST(output_of(command) == "<><a b><'\"$x`><*><é\n><-->");
}

BOOST_AUTO_TEST_CASE(the_environment_is_what_the_command_says_and_nothing_else) {
  Command command = make_command({"/usr/bin/env"});
  BOOST_TEST(output_of(command) == "");
  command.environment = {"A=1", "EMPTY=", "TEXT=x y=z"};
  BOOST_TEST(output_of(command) == "A=1\nEMPTY=\nTEXT=x y=z\n");
}

BOOST_AUTO_TEST_CASE(the_child_runs_in_its_working_directory) {
  const TempDir folder;
  const auto with_space = folder.path() / "a b";
  std::filesystem::create_directory(with_space);
  Command command = make_command({"/bin/pwd", "-P"});
  command.working_directory = with_space;
  BOOST_TEST(output_of(command) == std::filesystem::canonical(with_space).string() + "\n");
}

BOOST_AUTO_TEST_CASE(standard_input_is_the_null_device) {
  BOOST_TEST(output_of(make_command({"/bin/readlink", "/proc/self/fd/0"})) == "/dev/null\n");
  BOOST_TEST(output_of(make_command({"/bin/cat"})) == "");
}

BOOST_AUTO_TEST_CASE(a_program_reads_the_input_that_it_is_given_from_its_position_on) {
  const TempDir folder;
  write_atomically(folder.path() / "input", "first\nsecond\n");
  const UniqueFd input = open_file(folder.path() / "input", O_RDONLY);
  ::lseek(input.get(), 6, SEEK_SET);
  Command command = make_command({"/bin/cat"});
  command.input = input.get();
  BOOST_TEST(output_of(command) == "second\n");
}

BOOST_AUTO_TEST_CASE(the_child_has_three_descriptors_whatever_this_process_has) {
  // Without close-on-exec, as a database library opens its socket.
  const UniqueFd leaky(::open("/dev/null", O_RDONLY));
  const UniqueFd high(::fcntl(leaky.get(), F_DUPFD, 200));
  BOOST_TEST_REQUIRE(high.get() >= 200);
  // 3 is the folder that ls itself reads.
  BOOST_TEST(output_of(make_command({"/bin/ls", "/proc/self/fd"})) == "0\n1\n2\n3\n");
}

BOOST_AUTO_TEST_CASE(a_listening_socket_on_standard_input_does_not_reach_the_child) {
  int ends[2];
  BOOST_TEST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  const Redirected standard_input(STDIN_FILENO, reader.get());
  BOOST_TEST(output_of(make_command({"/bin/readlink", "/proc/self/fd/0"})) == "/dev/null\n");
}

BOOST_AUTO_TEST_CASE(closed_standard_descriptors_of_this_process_do_no_harm) {
  ProcessOutcome outcome;
  {
    const Redirected in(STDIN_FILENO, -1);
    const Redirected out(STDOUT_FILENO, -1);
    const Redirected err(STDERR_FILENO, -1);
    outcome =
        run_process(shell("readlink /proc/self/fd/0; echo out; echo err >&2; ls /proc/self/fd"));
  }
  BOOST_TEST((outcome.end == ProcessEnd::exited), outcome.reason);
  BOOST_TEST(outcome.output == "/dev/null\nout\nerr\n0\n1\n2\n3\n");
}

BOOST_AUTO_TEST_CASE(nothing_is_left_open_or_running_in_this_process) {
  run_process(shell("true"));
  const std::size_t before = open_descriptors();
  run_process(shell("echo x; exit 1"));
  run_process(make_command({"/no/such/program"}));
  Command flood = make_command({"/usr/bin/yes"});
  flood.limits.output_bytes = 10;
  run_process(flood);
  Command lost = shell("true");
  lost.working_directory = "/no/such/folder";
  run_process(lost);
  BOOST_TEST(open_descriptors() == before);
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(a_program_that_can_not_be_started_is_an_outcome_with_a_reason) {
  const TempDir folder;
  const auto text = folder.path() / "text";
  write_atomically(text, "no program", 0755);
  const auto plain = folder.path() / "plain";
  write_atomically(plain, "#!/bin/sh\n", 0644);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/no/such/program", "/no/such/program: No such file or directory"},
      {folder.path().string(), folder.path().string() + ": Permission denied"},
      {plain.string(), plain.string() + ": Permission denied"},
      {text.string(), text.string() + ": Exec format error"}};
  for (const auto& [program, reason] : cases) {
    const ProcessOutcome outcome = run_process(make_command({program}));
    BOOST_TEST((outcome.end == ProcessEnd::not_started));
    BOOST_TEST(outcome.reason == reason);
    BOOST_TEST(outcome.output == "");
    BOOST_TEST(!has_children());
  }
}

BOOST_AUTO_TEST_CASE(a_missing_working_directory_is_an_outcome_with_a_reason) {
  Command command = shell("echo ran");
  command.working_directory = "/no/such/folder";
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::not_started));
  BOOST_TEST(outcome.reason == "/no/such/folder: No such file or directory");
  BOOST_TEST(outcome.output == "");
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(a_command_that_would_be_cut_or_searched_for_is_not_started) {
  const std::string nul("a\0b", 3);
  std::vector<Command> commands = {make_command({}), make_command({""}), make_command({"true"}),
                                   make_command({"./true"}), make_command({"/bin/echo", nul})};
  commands.push_back(make_command({"/bin/true"}));
  commands.back().environment = {"A=" + nul};
  commands.push_back(make_command({"/bin/true"}));
  commands.back().working_directory = "/tmp/" + nul;
  for (const Command& command : commands) {
    const ProcessOutcome outcome = run_process(command);
    BOOST_TEST((outcome.end == ProcessEnd::not_started));
    BOOST_TEST(outcome.reason != "");
  }
}

BOOST_AUTO_TEST_CASE(running_out_of_descriptors_is_an_outcome_with_a_reason) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{static_cast<rlim_t>(3), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const ProcessOutcome outcome = run_process(make_command({"/bin/true"}));
  ::setrlimit(RLIMIT_NOFILE, &before);
  BOOST_TEST((outcome.end == ProcessEnd::not_started));
  BOOST_TEST(outcome.reason == "pipe: Too many open files");
}

BOOST_AUTO_TEST_CASE(death_by_a_signal_is_told_from_an_exit) {
  const ProcessOutcome outcome = run_process(shell("echo before; kill -SEGV $$"));
  BOOST_TEST((outcome.end == ProcessEnd::signalled));
  BOOST_TEST(outcome.code == SIGSEGV);
  BOOST_TEST(outcome.output == "before\n");
}

BOOST_AUTO_TEST_CASE(a_child_that_never_ends_is_killed_at_the_wall_clock) {
  Command command = make_command({"/bin/sleep", "1000000"});
  command.limits.wall_clock = milliseconds(50);
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::wall_clock));
  BOOST_TEST((outcome.duration >= milliseconds(50)));
  BOOST_TEST(outcome.waiting_time.has_value());
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(a_child_that_ignores_polite_signals_is_killed_too) {
  Command command = shell("trap '' TERM INT HUP; while :; do sleep 1000; done");
  command.limits.wall_clock = milliseconds(50);
  BOOST_TEST((run_process(command).end == ProcessEnd::wall_clock));
}

BOOST_AUTO_TEST_CASE(a_child_that_closed_its_output_is_still_waited_for) {
  const ProcessOutcome outcome = run_process(shell("exec >&- 2>&-; sleep 0.1; exit 3"));
  BOOST_TEST((outcome.end == ProcessEnd::exited));
  BOOST_TEST(outcome.code == 3);
}

BOOST_AUTO_TEST_CASE(output_up_to_the_limit_is_kept_and_one_byte_more_ends_the_child) {
  Command command = shell("head -c 100000 /dev/zero");
  command.limits.output_bytes = 100'000;
  const ProcessOutcome exact = run_process(command);
  BOOST_TEST((exact.end == ProcessEnd::exited));
  BOOST_TEST(exact.output.size() == 100'000U);

  command.limits.output_bytes = 99'999;
  const ProcessOutcome over = run_process(command);
  BOOST_TEST((over.end == ProcessEnd::output_limit));
  BOOST_TEST(over.output.size() == 99'999U);
}

BOOST_AUTO_TEST_CASE(an_endless_talker_is_ended_by_the_output_limit) {
  Command command = make_command({"/usr/bin/yes"});
  command.limits.output_bytes = 1000;
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::output_limit));
  BOOST_TEST(outcome.output.size() == 1000U);
  BOOST_TEST(outcome.output.starts_with("y\ny\n"));
}

BOOST_AUTO_TEST_CASE(without_room_for_output_silence_is_required) {
  Command command = shell("echo x");
  command.limits.output_bytes = 0;
  BOOST_TEST((run_process(command).end == ProcessEnd::output_limit));
  command = shell(":");
  command.limits.output_bytes = 0;
  BOOST_TEST((run_process(command).end == ProcessEnd::exited));
}

BOOST_AUTO_TEST_CASE(a_grandchild_does_not_outlive_the_call_nor_hold_it_up) {
  const ProcessOutcome outcome = run_process(shell("sleep 1000000 & echo $!"));
  BOOST_TEST((outcome.end == ProcessEnd::exited));
  BOOST_TEST((outcome.duration < kPatience));
  BOOST_TEST(is_gone(std::stoi(outcome.output)));
}

BOOST_AUTO_TEST_CASE(the_whole_group_is_killed_at_a_limit) {
  Command command = shell("sleep 1000000 & echo $!; exec yes");
  command.limits.output_bytes = 5000;
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::output_limit));
  BOOST_TEST(is_gone(std::stoi(outcome.output)));
}

BOOST_AUTO_TEST_CASE(a_daemon_that_holds_the_output_does_not_hold_up_the_call) {
  const ProcessOutcome outcome = run_process(shell("setsid sleep 1000000 & echo $!"));
  BOOST_TEST((outcome.end == ProcessEnd::exited));
  ::kill(std::stoi(outcome.output), SIGKILL);  // it left the group: the sandbox's task
}

BOOST_AUTO_TEST_CASE(the_child_leads_its_own_process_group) {
  std::istringstream status(output_of(make_command({"/bin/cat", "/proc/self/stat"})));
  std::string pid;
  std::string name;
  std::string state;
  std::string parent;
  std::string group;
  status >> pid >> name >> state >> parent >> group;
  BOOST_TEST(parent == std::to_string(::getpid()));
  BOOST_TEST(group == pid);
}

BOOST_AUTO_TEST_CASE(signals_that_this_process_blocks_or_ignores_reach_the_child) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const auto ignored = std::signal(SIGPIPE, SIG_IGN);
  const std::string output =
      output_of(make_command({"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  std::signal(SIGPIPE, ignored);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  BOOST_TEST(output == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

BOOST_AUTO_TEST_CASE(resource_limits_are_set) {
  Command command = shell("ulimit -c; ulimit -v; ulimit -f; ulimit -n; ulimit -t; ulimit -H -t");
  command.limits.address_space_bytes = 512U << 20U;
  command.limits.file_size_bytes = 1U << 20U;
  command.limits.open_files = 40;
  command.limits.cpu_seconds = 30;
  BOOST_TEST(output_of(command) == "0\n524288\n2048\n40\n30\n31\n");
}

BOOST_AUTO_TEST_CASE(a_nice_command_is_nicer_than_this_process) {
  Command command = shell("nice");
  const int own = std::stoi(output_of(command));
  command.niceness = 5;
  BOOST_TEST(output_of(command) == std::to_string(std::min(19, own + 5)) + "\n");
}

BOOST_AUTO_TEST_CASE(a_command_leads_a_session_of_its_own) {
  // "pid (name) state parent group session"
  const std::string stat = output_of(shell("read -r stat < /proc/$$/stat; echo \"$stat\""));
  std::istringstream fields(stat);
  std::string name, state;
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  fields >> pid >> name >> state >> parent >> group >> session;
  BOOST_TEST(pid > 0);
  BOOST_TEST(session == pid);
  BOOST_TEST(group == pid);
}

// The kernel refuses more than ten changes a second on the whole machine, so it is tried again.
BOOST_AUTO_TEST_CASE(the_session_of_a_nice_command_is_nice,
                     *boost::unit_test::precondition(kernel_groups_by_session)) {
  Command command = shell("cat /proc/self/autogroup");
  command.niceness = 5;
  std::string autogroup;
  for (int attempt = 0; attempt < 50 && !autogroup.ends_with(" nice 5\n"); ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(110));
    autogroup = output_of(command);
  }
  BOOST_TEST(autogroup.ends_with(" nice 5\n"), "the session is: " << autogroup);
}

BOOST_AUTO_TEST_CASE(a_limit_above_what_this_process_may_have_is_lowered_to_it) {
  rlimit own{};
  ::getrlimit(RLIMIT_NOFILE, &own);
  Command command = shell("ulimit -n");
  command.limits.open_files = ~std::uint64_t{0} >> 1U;
  const std::string expected =
      own.rlim_max == RLIM_INFINITY ? "unlimited\n" : std::to_string(own.rlim_max) + "\n";
  BOOST_TEST(output_of(command) == expected);
}

BOOST_AUTO_TEST_CASE(a_file_can_not_grow_over_its_limit) {
  const TempDir folder;
  Command command = make_command({"/bin/dd", "if=/dev/zero", "of=big", "bs=1000", "count=100"});
  command.working_directory = folder.path();
  command.limits.file_size_bytes = 10'000;
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::signalled));
  BOOST_TEST(outcome.code == SIGXFSZ);
  BOOST_TEST(std::filesystem::file_size(folder.path() / "big") == 10'000U);
}

BOOST_AUTO_TEST_CASE(processor_time_is_bounded) {
  Command command = shell("while :; do :; done");
  command.limits.cpu_seconds = 1;
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::signalled));
  BOOST_TEST(outcome.code == SIGXCPU);
}

BOOST_AUTO_TEST_CASE(the_processor_time_of_a_child_and_those_it_waited_for_is_told) {
  constexpr const char* kBurn = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
  const ProcessOutcome alone = run_process(shell(kBurn));
  const ProcessOutcome child = run_process(shell(std::string("(") + kBurn + "); true"));
  BOOST_TEST((alone.processor_time > milliseconds(20)), alone.processor_time.count());
  BOOST_TEST((child.processor_time > milliseconds(20)), child.processor_time.count());
  // Starting a program takes a part of it, much on a slow machine; waiting takes none.
  BOOST_TEST((run_process(shell("sleep 1")).processor_time < milliseconds(500)));
}

BOOST_AUTO_TEST_CASE(a_supervised_program_ends_as_an_ordinary_child_does) {
  const auto supervised = [](std::string script) {
    Command command = shell(std::move(script));
    command.supervised = true;
    return command;
  };
  ProcessOutcome outcome = run_process(supervised("echo a; exit 7"));
  BOOST_TEST((outcome.end == ProcessEnd::exited), outcome.reason);
  BOOST_TEST(outcome.code == 7);
  BOOST_TEST(outcome.output == "a\n");
  for (const int signal : {SIGSEGV, SIGXCPU, SIGKILL, SIGTERM}) {
    outcome = run_process(supervised("kill -" + std::to_string(signal) + " $$"));
    BOOST_TEST((outcome.end == ProcessEnd::signalled));
    BOOST_TEST(outcome.code == signal);
  }
  outcome = run_process(supervised("ls /proc/self/fd; grep -E '^SigBlk' /proc/self/status"));
  BOOST_TEST(outcome.output == "0\n1\n2\n3\nSigBlk:\t0000000000000000\n");
  Command missing = supervised("");
  missing.arguments = {"/no/such/program"};
  outcome = run_process(missing);
  BOOST_TEST((outcome.end == ProcessEnd::not_started));
  BOOST_TEST(outcome.reason == "/no/such/program: No such file or directory");
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(a_supervised_program_and_its_group_are_killed_at_a_limit) {
  Command command = shell("trap '' TERM; sleep 1000000 & echo $!; exec yes");
  command.supervised = true;
  command.limits.output_bytes = 5000;
  ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::output_limit));
  BOOST_TEST(is_gone(std::stoi(outcome.output)));
  command = make_command({"/bin/sleep", "1000000"});
  command.supervised = true;
  command.limits.wall_clock = milliseconds(50);
  outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::wall_clock));
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(a_killed_caller_leaves_nothing_of_a_supervised_program_behind) {
  Command command = shell("sleep 1000000 & echo $! > pid; wait");
  command.supervised = true;
  check_that_it_dies_with_its_caller(std::move(command));
}

BOOST_AUTO_TEST_CASE(the_processor_time_of_what_a_supervised_program_left_behind_counts) {
  // As bubblewrap does: it ends while its child, in a session of its own, still burns.
  const TempDir folder;
  Command command = shell(
      "mkfifo ready; setsid sh -c 'echo > ready; i=0; while [ $i -lt 300000 ]; do "
      "i=$((i+1)); done' & read line < ready; exit 3");
  command.environment = {"PATH=/usr/bin:/bin"};
  command.working_directory = folder.path();
  command.supervised = true;
  const ProcessOutcome outcome = run_process(command);
  BOOST_TEST((outcome.end == ProcessEnd::exited));
  BOOST_TEST(outcome.code == 3);
  BOOST_TEST((outcome.processor_time > milliseconds(20)), outcome.processor_time.count());
}

BOOST_AUTO_TEST_CASE(a_program_keeps_the_descriptors_that_it_is_given) {
  const UniqueFd one = above_standard(open_file("/dev/null", O_RDONLY));
  const UniqueFd two = above_standard(open_file("/dev/null", O_RDONLY));
  Command command = shell("ls /proc/self/fd");
  command.environment = {"PATH=/usr/bin:/bin"};
  command.kept_descriptors = {one.get(), two.get()};
  std::istringstream numbers(output_of(command));
  std::set<int> open;
  for (int number = 0; numbers >> number;) open.insert(number);
  BOOST_TEST(open.contains(one.get()));
  BOOST_TEST(open.contains(two.get()));
}

BOOST_AUTO_TEST_CASE(root_can_give_a_program_another_account) {
  for (const bool supervised : {false, true}) {
    Command command = shell("id -u; id -g; id -G; grep -E '^Cap(Eff|Prm)' /proc/self/status");
    command.environment = {"PATH=/usr/bin:/bin"};
    command.account = Account{65'533, 65'532};
    command.supervised = supervised;
    const ProcessOutcome outcome = run_process(command);
    if (::geteuid() == 0) {
      BOOST_TEST(outcome.output ==
                 "65533\n65532\n65532\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n");
    } else {
      BOOST_TEST((outcome.end == ProcessEnd::not_started));
      BOOST_TEST(outcome.reason == "setgroups: Operation not permitted");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_program_with_another_account_dies_with_its_caller) {
  if (::geteuid() != 0) return;
  Command command = shell("echo $$ > pid; exec sleep 1000000");
  command.environment = {"PATH=/usr/bin:/bin"};
  command.account = Account{65'533, 65'532};
  check_that_it_dies_with_its_caller(std::move(command));
}

BOOST_AUTO_TEST_CASE(a_signal_ends_a_program_that_may_be_interrupted) {
  const InterruptionGuard guard;
  Command command = shell("kill -TERM $PPID; exec sleep 1000000");
  command.interruptible = true;
  BOOST_TEST((run_process(command).end == ProcessEnd::interrupted));
  BOOST_TEST(!has_children());
}

BOOST_AUTO_TEST_CASE(signals_in_this_process_do_not_cut_the_wait_short) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) {};  // without SA_RESTART: every call here may see EINTR
  ::sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 500}, {0, 500}};
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const ProcessOutcome outcome = run_process(shell("sleep 0.1; echo a; sleep 0.1; echo b; exit 5"));
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  BOOST_TEST((outcome.end == ProcessEnd::exited), outcome.reason);
  BOOST_TEST(outcome.code == 5);
  BOOST_TEST(outcome.output == "a\nb\n");
}

BOOST_AUTO_TEST_SUITE_END()
