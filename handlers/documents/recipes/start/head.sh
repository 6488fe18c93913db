#!/bin/sh
# Updates the server and starts it. If the service cannot be reached, what is installed is started.
set -u
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}

language=@language@
script=start

