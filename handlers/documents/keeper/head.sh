#!/bin/sh
# Fetches goldsmith-keeper, the program for owners of game servers, checks that it is the one that the service made this
# script for, and runs it. It lies in a temporary folder meanwhile. The source is the service's, app/owner.
#
# All of this is between braces, so that a script that was cut on its way does nothing.
{
set -eu
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}
unset CDPATH

language=@language@
service=@service@
verb=@verb@
digest=@digest@
selection=@selection@
ignored=@ignored@
script=$verb.sh
