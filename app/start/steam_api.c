// Stands in for Valve's libsteam_api.so when a server is only started to see what it loads and how
// made-up players play there: the engine links it, and asks for no more than this where nobody joins
// over the network. 32-bit, because the engine is. (Below: what stands in for /proc/PID/maps, and for
// a system call.)
enum { interface_methods = 50 };  // more than the engine calls any of
// Those of ISteamGameServer that return a CSteamID, as structures are: where the caller says.
enum { get_steam_id = 10, create_unauthenticated_user_connection = 25 };

typedef int (*Method)(void);

static int nothing(void) { return 0; }

typedef struct {
  unsigned account, rest;
} SteamId;

static SteamId a_steam_id(void* object) {
  enum { of_nobody = 0x01100001 };  // public universe, an individual, on a desktop
  static unsigned accounts;
  (void)object;
  return (SteamId){++accounts, of_nobody};
}

// As a C++ object: a pointer to its table of methods.
static Method methods[interface_methods];
static const Method* interface = methods;

static void* an_interface(void) {
  for (int i = 0; i < interface_methods; ++i) methods[i] = nothing;
  methods[get_steam_id] = methods[create_unauthenticated_user_connection] = (Method)(void*)a_steam_id;
  return &interface;
}

void* SteamApps(void) { return an_interface(); }
void* SteamGameServer(void) { return an_interface(); }

int SteamAPI_Init(void) { return 1; }
int SteamGameServer_Init(void) { return 1; }

void SteamAPI_RegisterCallback(void) {}
void SteamAPI_RunCallbacks(void) {}
void SteamAPI_SetBreakpadAppID(void) {}
void SteamAPI_Shutdown(void) {}
void SteamAPI_UnregisterCallResult(void) {}
void SteamAPI_UnregisterCallback(void) {}
void SteamAPI_UseBreakpadCrashHandler(void) {}
void SteamGameServer_RunCallbacks(void) {}
void SteamGameServer_Shutdown(void) {}

// It audits the dynamic linker, too (rtld-audit(7)): the sandbox has no /proc, in which Metamod and
// others look for where libraries are loaded. Whenever that changes, it writes /proc/PID/maps, as
// far as they read it, into the folder that is there instead. An auditor has no C library.

typedef struct Loaded Loaded;  // struct link_map
struct Loaded {
  unsigned base;
  const char* path;
  void* dynamic;
  Loaded* next;
  Loaded* previous;
};

typedef struct {
  unsigned type, offset, address, physical, file_bytes, bytes, flags, alignment;
} Segment;

static Loaded* first;

static int call(int number, unsigned one, unsigned two, unsigned three, unsigned four) {
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(one), "c"(two), "d"(three), "S"(four)
                   : "memory");
  return result;
}

static char* add_text(char* end, const char* text) {
  while (*text) *end++ = *text++;
  return end;
}

static char* add_hex(char* end, unsigned number) {
  for (int shift = 28; shift >= 0; shift -= 4) *end++ = "0123456789abcdef"[number >> shift & 15];
  return end;
}

// "BEGIN-END rwxp OFFSET 00:00 1 PATH"
static void write_segment(int file, const Loaded* library, const Segment* segment) {
  enum { page = 4096, longest_path = 1024, others = 64, executable = 1, writable = 2, readable = 4 };
  char line[longest_path + others];
  const unsigned begin = (library->base + segment->address) & -page;
  const unsigned end = (library->base + segment->address + segment->bytes + page - 1) & -page;
  unsigned path_bytes = 0;
  while (library->path[path_bytes]) ++path_bytes;
  if (path_bytes > longest_path) return;
  char* at = add_hex(line, begin);
  *at++ = '-';
  at = add_hex(at, end);
  *at++ = ' ';
  *at++ = segment->flags & readable ? 'r' : '-';
  *at++ = segment->flags & writable ? 'w' : '-';
  *at++ = segment->flags & executable ? 'x' : '-';
  at = add_text(at, "p ");
  at = add_hex(at, segment->offset & -page);
  at = add_text(at, " 00:00 1 ");
  at = add_text(at, library->path);
  *at++ = '\n';
  enum { write = 4 };
  call(write, file, (unsigned)line, at - line, 0);
}

