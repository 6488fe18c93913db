# --- The plan ---------------------------------------------------------------------------------------------------

installed_files() { sed '1,/^files$/d;$d' "$home/state"; }

# "NEW OLD PATH" of every file that is in the new build or in the installed one, by path; "-" if it is not in one of them.
compare_lists() {
  if [ -z "$first" ]; then installed_files; fi |
    awk -v new="$scratch/wanted" '
      { old[substr($0, 67)] = substr($0, 1, 64) }
      END {
        while ((getline line < new) > 0) {
          path = substr(line, 67)
          print substr(line, 1, 64), (path in old ? old[path] : "-"), path
          delete old[path]
        }
        for (path in old) print "-", old[path], path
      }' | sort -k 3
}

split() { # LINE: sets $one, $two and $path, which may contain spaces
  one=${1%% *}
  path=${1#* }
  two=${path%% *}
  path=${path#* }
}

has_original() { is_file_here "$home/original/$1"; } # PATH

is_original() { # PATH
  has_original "$1" || return 1
  before=$now
  look_at "$home/original/$1"
  original=$now now=$before
  [ "$original" = "$now" ]
}

# The engine, libraries and liblist.gam: of these, what the first installation replaced was put back by SteamCMD, when it
# validated. Anything else was put back by the owner.
is_of_base_game() { # PATH
  case $1 in
    *.so | cstrike/liblist.gam | hlds_run | hlds_linux | hltv) ;;
    *) return 1 ;;
  esac
}

is_base_game_again() { is_of_base_game "$1" && is_original "$1"; } # PATH

# True if a file is again what the first installation replaced.
base_game_is_back() {
  [ -d "$home/original" ] || return 1
  installed_files >"$scratch/installed" || fail 'no room for temporary files; nothing was changed'
  while IFS= read -r line; do
    path=${line#*  }
    { is_of_base_game "$path" && has_original "$path"; } || continue
    look_at "$path"
    if [ "$now" != "${line%%  *}" ] && is_original "$path"; then return 0; fi
  done <"$scratch/installed"
  return 1
}

# Sets $action: of the file that is $now in the folder, was $old when it was installed, and is $new in the new build.
#   put   installs, or replaces a file that was not edited       side  writes PATH.new
#   del   removes a file that was not edited                     back  puts back what the first installation replaced
#   keep  edited here                                            same  nothing to do
decide() {
  case $now:$new in
    *:-) ;;
    folder:* | special:*) fail '{path} is not a file, but one of the server has this name; nothing was changed' path="$folder/$path" ;;
  esac
  if [ "$now" = "$new" ]; then
    action=same
  elif [ "$new" = - ]; then
    case $now in
      "$old") if has_original "$path"; then action=back; else action=del; fi ;;
      *) action=keep ;;
    esac
  elif [ "$old" = - ]; then
    action=side
    if [ "$now" = - ] || is_base_game_again "$path"; then
      action=put
    elif { [ -n "$first" ] || is_original "$path"; } && ! is_configuration "$path"; then
      action=put # also what this script put back, when a build lacked it
    fi
  elif [ "$now" = "$old" ] || is_base_game_again "$path"; then
    action=put
  elif [ "$new" = "$old" ]; then
    action=keep
  else
    action=side
  fi
}

