// What a 32-bit program gets of sockets in the sandbox of a start, through the C library of the
// host, which has its own ways to them. It is linked without headers and start files of 32-bit
// programs, which compilers need not have.
typedef unsigned short u16;
typedef struct {
  u16 family, port;
  unsigned address, unused[2];
} Address;

int socket(int, int, int);
int socketpair(int, int, int, int*);
int bind(int, const void*, unsigned);
int listen(int, int);
int accept(int, void*, unsigned*);
int connect(int, const void*, unsigned);
int getsockname(int, void*, unsigned*);
int setsockopt(int, int, int, const void*, unsigned);
int sendto(int, const void*, unsigned, int, const void*, unsigned);
int recvfrom(int, void*, unsigned, int, void*, unsigned*);
int send(int, const void*, unsigned, int);
int recv(int, void*, unsigned, int);
int getaddrinfo(const char*, const char*, const void*, void**);
int dprintf(int, const char*, ...);
int* __errno_location(void);
int close(int);
void _exit(int);

enum { stream = 1, datagram = 2, raw = 3, internet = 2 };

static void say(const char* what, int result) {
  dprintf(1, "%s: %d\n", what, result < 0 ? -*__errno_location() : 0);
}

static void open_and_close(const char* what, int family, int type, int protocol) {
  const int file = socket(family, type, protocol);
  say(what, file);
  if (file >= 0) close(file);
}

static Address bound(int file) {
  Address address = {internet, 0, 0x0100007f, {0, 0}};  // 127.0.0.1
  unsigned bytes = sizeof address;
  say("bind", bind(file, &address, sizeof address));
  say("getsockname", getsockname(file, &address, &bytes));
  return address;
}

static void try_everything(void) {
  open_and_close("unix", 1, stream, 0);
  open_and_close("ipv4", internet, datagram, 17);
  open_and_close("ipv6", 10, stream, 0);
  open_and_close("netlink", 16, raw, 0);
  open_and_close("vsock", 40, stream, 0);
  open_and_close("mptcp", internet, stream, 262);
  open_and_close("sctp", internet, stream, 132);
  open_and_close("raw", internet, raw, 1);
  int pair[2];
  say("socketpair", socketpair(1, stream, 0, pair));
  say("send", send(pair[0], "x", 1, 0));
  char got = 0;
  say("recv", recv(pair[1], &got, 1, 0));
  say("urgent", send(pair[0], "x", 1, 1));

  const int datagrams = socket(internet, datagram, 0);
  const Address own = bound(datagrams);
  say("sendto", sendto(datagrams, "y", 1, 0, &own, sizeof own));
  say("recvfrom", recvfrom(datagrams, &got, 1, 0, 0, 0));
  const int yes = 1;
  say("broadcast", setsockopt(datagrams, 1, 6, &yes, sizeof yes));
  say("tunnel", setsockopt(datagrams, 17, 100, &yes, sizeof yes));

  const int listening = socket(internet, stream, 0);
  const Address server = bound(listening);
  say("listen", listen(listening, 1));
  const int client = socket(internet, stream, 0);
  say("connect", connect(client, &server, sizeof server));
  say("accept", accept(listening, 0, 0));
  void* found = 0;
  dprintf(1, "resolver: %s\n", getaddrinfo("example.invalid", 0, 0, &found) != 0 ? "none" : "one");
  dprintf(1, "got: %c\n", got);
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  try_everything();
  _exit(0);
}
