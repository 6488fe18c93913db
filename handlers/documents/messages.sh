# --- What a script says ---------------------------------------------------------------------------------------------

say() { printf '%s\n' "$*"; }

stop() { # STATUS MESSAGE
  printf '%s: %s\n' "$script" "$2" | tr -d '\000-\010\013-\037\177' >&2 # names of files may have commands for terminals
  exit "$1"
}

fail() { stop 1 "$1"; }
refuse() { stop 3 "$1"; }

wrong_usage() {
  printf '%s: %s\n\n' "$script" "$1" >&2
  usage >&2
  exit 2
}

