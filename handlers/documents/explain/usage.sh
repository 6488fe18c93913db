#!/bin/sh
# Names known causes of what goes wrong in the console's log of a Counter-Strike 1.6 server, and what to do.
#
# The log stays on this machine: the script asks no network. What is in a log is not trusted: anybody who plays on the
# server can write into it. Nothing of it is a command here, and what is printed of it is ASCII without control characters.
set -eu
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
LC_ALL=C
export LC_ALL

language=@language@
service=@service@
script=explain.sh

usage() {
  say 'Usage: explain.sh [--help] [FILE...]'
  write_line
  say "Reads the logs of a game server's console (qconsole.log, what hlds_run or SteamCMD prints, the log of AMX Mod X or of a
container), and prints the known causes of what went wrong, the gravest first: each with the first line that tells it, how
many lines do, and what to do. Without FILE, or for -, it reads standard input:"
  write_line
  write_line '  docker logs cs16 2>&1 | sh explain.sh'
  write_line
  say 'Nothing is sent anywhere. Of each line the first 4,096 bytes count.'
  write_line
  say 'Exit status: 0 no known cause was found, or only what is good to know; 1 one was found that stops the server or breaks a
part of it; 2 wrong usage, or a log cannot be read.'
}

