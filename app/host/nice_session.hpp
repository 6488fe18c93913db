// The niceness of sessions.
#pragma once

namespace goldsmith::host {

// Where the kernel groups processes by session (autogroup in sched(7); on in Debian), a process's
// niceness counts only inside of its session. The session has a niceness of its own, which is what
// counts against the rest of the host.

// Sets the niceness of this process's session. System calls alone, no allocation: usable between
// fork and exec. False without autogroups, and when the kernel refuses: from unprivileged processes
// it accepts ten changes a second on the whole host, and no niceness below 0.
bool set_session_niceness(int niceness);

// Long work that yields to the rest of the host: this process's session is nice while the object
// lives, and has niceness 0 afterwards. Does nothing if this process does not lead its session: one
// that it shares, for example with an operator's shell, is not its own to slow down. Never throws;
// its end waits up to a second until the kernel accepts the change.
class NiceSession {
 public:
  explicit NiceSession(int niceness) noexcept;
  ~NiceSession();
  NiceSession(const NiceSession&) = delete;
  NiceSession& operator=(const NiceSession&) = delete;

 private:
  bool is_nice_;
};

}  // namespace goldsmith::host
