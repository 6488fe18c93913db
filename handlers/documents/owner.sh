# Programs in the folder of the server could be taken for those of the system.
case :$PATH in
  *:[!/]* | *:)
    echo "$script: PATH has a relative folder" >&2
    exit 3
    ;;
esac

# Root does nothing in the folder of another user, who may have left anything there: the script goes on as that user.
# In a folder of root's own, no path that somebody else can turn elsewhere leads there.
continue_as_owner() { # ARGUMENT…, those of the script
  [ "$(id -u)" = 0 ] || return 0
  [ "$(pwd -P)" = "$(pwd -L)" ] || stop 3 "$folder leads through a link; give $(pwd -P) instead"
  # shellcheck disable=SC2012 # one line about one folder; stat is not everywhere the same
  as_owner=$(ls -nd . | awk '
    $3 != 0 { print "setpriv --reuid=" $3 " --regid=" ($4 == 0 ? $3 : $4) " --clear-groups" }
    END { exit NR != 1 }') || stop 1 "cannot find the owner of $folder"
  [ -n "$as_owner" ] || return 0
  case $0 in
    *.sh)
      if $as_owner true 2>/dev/null; then
        cd -- "$OLDPWD" || exit
        exec $as_owner sh -s -- "$@" <"$0"
      fi
      ;;
  esac
  stop 3 "$folder belongs to another user; run this as that user, for example: $as_owner sh $script $*"
}
