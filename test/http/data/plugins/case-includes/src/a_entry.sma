#include <amxmodx>
#include <own>
#include <Quarry>

public plugin_init()
{
    log_amx("%d", OWN_VALUE)
    register_plugin("Case Includes", "1.0", "goldsmith")
}
