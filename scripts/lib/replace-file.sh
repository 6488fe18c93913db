# Files that have to be whole after a power cut. Installed as /usr/lib/goldsmith/replace-file.sh, for `goldsmith setup`.
# shellcheck shell=bash

# replace_file FILE: FILE.setup-new takes its place, in one step, and is on the disk.
replace_file() {
  sync -- "$1.setup-new"
  mv -f -- "$1.setup-new" "$1"
  sync -- "$(dirname -- "$1")"
}
