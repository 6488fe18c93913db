# ----------------------------------------------------------------------------------------------------------------

main() {
  scratch=''
  read_arguments "$@"
  need_tools
  # A relative name would be one in the folder.
  case $known in '' | /*) ;; *) known=$(pwd)/$known ;; esac
  trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
  trap 'exit 1' INT TERM HUP
  scratch=$(mktemp -d) || fail 'cannot make a temporary folder'
  case $scratch in /*) ;; *) fail 'TMPDIR is relative' ;; esac
  get_known_files
  enter_server
  if [ -n "$prefix" ]; then game=''; else game=cstrike/; fi
  say 'Reading {folder}' folder="$root" | tr -d '\000-\011\013-\037\177'
  read_files
  read_plugins
  read_lists
  read_libraries
  read_declarations
  report
}

main "$@"
