# The sample data: plugins, packs, and components with their releases.
# shellcheck shell=bash

# mirror_releases FOLDER: mirrors the archives that FOLDER/index.tsv lists into the stack of stack.sh.
mirror_releases() {
  local slug version file time
  while IFS=$'\t' read -r slug version file time; do
    echo "mirroring $slug $version"
    stack_goldsmith component mirror "$slug" --version "$version" \
      --archive "$1/$file" --released-at "$time"
  done <"$1/index.tsv"
}

# sample_import: imports the sample data into the stack of stack.sh. Can be repeated.
sample_import() {
  local sample=$root/test/fixtures/sample releases=$stack/sample-releases
  echo "importing plugins and packs"
  stack_goldsmith plugin import "$sample"/plugins/*/
  stack_goldsmith addon import "$sample"/addons/*.json
  echo "importing components"
  stack_goldsmith component import "$sample"/components/*.json
  "$sample/make_components.py" "$releases"
  mirror_releases "$releases"
  rm -rf -- "$releases"
}

# sample_check: compiles the sample plugins with each toolchain, so that the pages show what works with what. Before
# the servers start: nobody else compiles, so that the limit can be raised for a moment, and what was counted forgotten.
sample_check() {
  local usual
  usual=$(stack_goldsmith setting list --json | python3 -c '
import json, sys
print(next(each["value"] for each in json.load(sys.stdin) if each["name"] == "compile_flood_per_minute"))')
  stack_goldsmith setting set compile_flood_per_minute 1000
  stack_goldsmith plugin check --jobs 2 || echo "goldsmith plugin check failed; the stack works without"
  stack_goldsmith setting set compile_flood_per_minute "$usual"
  rm -f -- "${run:?}/state"
}
