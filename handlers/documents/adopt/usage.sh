#!/bin/sh
# Tells what the files of a game server are, so that it can be kept up to date by the service from then on.
#
# Only reads: nothing in the folder changes, and nothing about it is sent anywhere. The one request is for the document
# that names every file the service knows, which is the same for everybody.
#
# What lies in the folder is not trusted: no link is followed, only regular files are read, names are checked before they
# are used and printed without what a terminal would take as commands.
set -eu
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
LC_ALL=C
export LC_ALL
unset CDPATH

language=@language@
service=@service@
known_files_url=@known_files_url@
creator_url=@creator_url@
updater_url=@updater_url@
script=adopt.sh

readonly format='goldsmith-known-files 1'
readonly most_plugins=1000     # compiled plugins that are opened
readonly most_libraries=100    # libraries that are opened
readonly most_read=4194304     # bytes that are read of one
readonly most_unpacked=8388608 # bytes of a plugin's image
readonly most_declared=65536   # bytes that are read of a file which says what is there
readonly most_listed=40         # lines of a kind, without --files

usage() {
  say 'Usage: adopt.sh [--files] [--pin] [--known FILE] FOLDER'
  write_line
  say 'Tells what the files of the Counter-Strike 1.6 server in FOLDER are: component and version, plugin and version, edited
configuration, or unknown; and what of it is outdated, held back by the service or known to fail. At the end it prints
the link to the same server in the server creator, and the commands that take the folder over and keep it up to date.'
  write_line
  say "FOLDER is that of the server, its folder cstrike, or one that has the server's folder in it, as that of LinuxGSM.
Nothing in it is changed, and nothing about it is sent anywhere."
  write_line
  say '  --files       also print a line for every file'
  say '  --pin         name the versions that are there in the link, so that they stay as they are'
  say '  --known FILE  take the list of known files from FILE, which was downloaded before, instead of the service'
  say '  --help        show this text'
  write_line
  say 'A version of a component is named if what loads it agrees, and if several do, the one with the most of its files. A
source is known by its content, a compiled plugin by the name, version and author that it registers. What a library says
of itself, and what files such as Dockerfile, DEPS_LIST and those of LinuxGSM say, is told as that.'
  write_line
  say 'Exit status: 0 done; 1 failed; 2 wrong usage; 3 refused: a folder in PATH is relative.'
}

read_arguments() {
  files='' pin='' known='' folder=''
  while [ $# -gt 0 ]; do
    case $1 in
      --files) files=1 ;;
      --pin) pin=1 ;;
      --known)
        shift
        known=${1-}
        [ -n "$known" ] || wrong_usage 'which file has the list?'
        ;;
      --help)
        usage
        exit 0
        ;;
      --)
        shift
        break
        ;;
      -*) wrong_usage 'unknown option {option}' option="$1" ;;
      *)
        [ -z "$folder" ] || wrong_usage 'more than one folder'
        folder=$1
        ;;
    esac
    shift
  done
  if [ $# -gt 1 ] || { [ $# = 1 ] && [ -n "$folder" ]; }; then wrong_usage 'more than one folder'; fi
  folder=${1:-$folder}
  [ -n "$folder" ] || wrong_usage 'which folder?'
}

need_tools() {
  # In the folder a relative one would find programs of whoever writes there.
  case :$PATH: in *:[!/]* | *::*) refuse 'a folder in PATH is relative' ;; esac
  for tool in curl sha256sum awk find od tr; do
    if [ "$tool" = curl ] && [ -n "$known" ]; then continue; fi
    command -v "$tool" >/dev/null || fail '{program} is not installed' program="$tool"
  done
}
