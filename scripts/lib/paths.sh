# Folders and files that the configuration has elsewhere than the package, for `goldsmith setup`: what the units and nginx
# may reach. Installed as /usr/lib/goldsmith/paths.sh.
# shellcheck shell=bash
#
# The caller defines say, die and configured, and sources replace-file.sh.

paths_mark='# Written by goldsmith setup, for the folders of the configuration.'
site_paths=/etc/nginx/goldsmith/paths.conf
# What each unit opens, by option.
database_paths='database.socket database.tls_ca database.tls_certificate database.tls_key'
unit_paths=(
  "goldsmith-api@1.service toolchains includes depot site.logo $database_paths"
  "goldsmith-build@1.service toolchains includes depot archive_cache artefact_cache site.logo $database_paths"
  "goldsmith-plugin-check.service toolchains includes depot $database_paths"
  "goldsmith-build-start.service toolchains includes depot archive_cache artefact_cache start.emulator start.game_folder
    $database_paths"
  'goldsmith-cache-prune.service archive_cache artefact_cache'
  "goldsmith-depot-fill.service depot depot.ca_file depot.tls_certificate depot.tls_key mirror.ca_file
    mirror.github_token_file mirror.keys $database_paths"
  'goldsmith-depot-verify.service depot'
  'goldsmith-mirror-check.service depot mirror.ca_file mirror.github_token_file'
  "goldsmith-plugin-mirror.service toolchains includes catalog depot followed mirror.ca_file mirror.github_token_file
    start.emulator start.game_folder $database_paths"
)
declare -A known_paths=()

# path_of NAME: sets REPLY to the value of an option, which is read once.
path_of() {
  [[ -v known_paths[$1] ]] || known_paths[$1]=$(configured "$1")
  REPLY=${known_paths[$1]}
}