static void write_maps(void) {
  enum { close = 6, getpid = 20, mkdir = 39, openat = 295, here = -100 };
  enum { write_only = 1, create = 0100, truncate = 01000, load = 1 };
  char path[32];
  char digits[12];
  int count = 0;
  for (int pid = call(getpid, 0, 0, 0, 0); pid > 0; pid /= 10) digits[count++] = '0' + pid % 10;
  char* end = add_text(path, "/proc/");
  while (count > 0) *end++ = digits[--count];
  *end = 0;
  call(mkdir, (unsigned)path, 0700, 0, 0);
  *add_text(end, "/maps") = 0;
  const int file = call(openat, here, (unsigned)path, write_only | create | truncate, 0600);
  if (file < 0) return;
  for (const Loaded* library = first; library; library = library->next) {
    // A program that is loaded where it says, as the engine's own, is no library.
    if (!library->base || !library->path || !*library->path) continue;
    const unsigned char* header = (const unsigned char*)library->base;
    const Segment* segment = (const Segment*)(header + *(const unsigned*)(header + 28));
    for (int left = *(const unsigned short*)(header + 44); left > 0; --left, ++segment) {
      if (segment->type == load) write_segment(file, library, segment);
    }
  }
  call(close, file, 0, 0, 0);
}

// The sandbox lets nobody make the call socketcall, whose arguments no filter sees, and sends SIGSYS
// instead. The 32-bit C library knows no other way to sockets where it is built for kernels before
// 4.3, as in Debian. So the calls that it stands for are made here; what the filter has against
// those, it says of each.

enum { bad_call = 31, from_filter = 1, socketcall = 102, not_implemented = -38 };
enum { calls = 21, most_arguments = 6 };

static const struct {
  short number, arguments;
} socket_calls[calls] = {[1] = {359, 3},  [2] = {361, 3},  [3] = {362, 3},  [4] = {363, 2},
                         [5] = {364, 3},  [6] = {367, 3},  [7] = {368, 3},  [8] = {360, 4},
                         [9] = {369, 4},  [10] = {371, 4}, [11] = {369, 6}, [12] = {371, 6},
                         [13] = {373, 2}, [14] = {366, 5}, [15] = {365, 5}, [16] = {370, 3},
                         [17] = {372, 3}, [18] = {364, 4}, [20] = {345, 4}};

static int call_with(int number, const unsigned arguments[most_arguments]) {
  int result;
  __asm__ volatile(
      "pushl %%ebp\n\t"
      "pushl %%ebx\n\t"
      "movl (%%edi), %%ebx\n\t"
      "movl 4(%%edi), %%ecx\n\t"
      "movl 8(%%edi), %%edx\n\t"
      "movl 12(%%edi), %%esi\n\t"
      "movl 20(%%edi), %%ebp\n\t"
      "movl 16(%%edi), %%edi\n\t"
      "int $0x80\n\t"
      "popl %%ebx\n\t"
      "popl %%ebp"
      : "=a"(result), "+D"(arguments)
      : "a"(number)
      : "ecx", "edx", "esi", "memory");
  return result;
}

static int call_for_socketcall(unsigned which, const unsigned* given) {
  unsigned arguments[most_arguments] = {0, 0, 0, 0, 0, 0};
  if (which >= calls || socket_calls[which].number == 0) return not_implemented;
  for (int i = 0; i < socket_calls[which].arguments; ++i) arguments[i] = given[i];
  return call_with(socket_calls[which].number, arguments);
}

typedef struct {
  int number, error, code;
  void* at;
  int call;
} SignalInfo;

typedef struct {
  unsigned flags, link, stack[3];
  unsigned registers[19];
} SignalContext;

static void on_bad_call(int number, const SignalInfo* info, SignalContext* context) {
  enum { ebx = 8, ecx = 10, eax = 11 };
  (void)number;
  if (info->code != from_filter || info->call != socketcall) return;
  context->registers[eax] = call_for_socketcall(context->registers[ebx],
                                                (const unsigned*)context->registers[ecx]);
}

__attribute__((naked)) static void return_from_signal(void) {
  __asm__("movl $173, %eax\n\tint $0x80");
}

static void take_socketcalls(void) {
  enum { rt_sigaction = 174, with_info = 4, has_restorer = 0x04000000, may_nest = 0x40000000, mask_bytes = 8 };
  const struct {
    void (*handler)(int, const SignalInfo*, SignalContext*);
    unsigned flags;
    void (*restorer)(void);
    unsigned mask[2];
  } action = {on_bad_call, with_info | has_restorer | may_nest, return_from_signal, {0, 0}};
  call(rt_sigaction, bad_call, (unsigned)&action, 0, mask_bytes);
}

unsigned la_version(unsigned version) {
  take_socketcalls();
  return version;
}

unsigned la_objopen(Loaded* library, long name_space, void* cookie) {
  (void)cookie;
  if (name_space == 0 && !first) first = library;
  return 0;
}

void la_activity(void* cookie, unsigned state) {
  (void)cookie;
  if (state == 0 && first) write_maps();  // what is loaded is consistent
}
