# --- The start ---------------------------------------------------------------------------------------------------

cd /server || exit 1
install-server
status=$?
if [ $status != 0 ]; then
  # 1: failed, and nothing changed, unless an update is half done.
  if [ $status != 1 ] || [ ! -e .goldsmith/state ] || [ -e .goldsmith/work/commit ]; then exit $status; fi
  warn 'not updated; starting the server as it is'
fi
exec ./hlds_run -console -norestart -game cstrike -strictportbind +ip 0.0.0.0 -port "${PORT:-27015}" \
  +maxplayers "${MAX_PLAYERS:-16}" +map "${MAP:-de_dust2}" "$@"
