#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Twin Two", "1.0", "goldsmith")
}
