# --- Plugins ----------------------------------------------------------------------------------------------------

# Those that the selection names, one a line, encoded as in an address.
named_plugins() { printf '%s\n' "$selection" | tr '&' '\n' | sed -n 's/^plugins=//p' | tr ',' '\n' | sed 's/@.*//'; }

# Puts what the service says of them into $scratch/plugins: "plugin SLUG STATUS VERSION REASON" and "file SLUG PATH". Sets
# $is_told; "" if the service is older than this script.
fetch_plugins() {
  is_told=1
  : >"$scratch/plugins" || no_room
  [ -n "$(named_plugins)" ] || return 0
  request "$plugins_url" "$scratch/plugins" ||
    fail 'cannot get the list of plugins from {service}; nothing was changed' service="$service"
  case $status in
    200) ;;
    404)
      is_told=''
      : >"$scratch/plugins"
      return 0
      ;;
    *) refusal "$scratch/plugins" ;;
  esac
  [ "$(header x-svc-build-hash)" = "$build" ] || fail 'the server was changed meanwhile; run this again. Nothing was changed.'
  are_plugins <"$scratch/plugins" ||
    fail 'the list of plugins from {service} is damaged; nothing was changed' service="$service"
}

are_plugins() {
  lines=$(tr '\000-\010\013-\037\177' '\001')
  ! printf '%s\n' "$lines" | grep -q -v -e '^plugin [^ ]* [a-z]* [^ ]* [^ ]' -e '^file [^ ]* .' &&
    ! printf '%s\n' "$lines" | grep -q "$(printf '\001')" &&
    printf '%s\n' "$lines" | sed -n '/^file /p' | are_paths "$owned"
}

# Puts the paths of the build's configuration into $scratch/configuration. A service that is older than this script has no
# list: is_configuration goes by the names then.
fetch_configuration() {
  : >"$scratch/configuration" || no_room
  request "$configuration_url" "$scratch/configuration" ||
    fail 'cannot get the list of configuration from {service}; nothing was changed' service="$service"
  case $status in
    200) ;;
    404)
      rm -f "$scratch/configuration"
      return 0
      ;;
    *) refusal "$scratch/configuration" ;;
  esac
  [ "$(header x-svc-build-hash)" = "$build" ] || fail 'the server was changed meanwhile; run this again. Nothing was changed.'
  are_paths '' <"$scratch/configuration" ||
    fail 'the list of configuration from {service} is damaged; nothing was changed' service="$service"
}

is_configuration() { # PATH
  if [ -f "$scratch/configuration" ]; then
    grep -Fqx -e "$1" "$scratch/configuration"
  else
    is_named_as_configuration "$1"
  fi
}

