#include <amxmodx>

#pragma reqlib nowhere
#pragma loadlib nowhere

public plugin_init()
{
    register_plugin("Case Needs", "0.9", "goldsmith")
}
