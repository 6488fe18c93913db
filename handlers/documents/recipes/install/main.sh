# --- The installation --------------------------------------------------------------------------------------------

need_tools() {
  for tool in curl tar awk find; do
    command -v "$tool" >/dev/null || fail '{program} is not installed' program="$tool"
  done
}

# SteamCMD is known to leave out files of this game and to report success.
missing_files() {
  for file in hlds_run hlds_linux libsteam_api.so valve/gfx.wad cstrike/liblist.gam cstrike/maps/de_dust2.bsp; do
    [ -f "$file" ] || printf ' %s' "$file"
  done
}

# SteamCMD would write through them.
refuse_links() {
  links=$(find . \( -type l -o -type f -links +1 \) -print) || fail 'cannot read all of {folder}' folder="$folder"
  [ -z "$links" ] || refuse 'there are links in {folder}; remove them first:
{links}' folder="$folder" links="$links"
}

get_steamcmd() {
  say 'Downloading SteamCMD.'
  fetch "$steamcmd_url" "$scratch/steamcmd.tar.gz"
  [ "$status" = 200 ] || fail '{address}: {status}' address="$steamcmd_url" status="$status"
  mkdir "$scratch/steamcmd"
  tar -xzf "$scratch/steamcmd.tar.gz" -C "$scratch/steamcmd" || fail 'cannot unpack SteamCMD'
}

# The branch is the one that ReHLDS works with.
run_steamcmd() {
  "$scratch/steamcmd/steamcmd.sh" +force_install_dir "$folder" +login anonymous +app_set_config 90 mod cstrike \
    +app_update 90 -beta steam_legacy validate +quit </dev/null
}

install_base_game() {
  refuse_links
  get_steamcmd
  mkdir -p steamapps # without it SteamCMD fails
  attempt=1
  until run_steamcmd && [ -z "$(missing_files)" ]; do
    missing=$(missing_files)
    if [ -n "$missing" ]; then translate 'it lacks {files}' files="${missing# }"; else translate 'SteamCMD failed'; fi
    problem=$text
    [ $attempt -lt $most_attempts ] ||
      fail 'SteamCMD did not install the base game in {n} attempts: {problem}; try again later' n="$most_attempts" problem="$problem"
    attempt=$((attempt + 1))
    say 'The base game is not complete: {problem}. Attempt {n} of {most}.' problem="$problem" n="$attempt" most="$most_attempts"
  done
  # Where the game looks for it, in its user's home.
  mkdir -p .steam/sdk32
  cp "$scratch/steamcmd/linux32/steamclient.so" .steam/sdk32/
}

# What the panel starts. A new file, so that nothing is written through a link.
write_start_script() {
  [ -n "$start_script" ] || return 0
  { rm -f goldsmith-start.sh && (set -C && printf '%s\n' "$start_script" >goldsmith-start.sh); } ||
    fail 'cannot write {file}' file="$folder/goldsmith-start.sh"
}

main() {
  read_link
  need_tools
  cd -- "$folder" || fail 'cannot enter {folder}' folder="$folder"
  continue_as_owner "$@"
  # SteamCMD and its settings are there. The /tmp of panels' containers is too small.
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/install-XXXXXXXXXX") || fail 'cannot make a temporary folder'
  HOME=$scratch
  export HOME
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' INT TERM HUP
  # .goldsmith is made when the base game is there.
  [ -e .goldsmith ] || install_base_game
  install_selection
  write_start_script
}

main "$@"