# What a build does not start without is none.
is_named_as_configuration() { # PATH
  case $1 in
    "$loader" | "$configs/plugins-svc.ini" | cstrike/addons/metamod/plugins.ini) return 1 ;;
    */[Cc][Oo][Nn][Ff][Ii][Gg][Ss]/* | *.[Ii][Nn][Ii] | *.[Cc][Ff][Gg]) ;;
    *) return 1 ;;
  esac
}

# What the state says before its list of files.
state_head() { sed '/^files$/q' "$home/state"; }

# Whether something is kept that this selection does not name any more.
is_kept_for_another() { state_head | grep -q '^kept$' && ! state_head | grep -Fqx "selection $selection"; }

# Writes $scratch/wanted, the files that the folder is to have: those of the build, and what is installed of plugins that the
# selection names and the build lacks. The latter are in $scratch/kept, too, and whose they are in $scratch/owners.
#
# The state says whose a file is. Without that, because an older script or an older service installed it, a file that the
# build lacks may be any plugin's: such files stay if a plugin is among them.
want_files() {
  { named_plugins >"$scratch/named" && : >"$scratch/kept" && : >"$scratch/owners"; } || no_room
  if [ -z "$first" ]; then
    knows=$(state_head | sed -n '/^owners$/p')
    state_head >"$scratch/head" || no_room
    installed_files | awk -v scratch="$scratch" -v told="$is_told" -v knows="$knows" -v loader="$loader" "$find_kept" ||
      fail 'cannot compare the lists; nothing was changed'
  fi
  keep_loaded
  sort -k 2 "$scratch/list" "$scratch/kept" >"$scratch/wanted" || no_room
}

# shellcheck disable=SC2016 # a program of awk
readonly find_kept='
  function lines_of(name) { file = scratch "/" name; return (getline line < file) > 0 }
  function path_of(line, slug) { return substr(line, length("file " slug " ") + 1) }
  BEGIN {
    while (lines_of("named")) { named[line] = 1; names++ }
    while (lines_of("list")) there[substr(line, 67)] = 1
    while (lines_of("head")) {
      split(line, word, " ")
      if (word[1] == "file") owner[path_of(line, word[2])] = word[2]
    }
    while (lines_of("plugins")) {
      split(line, word, " ")
      if (word[1] == "plugin" && word[3] == "skipped") { skipped[word[2]] = 1; skips++ }
    }
  }
  {
    path = substr($0, 67)
    if (path == loader) next
    slug = "?"
    if (path in owner) slug = owner[path]
    else if (knows) next
    if (path in there) { stays[slug] = 1; next }
    gone[++count] = $0
    owners[count] = slug
    if (slug == "?" && path ~ /^cstrike\/addons\/amxmodx\/plugins\/[^\/]*\.amxx$/) has_plugin = 1
  }
  END {
    for (i = 1; i <= count; i++) {
      slug = owners[i]
      if (slug == "?") keep = has_plugin && (told ? skips : names)
      else if (told) keep = slug in named && slug in skipped
      else keep = slug in named && !(slug in stays)
      if (!keep) continue
      print gone[i] >(scratch "/kept")
      print "file", slug, substr(gone[i], 67) >(scratch "/owners")
    }
  }'

# Adds $loader to what is kept, a list of those of its plugins that are loaded now. An edited plugins-svc.ini stays and loads them.
keep_loaded() {
  look_at "$configs/plugins-svc.ini"
  { : >"$scratch/loaded" && : >"$scratch/loader"; } || no_room
  installed_as=$([ -n "$first" ] || installed_files | sed -n "s|  $configs/plugins-svc.ini\$||p")
  if [ -s "$scratch/kept" ] && [ "$now" = "$installed_as" ]; then
    for list in "$configs/plugins-svc.ini" "$loader"; do
      if [ -f "$list" ]; then cat "$list" >>"$scratch/loaded" || fail 'cannot read {path}' path="$folder/$list"; fi
    done
    sed -n 's|^[0-9a-f]*  cstrike/addons/amxmodx/plugins/\([^/]*\)$|\1|p' "$scratch/kept" | while IFS= read -r name; do
      if [ -f "cstrike/addons/amxmodx/plugins/$name" ] && grep -Fqx -e "$name" "$scratch/loaded"; then write_line "$name"; fi
    done >"$scratch/loader" || no_room
  fi
  if [ -s "$scratch/loader" ] && ! grep -q "  $loader\$" "$scratch/list"; then
    sha256sum <"$scratch/loader" | sed "s|  .*|  $loader|" >>"$scratch/kept" || no_room
  fi
}

# What the service did not add as it was asked for. What is kept of it stays in the folder.
show_plugins() {
  while IFS=' ' read -r kind slug state version reason; do
    case $kind:$state in
      plugin:skipped)
        if grep -q "^file $slug " "$scratch/owners"; then
          say '  keep     plugin {plugin} (left out of this build: {reason})' plugin="$slug" reason="$reason"
        else
          say '  without  plugin {plugin} ({reason})' plugin="$slug" reason="$reason"
        fi
        ;;
      plugin:older) say '  older    plugin {plugin} {version} ({reason})' plugin="$slug" version="$version" reason="$reason" ;;
    esac
  done <"$scratch/plugins"
  while IFS=' ' read -r kind slug path; do
    if [ "$slug" = '?' ] || [ -z "$is_told" ]; then say '  keep     {file} (of a plugin that this build may lack)' file="$path"; fi
  done <"$scratch/owners"
}

# The part of the state about plugins.
say_owners() {
  if [ -n "$is_told" ]; then write_line owners; fi
  if [ -s "$scratch/kept" ]; then write_line kept; fi
  sed -n '/^file /p' "$scratch/plugins" "$scratch/owners"
}
