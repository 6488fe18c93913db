#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Alpha", "1.0", "goldsmith")
}
