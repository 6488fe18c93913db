# --- What a script says ---------------------------------------------------------------------------------------------
#
# Texts are English here, each a literal behind the function that says it, with values in the place of `{name}`:
#
#   fail 'there is no folder {folder}' folder="$folder"
#
# The service adds what they are in $language, the language of the download.

# Who runs this may have another language, and on most servers and in cron has none.
case $locale in
  '' | C | C.* | POSIX) ;;
  *.[!Uu]*) language=en ;; # not in UTF-8
  "${language%%-*}" | "${language%%-*}"[._@]*) ;;
  *) language=en ;;
esac

# Sets $text: the text in $language.
look_up() { # TEXT
  text=$1
  [ "$language" != en ] || return 0
  case $1 in
    # @translations@
    *) ;;
  esac
}

# Sets $text: the text in $language with its values. What a value has is no placeholder.
translate() { # TEXT [NAME=VALUE]…
  look_up "$1"
  unfilled=$text text=''
  shift
  while :; do
    case $unfilled in *'{'*'}'*) ;; *) break ;; esac
    text=$text${unfilled%%'{'*} unfilled=${unfilled#*'{'}
    placeholder=${unfilled%%'}'*} unfilled=${unfilled#*'}'}
    filled="{$placeholder}"
    for value; do
      case $value in "$placeholder="*) filled=${value#*=} ;; esac
    done
    text=$text$filled
  done
  text=$text$unfilled
}

# What is no text for people, or is translated.
write_line() { printf '%s\n' "$*"; }

# shellcheck disable=SC2317 # not every script has one
say() { # TEXT [NAME=VALUE]…
  translate "$@"
  write_line "$text"
}

warn() { # TEXT [NAME=VALUE]…
  translate "$@"
  case $text in
    *[[:cntrl:]]*) printf '%s: %s\n' "$script" "$text" | tr -d '\000-\010\013-\037\177' ;; # names of files may have commands for terminals
    *) write_line "$script: $text" ;;
  esac >&2
}

stop() { # STATUS TEXT [NAME=VALUE]…
  exit_status=$1
  shift
  warn "$@"
  exit "$exit_status"
}

fail() { stop 1 "$@"; }
refuse() { stop 3 "$@"; }

# shellcheck disable=SC2317 # likewise
wrong_usage() { # TEXT [NAME=VALUE]…
  warn "$@"
  { write_line && usage; } >&2
  exit 2
}

