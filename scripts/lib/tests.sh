# Running tests, and what runs beside them, for scripts/test.
# shellcheck shell=bash

results=$root/build/results
declare -A jobs=()

# start_job NAME COMMAND…: runs it with the processor time that tests leave.
start_job() {
  local name=$1
  shift
  : >"$logs/$name.job"
  steps=$steps beside=yes setsid "$root/scripts/tools/when-idle" "$@" >"$logs/$name.job" 2>&1 &
  jobs[$name]=$!
}

# finish_job NAME: shows what has been and will be said of it, until it has ended; its exit code.
finish_job() {
  local status=0 started=$SECONDS
  tail --lines=+1 --follow --pid="${jobs[$1]}" -- "$logs/$1.job"
  wait "${jobs[$1]}" || status=$?
  note_step "Waiting for $1" "$started"
  unset "jobs[$1]"
  return "$status"
}

# Those of jobs that have not ended.
end_jobs() {
  local name
  for name in "${!jobs[@]}"; do kill -- "-${jobs[$name]}" 2>/dev/null || true; done
}

# job_succeeds NAME: waits for it. If it fails, the summary says so: it was skipped for the reason that it gave with exit
# code 77, or has no results.
job_succeeds() {
  local status=0
  finish_job "$1" || status=$?
  [[ $status != 0 ]] || return 0
  mkdir -p -- "$results/$1"
  [[ $status != 77 ]] || tail -n 1 -- "$logs/$1.job" >"$results/$1/skipped"
  return 1
}

# in_memory COMMAND…: with a /tmp of its own, in memory, for root who may mount one, unless the checkout, its trees or TMPDIR
# are below /tmp, which it would hide. Tests make and delete thousands of small files there, for which some file systems take
# a third of all time.
in_memory() {
  local mount=(mount -t tmpfs -o mode=1777 tests /tmp)
  if [[ " $root ${DEBIAN_TREES:-} ${TMPDIR:-}" != *" /tmp/"* ]] && unshare --mount -- "${mount[@]}" 2>/dev/null; then
    unshare --mount -- sh -ec "${mount[*]}"'; exec "$@"' sh "$@"
  else
    "$@"
  fi
}

# run_tests NAME PRESET [OPTION…]: the results are in build/results/NAME, for the summary. With $second_try up to three
# tests that failed are run again, alone, and what could not run without them: most wait for other programs with a limit, and
# the rest of the tests keeps the processors busy.
run_tests() {
  local said=$results/$1 tests=$root/build/$2 started=$SECONDS status=0
  shift 2
  mkdir -p -- "$said"
  [[ -z $pattern ]] || set -- "$@" --tests-regex "$pattern"
  # What it measured is worth reading.
  [[ $pattern != cluster ]] || set -- "$@" --verbose
  say "==> Tests (${said##*/})"
  set -- ctest --test-dir "$tests" --output-on-failure "$@"
  # One more than processors: most tests wait for databases, servers and browsers now and then.
  in_memory "$@" --parallel "$(($(nproc) + 1))" --output-junit "$said/tests.xml" || status=$?
  note_step "Tests (${said##*/})" "$started"
  [[ $status != 0 && -n ${second_try:-} && $(grep -c "<failure" "$said/tests.xml") -le 3 ]] || return 0
  say "==> Tests that failed, again (${said##*/})"
  # ctest numbers tests after it has left out those of --exclude-regex, and knows failed ones by their numbers: the
  # options must be the same. What fails is counted from the results.
  in_memory "$@" --rerun-failed --output-junit "$said/tests.again.xml" || true
}
