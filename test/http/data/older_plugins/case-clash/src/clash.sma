#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Clash", "1.0", "goldsmith")
}
