// Stands in for Valve's libsteam_api.so when a server is only started to see what it loads: the
// engine links it, and asks for no more than this where no player can join. 32-bit, because the
// engine is.
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
