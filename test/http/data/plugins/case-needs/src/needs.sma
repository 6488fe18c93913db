#include <amxmodx>

#pragma reqlib quarry
#pragma loadlib quarry

public plugin_init()
{
    register_plugin("Case Needs", "1.0", "goldsmith")
}