# What stands in the way is found before anything changes.
check_place() { # PATH
  if is_behind_link "$1"; then refuse '{path} is a link; nothing was changed' path="$folder/$above"; fi
  parent=$1
  while :; do
    case $parent in */*) parent=${parent%/*} ;; *) parent=. ;; esac
    if [ -d "$parent" ]; then break; fi
    if [ -e "$parent" ] || [ -L "$parent" ]; then fail '{path} is not a folder; nothing was changed' path="$folder/$parent"; fi
  done
  if [ ! -w "$parent" ] || [ ! -x "$parent" ]; then fail 'cannot write in {folder}; nothing was changed' folder="$folder/$parent"; fi
}

# Lines "ACTION NOW NEW PATH" in $scratch/plan.
make_plan() {
  compare_lists >"$scratch/both" || fail 'cannot compare the lists; nothing was changed'
  while IFS= read -r line; do
    split "$line"
    new=$one old=$two
    look_at "$path"
    decide
    case $action in
      same) continue ;;
      put | del | back) check_place "$path" ;;
      side)
        check_place "$path"
        if [ -d "$path.new" ]; then fail '{path} is a folder; nothing was changed' path="$folder/$path.new"; fi
        ;;
    esac
    printf '%s %s %s %s\n' "$action" "$now" "$new" "$path" || fail 'no room for temporary files; nothing was changed'
  done <"$scratch/both" >"$scratch/plan"
}

show_plan() {
  show_plugins
  while IFS= read -r line; do
    action=${line%% *}
    split "${line#* }"
    case $action:$one in
      put:-) say '  install  {file}' file="$path" ;;
      put:*) say '  replace  {file}' file="$path" ;;
      del:*) say '  remove   {file}' file="$path" ;;
      back:*) say '  restore  {file}' file="$path" ;;
      side:*) [ -z "$first" ] || { say '  keep     {file} (yours: the new version is {new})' file="$path" new="$path.new"; continue; } ;;
    esac
    case $action:$one in
      side:-) say '  keep     {file} (removed here, changed upstream: the new version is {new})' file="$path" new="$path.new" ;;
      side:*) say '  keep     {file} (edited here and changed upstream: the new version is {new})' file="$path" new="$path.new" ;;
      keep:-) [ "$two" = - ] || say '  keep     {file} (removed here)' file="$path" ;;
      keep:*) say '  keep     {file} (edited here)' file="$path" ;;
    esac
  done <"$scratch/plan"
}

# What an owner has to look at, apart from the thousand lines before it: configuration that was kept, or had to be replaced.
# Asks for $scratch/plan.
show_configuration() {
  kept='' replaced=''
  while IFS= read -r line; do
    action=${line%% *}
    split "${line#* }"
    case $action in
      side)
        [ "$one" != - ] || continue
        if is_configuration "$path" || is_named_as_configuration "$path"; then kept="$kept  $path
"; fi
        ;;
      put)
        if [ -z "$first" ] || [ "$one" = - ]; then continue; fi
        case $path in
          *.ini | *.cfg | *.gam) replaced="$replaced  $path
" ;;
        esac
        ;;
    esac
  done <"$scratch/plan"
  if [ -n "$kept" ]; then
    say 'Your configuration stays as it is, and the new one is beside it, with .new behind its name:'
    printf '%s' "$kept"
  fi
  if [ -n "$replaced" ]; then
    say 'Replaced, because the build does not load without its own; yours is in {folder}:' folder="$folder/$home/original"
    printf '%s' "$replaced"
  fi
}

# The script of goldsmith 1.0.0 replaced configuration at the first installation.
show_replaced() {
  [ -z "$first" ] && [ -d "$home/original" ] || return 0
  list=''
  while IFS= read -r line; do
    path=${line#*  }
    { is_named_as_configuration "$path" && has_original "$path"; } || continue
    look_at "$path"
    if [ "$now" = "${line%%  *}" ] && ! is_original "$path"; then list="$list  $path
"; fi
  done <<END
$(installed_files)
END
  [ -n "$list" ] || return 0
  say 'The first installation replaced configuration that was yours. It is in {folder}: copy back what
you want to have, and it stays, or remove it there.' folder="$folder/$home/original"
  printf '%s' "$list"
}

has_action() { # ACTION…
  for wanted in "$@"; do
    if grep -q "^$wanted " "$scratch/plan"; then return 0; fi
  done
  return 1
}

confirm() {
  if [ -n "$yes" ] || ! has_action put side del back; then return 0; fi
  ask 'Go on?'
}

