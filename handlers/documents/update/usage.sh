#!/bin/sh
# Installs a server, or updates one that it installed and keeps what was edited.
#
# How a run works: nothing in the folder changes until everything is downloaded, checked and staged in
# .goldsmith/work. Then the list of changes becomes .goldsmith/work/commit, in one step. Before it, an interrupted
# run is undone by the next one; after it, the next one finishes it. Every change is one rename, and each can be
# repeated.
#
# .goldsmith/state     format, service, selection and build of what is installed, whose its plugins' files are, and the
#                      checksum of each file
# .goldsmith/original  what the first installation replaced
# .goldsmith/previous  what the last update replaced or removed
# .goldsmith/work      a run in progress; the partial download of an interrupted one
#
# What lies in the folder is not trusted: every path that is read from a file is checked, nothing is changed through a
# link, and root does nothing in the folder of another user.
set -eu
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
LC_ALL=C
export LC_ALL
unset CDPATH

language=@language@
service=@service@
selection=@selection@
checksums_url=@checksums_url@
plugins_url=@plugins_url@
configuration_url=@configuration_url@
download_url=@download_url@
secrets=@secrets@
script=update.sh

readonly format='goldsmith-update 1'
readonly longest_wait=3600 # seconds that a run waits for the service, all in all
readonly most_tries=5      # of a request, when the network fails
readonly listed='[0-9a-f]\{64\}  ' # what is before a path in a list of checksums
readonly owned='file [^ ]* ' # before one in a list of whose files are whose
readonly configs=cstrike/addons/amxmodx/configs
readonly loader=$configs/plugins-kept.ini # AMX Mod X loads what is in configs/plugins-*.ini
home=.goldsmith
work=$home/work

usage() {
  say 'Usage: update.sh [--yes] [--dry-run] [--key FILE] FOLDER'
  write_line
  say 'Installs a server into FOLDER, which is empty or has the base game, or updates the server that was installed into it.
Run it as the user who owns the folder; if root runs it, it continues as that user. Stop the server before, and start it
after.'
  write_line
  say '  --yes      do not ask before anything changes'
  say '  --dry-run  only show what would change'
  say '  --key FILE send the key of the service that is the first line of FILE, which the user who runs this can read: for many
             servers in one hour'
  say '  --help     show this text'
  write_line
  say 'A file that you did not edit is updated. One that you edited or removed is left as it is; if it changed upstream, too,
the new version is written beside it with the suffix .new. A file that is gone upstream is removed unless you edited it,
and what the first installation replaced comes back. Your configuration is never replaced: where the first installation
finds some, it stays, too, with the new one beside it, and the end of the output names it. The engine and the libraries
of the base game that SteamCMD puts back are replaced again. Files that were not installed by this script are not
touched. What the first installation replaced is kept in FOLDER/.goldsmith/original, and what the last update replaced
or removed in FOLDER/.goldsmith/previous. An interrupted run is finished or undone by the next one.'
  write_line
  say 'A plugin that the selection names and the service leaves out, because it does not compile any more for example, stays as
it is installed, and cstrike/addons/amxmodx/configs/plugins-kept.ini goes on loading it. A plugin that the selection
does not name any more is removed.'
  write_line
  say 'Exit status: 0 done, or nothing to do; 1 failed; 2 wrong usage; 3 refused: the folder belongs to another service or
an unknown version of this script, .goldsmith in it is damaged, a link is in the way, another run is at work, the
question was answered with no, or root cannot continue as the owner of the folder.'
}

read_arguments() {
  yes='' dry_run='' folder='' key_file='' key=''
  while [ $# -gt 0 ]; do
    case $1 in
      --yes) yes=1 ;;
      --dry-run) dry_run=1 ;;
      --key)
        shift
        key_file=${1-}
        [ -n "$key_file" ] || wrong_usage 'which file has the key?'
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

# Before the folder is entered, for a relative path.
read_key() {
  [ -n "$key_file" ] || return 0
  IFS= read -r key 2>/dev/null <"$key_file" || [ -n "$key" ] ||
    fail 'cannot read a key in {file}; nothing was changed' file="$key_file"
  case $key in *[!A-Za-z0-9_]* | '') fail '{file} does not begin with a key; nothing was changed' file="$key_file" ;; esac
}

need_tools() {
  for tool in curl unzip sha256sum awk sort find; do
    command -v "$tool" >/dev/null || fail '{program} is not installed' program="$tool"
  done
}

