# The sample data: plugins, packs, and components with their releases.
# shellcheck shell=bash

# sample_import: into the stack of stack.sh. Harmless when it is there already.
sample_import() {
  local sample=$root/test/fixtures/sample releases=$stack/sample-releases slug version file time
  echo "importing plugins and packs"
  stack_goldsmith plugin import "$sample"/plugins/*/
  stack_goldsmith addon import "$sample"/addons/*.json
  echo "importing components"
  stack_goldsmith component import "$sample"/components/*.json
  "$root/scripts/make-sample-components" "$releases"
  while IFS=$'\t' read -r slug version file time; do
    echo "mirroring $slug $version"
    stack_goldsmith component mirror "$slug" --version "$version" \
      --archive "$releases/$file" --released-at "$time"
  done <"$releases/index.tsv"
  rm -rf -- "$releases"
}
