// Stands in for Valve's libsteam_api.so when a server is only started to see what it loads: the
// engine links it, and asks for no more than this where no player can join. 32-bit, because the
// engine is. (Below: what stands in for /proc/PID/maps.)
#define INTERFACE_METHODS 50  // more than the engine calls any of

typedef int (*Method)(void);

static int nothing(void) { return 0; }

// As a C++ object: a pointer to its table of methods. None of them does anything.
static Method methods[INTERFACE_METHODS];
static const Method* interface = methods;

static void* an_interface(void) {
  for (int i = 0; i < INTERFACE_METHODS; ++i) methods[i] = nothing;
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

unsigned la_version(unsigned version) { return version; }

unsigned la_objopen(Loaded* library, long name_space, void* cookie) {
  (void)cookie;
  if (name_space == 0 && !first) first = library;
  return 0;
}

void la_activity(void* cookie, unsigned state) {
  (void)cookie;
  if (state == 0 && first) write_maps();  // what is loaded is consistent
}
