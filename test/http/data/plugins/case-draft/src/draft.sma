#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Draft", "1.0", "goldsmith")
}
