# Fuzzing, for scripts/test.
# shellcheck shell=bash

# The inputs that were worth keeping, per target, and how often it was executed: each run goes on from there.
fuzz_folder=$root/build/fuzz/fuzz

# add_executions NAME LOG: to those of the runs before.
add_executions() {
  local file=$fuzz_folder/executed/$1 before=0 now
  now=$(sed -n 's/^stat::number_of_executed_units: *//p' "$2")
  [[ ! -e $file ]] || before=$(<"$file")
  mkdir -p -- "${file%/*}"
  echo "$((before + ${now:-0}))" >"$file"
}

# measure_coverage NAME PROGRAM FOLDER…: what the inputs in the folders cover; unknown, and said, if one of them fails.
measure_coverage() {
  local profile=$fuzz_folder/coverage/$1
  mkdir -p -- "${profile%/*}"
  rm -f -- "$profile".*
  if LLVM_PROFILE_FILE=$profile.raw "$2" -runs=0 "${@:3}" >"$profile.log" 2>&1 </dev/null; then
    llvm-profdata-19 merge -o "$profile.profile" "$profile.raw"
  else
    say "The coverage of $1 could not be measured: ${profile#"$root/"}.log"
  fi
  rm -f -- "$profile.raw"
}

# fuzz_target NAME SECONDS: false if an input was found that ends the target.
fuzz_target() {
  local name=$1 program=$root/build/fuzz/test/fuzz/fuzz_$1 longest status=0
  local kept=$fuzz_folder/corpus/$1 seeds=$fuzz_folder/seeds/$1 log=$fuzz_folder/log/$1.log
  if [[ $name == updater ]]; then
    say "==> Fuzzing $name for $2 s"
    mkdir -p -- "$fuzz_folder/log"
    "$root/test/fuzz/updater.py" "$root/build/fuzz/bin/goldsmith-keeper" for "$2" >"$log" 2>&1 || { cat "$log" && return 1; }
    add_executions "$name" "$log"
    return
  fi
  rm -rf -- "$seeds"
  mkdir -p -- "$kept" "$fuzz_folder/log" "$fuzz_folder/found"
  longest=$("$here/tools/fuzz-corpus" unpack "$root/test/fuzz/corpus/$name.txt" "$seeds") || return
  say "==> Fuzzing $name for $2 s"
  # Most of the time would go into the stacks of allocations.
  ASAN_OPTIONS=malloc_context_size=2:detect_stack_use_after_return=0 \
    ASAN_SYMBOLIZER_PATH=/usr/bin/llvm-symbolizer-19 UBSAN_OPTIONS=print_stacktrace=1 LLVM_PROFILE_FILE=/dev/null \
    "$program" -max_total_time="$2" -max_len="$((longest < 128 ? 256 : 2 * longest))" \
    -timeout=20 -entropic_scale_per_exec_time=1 -print_final_stats=1 -artifact_prefix="$fuzz_folder/found/$name-" \
    "$kept" "$seeds" >"$log" 2>&1 </dev/null || status=$?
  add_executions "$name" "$log"
  if [[ $status == 0 ]]; then
    measure_coverage "$name" "$program" "$kept" "$seeds"
    return
  fi
  grep -E -A 12 'does not hold|ERROR: |runtime error|terminate called|what\(\)' "$log" | head -n 40 || true
  say "The input is in ${fuzz_folder#"$root/"}/found; the line for test/fuzz/corpus/$name.txt:"
  "$here/tools/fuzz-corpus" pack "$(sed -n 's/^.*Test unit written to //p' "$log" | tail -n 1)" || true
  return 1
}

# fuzz [TARGET] [SECONDS]
fuzz() {
  local targets=() programs known=() logged=() each failed=0 seconds
  [[ ! ${1:-} =~ ^[a-z] ]] || { targets=("$1") && shift; }
  [[ $# -le 1 && ${1:-1} =~ ^[0-9]+$ ]] || { usage >&2 && exit 2; }
  seconds=${1:-60}
  for each in "$root"/test/fuzz/corpus/*.txt; do
    each=${each##*/}
    known+=("${each%.txt}")
  done
  [[ ${#targets[@]} != 0 ]] || targets=("${known[@]}")
  [[ " ${known[*]} " == *" ${targets[0]} "* ]] || die "there is no target ${targets[0]}; there are ${known[*]}"
  programs=("${targets[@]/#/fuzz_}")
  build_preset "$logs/build-fuzz.log" fuzz "${programs[@]/#fuzz_updater/handlers/update.sh}"
  for each in "${targets[@]}"; do
    fuzz_target "$each" "$seconds" || failed=1
    logged+=("$fuzz_folder/log/$each.log")
  done
  "$here/tools/fuzz-summary" "${logged[@]}"
  exit "$failed"
}
