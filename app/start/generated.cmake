# What plays on servers that are started, as a source.
set(play_plugin_source ${CMAKE_CURRENT_LIST_DIR}/svc_play.sma)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${play_plugin_source})
file(READ ${play_plugin_source} play_plugin_text)
set(play_plugin ${PROJECT_BINARY_DIR}/play_plugin.cpp)
file(CONFIGURE OUTPUT ${play_plugin} @ONLY CONTENT
"#include \"app/start/server_start.hpp\"

namespace goldsmith::start {

domain::PluginVersion play_plugin() {
  return domain::own_plugin(\"svc_play.sma\", R\"sma(@play_plugin_text@)sma\");
}

}  // namespace goldsmith::start
")
