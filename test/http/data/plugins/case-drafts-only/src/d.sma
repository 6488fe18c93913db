#include <amxmodx>

public plugin_init()
{
    register_plugin("Case Drafts Only", "1.0", "goldsmith")
}
