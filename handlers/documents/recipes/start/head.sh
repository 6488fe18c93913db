#!/bin/sh
# Updates the server and starts it. If the service cannot be reached, what is installed is started.
set -u
unset CDPATH
locale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}

language=@language@
service=@service@
share_link=@share_link@
folder=@folder@
installer=@installer@
script=start

SHARE_LINK=${SHARE_LINK:-$share_link}

