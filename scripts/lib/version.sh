# Versions of the Debian package.
# shellcheck shell=bash

# git_of FOLDER ARGUMENT…: git in the repository FOLDER, which may be another user's: what is in it is built and run anyway.
git_of() {
  git -c safe.directory='*' -C "$@"
}

# package_version FOLDER RELEASE: the version of a package that is built from FOLDER, whose next (or, at its tag,
# current) release is RELEASE. dpkg sorts them in the order in which they were made:
#   1.2.0~git20260131120000.abc1234      a commit before the release
#   1.2.0                                the release: the commit with the tag v1.2.0, or sources without git
#   1.2.0+git20260301120000.def5678      a commit after it
#   ….local                              with changes that are not committed
package_version() {
  local folder=$1 release=$2 commit changes=''
  # An archive of the sources may lie within the repository of something else.
  if [[ ! -e $folder/.git ]]; then
    printf '%s\n' "$release"
    return
  fi
  commit=$(TZ=UTC0 git_of "$folder" show -s --date=format-local:%Y%m%d%H%M%S --format='git%cd.%h') || return
  [[ -z $(git_of "$folder" status --porcelain) ]] || changes=.local
  if [[ -z $changes && $(git_of "$folder" tag --points-at HEAD) =~ (^|$'\n')"v$release"($'\n'|$) ]]; then
    printf '%s\n' "$release"
  elif git_of "$folder" merge-base --is-ancestor "refs/tags/v$release" HEAD 2>/dev/null; then
    printf '%s\n' "$release+$commit$changes"
  else
    printf '%s\n' "$release~$commit$changes"
  fi
}

# source_time FOLDER: when its sources were written, in seconds of the epoch: the time of the commit, which files of an
# archive that git made have, too.
source_time() {
  if [[ -e $1/.git ]]; then git_of "$1" show -s --format=%ct; else stat -c %Y -- "$1/CHANGELOG.md"; fi
}
