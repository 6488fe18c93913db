# The sample data: plugins, packs, components with one or two versions each.
# shellcheck shell=bash

# sample_import: into the stack of stack.sh. Harmless when it is there already.
sample_import() {
  local sample=$root/test/fixtures/sample archives
  stack_goldsmith plugin import "$sample"/plugins/*/
  stack_goldsmith addon import "$sample"/addons/*.json
  stack_goldsmith component import "$sample"/components/*.json
  archives=$stack/sample-components
  "$root/scripts/make-sample-components" "$archives"
}
