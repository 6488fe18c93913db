# --- The folder -------------------------------------------------------------------------------------------------

is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }

has_game() { is_folder "$1/cstrike"; }

# The game's folder, whatever it is called.
is_game() { is_folder "$1/addons" || { [ -f "$1/liblist.gam" ] && [ ! -L "$1/liblist.gam" ]; }; }

has_engine() { [ -d "$1/valve" ] || [ -f "$1/hlds_linux" ] || [ -f "$1/engine_i486.so" ]; }

# Enters the folder of the server. Sets $root; $prefix is what is missing before the paths in it, when only the game's
# folder is there.
enter_server() {
  [ -d "$folder" ] || fail 'there is no folder {folder}' folder="$folder"
  cd -- "$folder" || fail 'cannot enter {folder}' folder="$folder"
  given=$(pwd -P) prefix=''
  root=$given
  if has_game .; then return 0; fi
  if is_game .; then
    case $root in
      */cstrike)
        if has_engine ..; then
          cd .. || fail 'cannot enter the folder above {folder}' folder="$folder"
          root=$(pwd -P)
          return 0
        fi
        ;;
    esac
    prefix=cstrike/
    return 0
  fi
  found=''
  for each in serverfiles ./*/ ./*/*/; do
    each=${each%/}
    if ! has_game "$each" || ! is_folder "$each" || ! is_folder "${each%/*}"; then continue; fi
    [ "$each" != ./serverfiles ] || continue # named first
    [ -z "$found" ] || fail 'there is more than one server in {folder}: {servers}; name one' folder="$folder" servers="$found, $each"
    found=$each
  done
  [ -n "$found" ] || fail "{folder} has neither a folder cstrike nor one of the game's" folder="$folder"
  cd -- "$found" || fail 'cannot enter {folder}' folder="$folder/$found"
  root=$(pwd -P)
}

# --- The list of known files ------------------------------------------------------------------------------------

get_known_files() {
  if [ -n "$known" ]; then
    cat -- "$known" >"$scratch/known" || fail 'cannot read {path}' path="$known"
  else
    status=$(curl -q -sS --compressed --proto '=http,https' --connect-timeout 30 --speed-limit 1 --speed-time 60 \
      -A goldsmith-adopt/1 -o "$scratch/known" -w '%{http_code}' -- "$known_files_url") ||
      fail 'cannot reach {service}' service="$service"
    if [ "$status" != 200 ]; then
      warn '{service} answered {status}' service="$service" status="$status"
      head -c 4000 "$scratch/known" | tr -d '\000-\010\013-\037\177' >&2
      exit 1
    fi
  fi
  IFS= read -r line <"$scratch/known" || line=''
  [ "$line" = "$format" ] ||
    fail 'the list of known files is of an unknown format; get the current script from {service}' service="$service"
  # One that was cut would name files wrongly.
  [ "$(tail -n 1 "$scratch/known")" = end ] || fail 'the list of known files is not complete; try again'
  largest=$(sed -n '3s/^largest //p' "$scratch/known")
  case $largest in '' | *[!0-9]* | ?????????????*) fail 'the list of known files is damaged' ;; esac
}

# --- The files --------------------------------------------------------------------------------------------------

# find, but for the folder of update.sh and for names that a line can't have or sha256sum would change.
look() {
  find . \( -name .goldsmith -o -name '*[[:cntrl:]]*' -o -name '*\\*' \) -prune -o "$@" 2>>"$scratch/errors" || :
}

count() { wc -l | tr -d ' '; }

# A line "CHECKSUM  ./PATH" in $scratch/files for each that may be known, and what else there is.
read_files() {
  : >"$scratch/errors"
  odd=$(find . -name .goldsmith -prune -o \( -name '*[[:cntrl:]]*' -o -name '*\\*' \) -prune -exec sh -c 'echo $#' sh {} + 2>/dev/null |
    awk '{ sum += $1 } END { print sum + 0 }') || odd=0
  links=$(look -type l -print | count)
  others=$(look ! -type f ! -type d ! -type l -print | count)
  : >"$scratch/errors"
  # No known file is larger.
  look -type f -size +"$largest"c -print >"$scratch/large"
  : >"$scratch/errors"
  look -type f ! -size +"$largest"c -exec sha256sum {} + >"$scratch/files"
  unread=$(count <"$scratch/errors")
}
