#include <amxmodx>

public plugin_natives()
{
    register_library("CaseLibrary")
}

public plugin_init()
{
    register_plugin("Case Library", "1.0", "goldsmith")
}
