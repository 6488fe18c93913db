#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Twin One", "1.0", "goldsmith")
}
