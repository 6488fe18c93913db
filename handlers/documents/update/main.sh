# ----------------------------------------------------------------------------------------------------------------

# After an exit without a commit only the partial download stays.
clean_up() {
  if [ -n "$scratch" ] && [ "$scratch" != "$work" ]; then
    rm -rf "$scratch"
  elif [ -n "$scratch" ] && [ ! -f "$work/commit" ]; then
    undo
    rmdir "$work" 2>/dev/null || :
  fi
}

installed_build() { sed -n 's/^build //p;/^files$/q' "$home/state"; }

is_installed_list() { [ -z "$first" ] && [ "$(installed_files | sha256sum)" = "$(sha256sum <"$scratch/wanted")" ]; }

stop_if_installed() {
  if [ -n "$first" ] || [ -z "$build" ] || [ "$build" != "$(installed_build)" ]; then return 0; fi
  if is_kept_for_another || base_game_is_back; then return 0; fi
  show_replaced
  show_held
  show_fastdl
  say 'Nothing to do: build {build} is installed.' build="$build"
  exit 0
}

# The page that tells what changes, for people.
show_comparison() {
  if [ -n "$first" ] || ! from=$(installed_build | grep -x '[0-9a-f]\{64\}'); then return 0; fi
  say 'What changes, with release notes: {address}' address="$service/server/compare?${selection:+$selection&}from=$from"
}

main() {
  scratch='' waited=0 asks='' secrets_made=''
  read_arguments "$@"
  [ -n "$yes$dry_run" ] || asks=1
  need_tools
  [ -d "$folder" ] || fail 'there is no folder {folder}' folder="$folder"
  read_key
  cd -- "$folder" || fail 'cannot enter {folder}' folder="$folder"
  continue_as_owner "$@"
  check_home
  trap clean_up EXIT
  trap 'exit 1' INT TERM HUP
  if [ -n "$dry_run" ]; then
    scratch=$(mktemp -d) || fail 'cannot make a temporary folder'
    if [ -f "$work/commit" ]; then
      say 'An interrupted run would be finished first. Run without --dry-run to do that.'
      exit 0
    fi
  else
    take_lock
    scratch=$work
    recover
  fi
  ask_for_build
  stop_if_installed
  fetch_list
  stop_if_installed
  fetch_plugins
  fetch_configuration
  want_files
  make_plan
  show_plan
  if [ -n "$dry_run" ]; then
    show_configuration
    show_replaced
    show_held
    show_fastdl changed
    say 'Nothing was changed: this was a dry run.'
    show_comparison
    exit 0
  fi
  confirm
  # Only the archive proves that a new list is whole.
  if has_action put side || ! is_installed_list; then fetch_archive; fi
  prepare
  to_disk
  mv "$work/changes" "$work/commit" || no_room
  told=$(show_configuration)
  apply
  finish
  [ -z "$told" ] || write_line "$told"
  if [ -n "$first" ] || [ -n "$secrets_made" ]; then show_secrets; fi
  first=''
  show_replaced
  show_held
  show_fastdl changed
  say 'Done: build {build} is installed.' build="$build"
}

main "$@"
