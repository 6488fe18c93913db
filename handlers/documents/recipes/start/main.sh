# --- The start ---------------------------------------------------------------------------------------------------

# In a shell of its own, so that what fails there ends the update alone.
update_server() (
  read_link
  command -v curl >/dev/null || fail '{program} is not installed' program=curl
  scratch=$(mktemp -d) || fail 'cannot make a temporary folder'
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' INT TERM HUP
  install_selection
)

update_if_wanted() {
  if [ -e .goldsmith/state ] && [ "${UPDATE_AT_START:-1}" = 0 ]; then return 0; fi
  if [ -n "$installer" ]; then
    "$installer"
  elif [ -e .goldsmith ]; then
    update_server
  else
    warn 'there is no server in {folder} yet: the installation of the panel makes it' folder="$folder"
    return 3
  fi
}

refuse_unquotable() { # NAME VALUE
  case $2 in *[\"[:cntrl:]]*) refuse '{name} cannot have quotation marks or control characters' name="$1" ;; esac
}

# What is set in the panel or the environment wins over the owner's server.cfg, which the engine executes last. It is in a
# file that the owner alone can read: arguments of a program can be read by others.
write_settings() {
  settings=goldsmith-start.cfg
  rm -f "cstrike/$settings"
  [ -n "${SERVER_NAME-}${RCON_PASSWORD-}${TICRATE-}" ] || { settings='' && return; }
  refuse_unquotable SERVER_NAME "${SERVER_NAME-}"
  refuse_unquotable RCON_PASSWORD "${RCON_PASSWORD-}"
  case ${TICRATE-} in *[!0-9]*) refuse '{name} must be a number' name=TICRATE ;; esac
  (
    umask 077
    set -C
    {
      write_line 'exec server.cfg'
      [ -z "${SERVER_NAME-}" ] || write_line "hostname \"$SERVER_NAME\""
      [ -z "${RCON_PASSWORD-}" ] || write_line "rcon_password \"$RCON_PASSWORD\""
      [ -z "${TICRATE-}" ] || write_line "sys_ticrate $TICRATE"
    } >"cstrike/$settings"
  ) || fail 'cannot write {file}' file="$folder/cstrike/$settings"
}

cd -- "$folder" || exit 1
update_if_wanted
status=$?
if [ $status != 0 ]; then
  # 1: failed, and nothing changed, unless an update is half done.
  if [ $status != 1 ] || [ ! -e .goldsmith/state ] || [ -e .goldsmith/work/commit ]; then exit $status; fi
  warn 'not updated; starting the server as it is'
fi
write_settings
unset RCON_PASSWORD
# shellcheck disable=SC2086 # one word, or none
exec ./hlds_run -console -norestart -game cstrike -strictportbind +ip 0.0.0.0 -port "${PORT:-27015}" \
  +maxplayers "${MAX_PLAYERS:-16}" ${settings:++servercfgfile $settings} +map "${MAP:-de_dust2}" "$@"
