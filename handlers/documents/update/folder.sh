# --- The folder -------------------------------------------------------------------------------------------------

# Refuses what is not a folder of this service and this format. Sets $first, when nothing is installed yet.
check_home() {
  first=''
  [ -d "$home" ] || [ -L "$home" ] || [ -e "$home" ] || {
    first=1
    return 0
  }
  if [ ! -d "$home" ] || [ -L "$home" ]; then refuse "$folder/$home is not a folder of this script"; fi
  if [ -e "$home/state" ]; then
    check_head "$home/state"
    return 0
  fi
  # A first run may have been interrupted here: it leaves these two.
  for entry in "$home"/* "$home"/.[!.]* "$home"/..?*; do
    case $entry in
      "$home/lock" | "$home/work") ;;
      *) if [ -e "$entry" ] || [ -L "$entry" ]; then refuse "$folder/$home was not made by this script"; fi ;;
    esac
  done
  if [ -e "$work/commit" ]; then check_head "$work/commit"; fi
  first=1
}

check_head() { # FILE
  { IFS= read -r line && IFS= read -r owner; } <"$1" || refuse "$folder/$1 is not readable or of an unknown format"
  [ "$line" = "$format" ] || refuse "$folder/$1 has an unknown format; get the current script from $service"
  [ "$owner" = "service $service" ] || refuse "the server in $folder is from another service: ${owner#service }"
  is_complete "$1" || refuse "$folder/$1 is damaged"
}

take_lock() {
  mkdir -p "$home" 2>/dev/null || fail "cannot write in $folder; nothing was changed"
  (: >>"$home/lock") 2>/dev/null || fail "cannot write in $folder/$home; nothing was changed"
  if command -v flock >/dev/null; then
    exec 9>>"$home/lock"
    flock -n 9 || refuse "another run is at work in $folder"
    check_home # what the other run left
  fi
  mkdir -p "$work" || fail "cannot write in $folder/$home; nothing was changed"
}

# Sets $now: the checksum of a file, "-" if there is none, or what it is instead of a file.
look_at() { # PATH
  if [ -L "$1" ]; then
    now=symlink
  elif [ -d "$1" ]; then
    now=folder
  elif [ -f "$1" ]; then
    now=$(sha256sum <"$1") || fail "cannot read $folder/$1"
    now=${now%% *}
  elif [ -e "$1" ]; then
    now=special
  else
    now=-
  fi
}

# Makes the folder of a file, and its parents. What is new is noted in $work/folders, to be removed if the run is undone.
make_parents() { # PATH
  parents=''
  parent=$1
  while :; do
    case $parent in */*) parent=${parent%/*} ;; *) break ;; esac
    [ ! -d "$parent" ] || break
    parents="$parent
$parents"
  done
  [ -n "$parents" ] || return 0
  printf '%s' "$parents" >>"$work/folders" || return 1
  while IFS= read -r parent; do
    [ -n "$parent" ] || continue
    mkdir -- "$parent" || return 1
    own "$parent" || return 1
  done <<END
$parents
END
}

# What root installs belongs to the owner of the folder.
own() { # FILE…
  [ -z "$owner_of_folder" ] || chown -h "$owner_of_folder" "$@"
}

find_owner() {
  owner_of_folder=''
  [ "$(id -u)" = 0 ] || return 0
  # shellcheck disable=SC2012 # one line about one folder; stat is not everywhere the same
  owner_of_folder=$(ls -nd . | awk '{ print $3 ":" $4 }')
  if [ "$owner_of_folder" = 0:0 ]; then owner_of_folder=''; fi
}

to_disk() { sync -f "$home" 2>/dev/null || sync 2>/dev/null || :; }

