#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Older", "1.0", "goldsmith")
}
