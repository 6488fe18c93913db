#include <amxmodx>

public plugin_init()
{
    this_version_does_not_compile(
}
