#include <amxmodx>

public plugin_init()
{
    this_function_is_nowhere(1)
}
