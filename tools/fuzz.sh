#!/usr/bin/env bash
# tools/fuzz.sh TIME LANES: every fuzz target of the module for TIME (60s), LANES of them at a time with a worker each.
#
# go test -fuzz takes one target at a time and by default as many workers as there are cores. Two targets side by side
# with one worker each find as much per core, and a round takes half as long. The first failure ends the round and is
# shown; what runs beside it is let finish its time. Making an interesting input smaller gets ten tries: with a time for it,
# the one worker would do nothing else, because a large package finds interesting inputs faster than it makes them smaller.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
time=$1 lanes=$2 go=${GO:-go}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# "DIR TARGET" per line. The names are taken from the source: go test -list would build every package once more.
grep -rE --include='*_test.go' -o '^func Fuzz[A-Z][A-Za-z0-9_]*' cmd internal lab vcsim-tests |
  sed -E 's#/[^/]*:func # #' | LC_ALL=C sort -u >"$work/targets" || true
[ -s "$work/targets" ] || { echo "fuzz: no fuzz target in cmd, internal, lab and vcsim-tests" >&2; exit 1; }

# late tells whether the only complaint is that time is over: a race in Go's coordinator (golang/go#75804, fixed in 1.27).
late() {
  grep -q '^ *context deadline exceeded$' "$1" && ! grep -qE 'Failing input|panic|hung or terminated|FAIL:.*/' "$1"
}

fuzz() { # DIR TARGET LOG
  local status=0
  "$go" test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -parallel 1 -fuzzminimizetime 10x "./$1" >"$3" 2>&1 || status=$?
  if ! grep -q '^fuzz: elapsed' "$3" && [ "$status" -eq 0 ]; then
    echo "$1 has no fuzz target $2 in this build: is its file left out?" >>"$3"
    return 1
  fi
  [ "$status" -eq 0 ] || late "$3"
}

lane() { # NUMBER: every LANES-th target
  local dir target log
  awk -v n="$lanes" -v i="$1" 'NR % n == i' "$work/targets" | while read -r dir target; do
    if [ -e "$work/failed" ]; then return 0; fi
    log="$work/${dir//\//_}.$target"
    if fuzz "$dir" "$target" "$log"; then
      echo "fuzz: ok    $dir $target $(sed -nE 's/^fuzz: elapsed: ([^,]*), execs: ([0-9]+) \([^)]*\)/\2 executions in \1/p' "$log" | tail -n 1)"
    else
      touch "$work/failed"
      { echo "fuzz: FAIL  $dir $target"; cat "$log"; } >&2
    fi
  done
}

for ((i = 0; i < lanes; i++)); do lane "$i" & done
wait
[ ! -e "$work/failed" ]
