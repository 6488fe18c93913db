#!/bin/sh
# Installs a Counter-Strike 1.6 server: the base game by SteamCMD, then the selection of a share link over it, by
# update.sh of the service, which resumes downloads, checks every file and keeps what was edited. Later runs only
# update: SteamCMD would put the base game's files back.
#
# Nothing that lies in the folder is run, and nothing is written through a link.
set -eu
unset CDPATH
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}

language=@language@
service=@service@
share_link=@share_link@
folder=@folder@
# shellcheck disable=SC2016 # a script of its own
start_script=@start_script@
script=install

SHARE_LINK=${SHARE_LINK:-$share_link}
steamcmd_url=https://steamcdn-a.akamaihd.net/client/installer/steamcmd_linux.tar.gz
readonly most_attempts=10 # of SteamCMD: this game is known to need several

