#include <amxmodx>

#pragma reqlib CaseLibrary
#pragma loadlib CaseLibrary

public plugin_init()
{
    register_plugin("Case Needs", "0.8", "goldsmith")
}
