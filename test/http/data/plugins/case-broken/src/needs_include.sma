#include <amxmodx>
#include <third_party_api>

public plugin_init() {
  third_party_call(1);
}
