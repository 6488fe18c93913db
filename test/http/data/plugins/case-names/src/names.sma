#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Names", "1.0", "goldsmith")
}
