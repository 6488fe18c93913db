# Programs in the folder of the server could be taken for those of the system.
case :$PATH in
  *:[!/]* | *:) refuse 'PATH has a relative folder' ;;
esac

# What root's environment has for the owner; the rest may be secret, and can be read in /proc. An address of a proxy is
# left out if it has an account in it.
readonly kept_variables='PATH TMPDIR CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR SHARE_LINK'
readonly kept_proxies='http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY'

# At once, line by line, and without what a terminal would take as commands.
relay_lines() {
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *[[:cntrl:]]*) line=$(printf '%s' "$line" | tr -d '\000-\010\013-\037\177') ;; esac
    printf '%s\n' "$line"
  done
}

# Runs the script as the owner of the folder, with these arguments. Sets $owner_status. It has a session of its own, and of
# root's descriptors and terminal nothing: a program of the owner could type commands into the terminal. It writes to
# pipes. Descriptors above 9 can only be closed by bash.
run_as_owner() { # ARGUMENT…
  # shellcheck disable=SC2086 # words
  set -- $as_owner setsid sh -s -- "$@"
  for variable in $kept_variables $kept_proxies; do
    eval "value=\${$variable-}"
    case " $kept_proxies :$value" in *" $variable "*:*@*) continue ;; esac
    [ -z "$value" ] || set -- "$variable=$value" "$@"
  done
  [ -z "$locale" ] || set -- "LANG=$locale" "$@"
  echo 1 >"$private/status"
  closing_shell=sh closed='' ended=0
  # Of ls, which has what a program inherits.
  inherited=$(ls /proc/self/fd 2>/dev/null) || inherited=''
  for descriptor in $inherited; do
    case $descriptor in ??*) closing_shell=bash closed="$closed $descriptor>&-" ;; esac
  done
  command -v $closing_shell >/dev/null || refuse 'cannot close open descriptors:{descriptors}; run this without them' descriptors="$closed"
  {
    {
      {
        # shellcheck disable=SC2016 # of that shell
        $closing_shell -c "exec$closed; "'echo $$ >"$0" && exec env -i "$@"' "$private/pid" "$@" <"$0" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- || ended=$?
        echo "$ended" >"$private/status"
      } 2>&1 >&3 3>&- | relay_lines >&2 3>&-
    } 3>&1 | relay_lines
  } &
  relay=$!
  # A signal ends what wait waits for, or wait itself.
  while kill -0 $relay 2>/dev/null; do wait $relay || :; done
  owner_status=$(cat "$private/status") || owner_status=1
}

end_owner() {
  [ -s "$private/pid" ] || return 0
  leader=$(cat "$private/pid")
  kill -s TERM -- "-$leader" 2>/dev/null || kill -s TERM "$leader" 2>/dev/null || :
}

# Root does nothing in the folder of another user, who may have left anything there: the script goes on as that user.
# In a folder of root's own, no path that somebody else can turn elsewhere leads there.
continue_as_owner() { # ARGUMENT…, those of the script
  [ "$(id -u)" = 0 ] || return 0
  [ "$(pwd -P)" = "$(pwd -L)" ] || refuse '{folder} leads through a link; give {target} instead' folder="$folder" target="$(pwd -P)"
  # shellcheck disable=SC2012 # one line about one folder; stat is not everywhere the same
  as_owner=$(ls -nd . | awk '
    $3 != 0 { print "setpriv --reuid=" $3 " --regid=" ($4 == 0 ? $3 : $4) " --clear-groups" }
    END { exit NR != 1 }') || fail 'cannot find the owner of {folder}' folder="$folder"
  [ -n "$as_owner" ] || return 0
  case $0 in
    *.sh)
      if $as_owner setsid true 2>/dev/null; then
        cd -- "$OLDPWD" || exit
        private=$(mktemp -d) || fail 'cannot make a temporary folder'
        trap 'rm -rf "$private"' EXIT
        trap end_owner INT TERM HUP
        run_as_owner "$@"
        exit "$owner_status"
      fi
      ;;
  esac
  refuse '{folder} belongs to another user; run this as that user, for example: {command}' \
    folder="$folder" command="$as_owner sh ${script%.sh}.sh $*"
}
