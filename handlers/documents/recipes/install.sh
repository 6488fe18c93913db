#!/bin/sh
# Installs a Counter-Strike 1.6 server: the base game by SteamCMD, then the selection of a share link over it, by
# update.sh of the service, which resumes downloads, checks every file and keeps what was edited. Later runs only
# update: SteamCMD would put the base game's files back.
#
# Nothing that lies in the folder is run, and nothing is written through a link. SteamCMD and its settings are in a
# temporary folder below $TMPDIR or /var/tmp: the /tmp of panels' containers is too small.
set -eu
unset CDPATH

service=@service@
share_link=@share_link@
folder=@folder@
script=install.sh

SHARE_LINK=${SHARE_LINK:-$share_link}
steamcmd_url=https://steamcdn-a.akamaihd.net/client/installer/steamcmd_linux.tar.gz
readonly most_attempts=10 # of SteamCMD: this game is known to need several

stop() { # STATUS MESSAGE
  printf 'install: %s\n' "$2" | tr -d '\000-\010\013-\037\177' >&2 # names of files may have commands for terminals
  exit "$1"
}

@owner.sh@

# Nothing but this service's own script is run, whatever the variable says.
read_link() {
  case $SHARE_LINK in
    "$service/server") query='' ;;
    "$service/server?"*) query=${SHARE_LINK#"$service/server"} ;;
    *) stop 3 "SHARE_LINK must be the link to a selection on $service/server, not: $SHARE_LINK" ;;
  esac
}

need_tools() {
  for tool in curl tar unzip sha256sum awk find; do
    command -v "$tool" >/dev/null || stop 1 "$tool is not installed"
  done
}

# Sets $status.
fetch() { # URL OUTPUT
  status=$(curl -q -gsSL --proto '=http,https' --proto-redir '=https' --retry 5 --connect-timeout 30 -o "$2" -w '%{http_code}' -- "$1") ||
    stop 1 "cannot download $1"
}

# SteamCMD is known to leave out files of this game and to report success.
missing_files() {
  for file in hlds_run hlds_linux libsteam_api.so valve/gfx.wad cstrike/liblist.gam cstrike/maps/de_dust2.bsp; do
    [ -f "$file" ] || printf ' %s' "$file"
  done
}

# SteamCMD would write through them.
refuse_links() {
  links=$(find . \( -type l -o -type f -links +1 \) -print) || stop 1 "cannot read all of $folder"
  [ -z "$links" ] || stop 3 "there are links in $folder; remove them first:
$links"
}

get_steamcmd() {
  printf 'Downloading SteamCMD.\n'
  fetch "$steamcmd_url" "$scratch/steamcmd.tar.gz"
  [ "$status" = 200 ] || stop 1 "$steamcmd_url: $status"
  mkdir "$scratch/steamcmd"
  tar -xzf "$scratch/steamcmd.tar.gz" -C "$scratch/steamcmd" || stop 1 'cannot unpack SteamCMD'
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
    problem=${missing:+"it lacks$missing"}
    problem=${problem:-SteamCMD failed}
    [ $attempt -lt $most_attempts ] ||
      stop 1 "SteamCMD did not install the base game in $most_attempts attempts: $problem; try again later"
    attempt=$((attempt + 1))
    printf 'The base game is not complete: %s. Attempt %s of %s.\n' "$problem" $attempt $most_attempts
  done
  # Where the game looks for it, in its user's home.
  mkdir -p .steam/sdk32
  cp "$scratch/steamcmd/linux32/steamclient.so" .steam/sdk32/
}

install_selection() {
  fetch "$service/server/update.sh$query" "$scratch/update.sh"
  if [ "$status" != 200 ]; then
    head -c 4000 "$scratch/update.sh" | tr -d '\000-\010\013-\037\177' >&2
    stop 1 "$service answered $status"
  fi
  sh "$scratch/update.sh" --yes "$folder" </dev/null
}

main() {
  asks=''
  read_link
  need_tools
  cd -- "$folder" || stop 1 "cannot enter $folder"
  continue_as_owner "$@"
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/install-XXXXXXXXXX") || stop 1 'cannot make a temporary folder'
  HOME=$scratch # SteamCMD keeps its settings there
  export HOME
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' INT TERM HUP
  # .goldsmith is made when the base game is there.
  [ -e .goldsmith ] || install_base_game
  install_selection
}

main "$@"