# hidden_by UNIT PATH: the line with which a unit sees what is there; nothing if it sees it.
hidden_by() {
  local line
  case $(realpath -m -- "$2")/ in
    /home/* | /root/* | /run/user/*) line=ProtectHome=read-only ;;
    /tmp/* | /var/tmp/*) line=PrivateTmp=no ;;
    *) return 0 ;;
  esac
  [[ $(systemctl show --property="${line%%=*}" --value "$1") != yes ]] || echo "$line"
}

# path_problems: what is wrong with each path of the configuration, and the way out.
path_problems() {
  local entry words unit name line user
  for entry in "${unit_paths[@]}"; do
    # It fails at the end of the text, where it has read all.
    read -r -d '' -a words <<<"$entry" || true
    unit=${words[0]}
    for name in "${words[@]:1}"; do
      path_of "$name"
      [[ -n $REPLY ]] || continue
      line=$(hidden_by "$unit" "$REPLY")
      [[ -z $line ]] || printf '%s is %s, which %s does not see. Put it elsewhere, such as below /srv or /etc/goldsmith, or
run "systemctl edit %s" and add these lines:\n[Service]\n%s\n' "$name" "$REPLY" "$unit" "${unit/@1./@.}" "$line"
    done
  done
  while read -r name user; do
    path_of "$name"
    [[ ! -e $REPLY ]] || as_user "$user" test -w "$REPLY" -a -x "$REPLY" ||
      printf '%s is %s, in which %s can not write:\nchown %s: %q && chmod 755 %q\n' \
        "$name" "$REPLY" "$user" "$user" "$REPLY/." "$REPLY/."
  done <<<'archive_cache goldsmith-build
artefact_cache goldsmith-build
followed goldsmith-follow'
  for name in archive_cache depot; do
    path_of "$name"
    [[ ! $REPLY =~ [\"\\\$[:cntrl:]] ]] || printf '%s is %s, a name that nginx can not have\n' "$name" "$REPLY"
  done
  path_of state
  [[ $REPLY == /run/goldsmith/state ]] ||
    printf 'state is %s, but units and systemd-tmpfiles have it in /run/goldsmith: remove the line\n' "$REPLY"
}

# as_user USER COMMAND…
as_user() { setpriv --reuid="$1" --regid="$1" --init-groups -- "${@:2}"; }

# check_paths: refuses what the units or nginx could not use.
check_paths() {
  local problems
  problems=$(path_problems)
  [[ -z $problems ]] || die "$problems"
}

# moved FOLDER NAME…: where the options of these names lead, unless that is in FOLDER, which the units have; quoted, for a
# unit, and preceded by "-": it may be a disk that is not there.
moved() {
  local folder=$1 name path
  shift
  for name; do
    path_of "$name"
    path=$(realpath -m -- "$REPLY")
    [[ $path/ != "$folder"/* ]] || continue
    path=${path//\\/\\\\} path=${path//\"/\\\"}
    printf ' "-%s"' "${path//%/%%}"
  done
}

# write_ours FILE LINE…: a file of setup's own, without lines none; true if that changed it. One that an operator wrote
# stays.
write_ours() {
  local file=$1
  shift
  if [[ -e $file && $(head -n 1 -- "$file") != "$paths_mark" ]]; then
    [[ $# == 0 ]] || printf 'goldsmith setup: %s is not setup'\''s, and stays; it needs:\n%s\n' "$file" "$(printf '%s\n' "$@")" >&2
    return 1
  fi
  if [[ $# == 0 ]]; then
    [[ -e $file ]] || return 1
    rm -f -- "$file"
    rmdir --ignore-fail-on-non-empty -- "${file%/*}"
    return 0
  fi
  mkdir -p -- "${file%/*}"
  printf '%s\n' "$paths_mark" "$@" >"$file.setup-new"
  if cmp -s -- "$file.setup-new" "$file"; then
    rm -f -- "$file.setup-new"
    return 1
  fi
  replace_file "$file"
}

# make_folder NAME USER MODE: the folder of an option, unless something is there.
make_folder() {
  path_of "$1"
  [[ -e $REPLY || -L $REPLY ]] || install -d -o "$2" -g "$2" -m "$3" -- "$REPLY"
}

# write_paths: makes folders that are missing, and lets units and nginx use all of them, wherever they are.
write_paths() {
  local caches depot followed unit changed='' site=() mirror=()
  make_folder archive_cache goldsmith-build 755
  make_folder artefact_cache goldsmith-build 750
  make_folder depot root 755
  make_folder followed goldsmith-follow 755
  caches=$(moved /var/cache/goldsmith archive_cache artefact_cache)
  depot=$(moved /var/lib/goldsmith depot)
  followed=$(moved /var/lib/goldsmith/followed followed)
  for unit in goldsmith-build@ goldsmith-build-start goldsmith-cache-prune; do
    if write_ours "/etc/systemd/system/$unit.service.d/paths.conf" ${caches:+'[Service]' "ReadWritePaths=${caches# }"}; then
      changed=yes
    fi
  done
  # This pool has no business there.
  if write_ours /etc/systemd/system/goldsmith-api@.service.d/paths.conf \
    ${caches:+'[Service]' "InaccessiblePaths=${caches# }"}; then changed=yes; fi
  for unit in goldsmith-depot-fill goldsmith-depot-verify goldsmith-mirror-check; do
    if write_ours "/etc/systemd/system/$unit.service.d/paths.conf" ${depot:+'[Service]' "ReadWritePaths=${depot# }"}; then
      changed=yes
    fi
  done
  [[ -z $followed ]] || mirror+=("ReadWritePaths=${followed# }")
  # Root alone can read it.
  path_of mirror.github_token_file
  [[ -z $REPLY ]] || mirror+=("LoadCredential=github_token:${REPLY//%/%%}")
  if write_ours /etc/systemd/system/goldsmith-plugin-mirror.service.d/paths.conf \
    ${mirror:+'[Service]' "${mirror[@]}"}; then changed=yes; fi
  [[ -z $changed ]] || systemctl daemon-reload
  [[ -d ${site_paths%/*} ]] || return 0
  path_of archive_cache
  [[ $REPLY == /var/cache/goldsmith/archives ]] || site+=("set \$goldsmith_archives \"$REPLY\";")
  path_of depot
  [[ $REPLY == /var/lib/goldsmith/depot ]] || site+=("set \$goldsmith_depot \"$REPLY\";")
  write_ours "$site_paths" "${site[@]}" || true
}
