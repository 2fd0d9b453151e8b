#!/usr/bin/env bash
# tools/stages.sh STAGE...: makes one stage after the other and says at the end what each took beside its budget, which the
# table in CONTRIBUTING.md holds. The first stage that fails ends the run, with its exit code; the table comes all the same.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# seconds of a budget such as 1:30, and back.
seconds() { echo $((10#${1%:*} * 60 + 10#${1#*:})); }
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

declare -A budget
for stage; do
  budget[$stage]=$(awk -F '|' -v row="\`$stage\`" '{ gsub(/ /, "", $2); gsub(/ /, "", $3) } $2 == row { print $3; exit }' CONTRIBUTING.md)
  [[ ${budget[$stage]} =~ ^[0-9]+:[0-5][0-9]$ ]] || { echo "stages: CONTRIBUTING.md has no budget for $stage" >&2; exit 1; }
done

report=() running=
finish() {
  local status=$?
  [ -z "$running" ] || report+=("$(row "$running" $((SECONDS - began)) "failed (exit code $status)")")
  printf '\n%-14s %7s %7s\n' stage took budget
  [ ${#report[@]} -eq 0 ] || printf '%s\n' "${report[@]}"
  exit "$status"
}
trap finish EXIT

row() { # STAGE SECONDS NOTE
  local note=$3
  if [ -z "$note" ] && [ "$2" -gt "$(seconds "${budget[$1]}")" ]; then note="over its budget"; fi
  printf '%-14s %7s %7s%s' "$1" "$(clock "$2")" "${budget[$1]}" "${note:+  $note}"
}

for stage; do
  echo "== $stage"
  running=$stage began=$SECONDS
  "${MAKE:-make}" --no-print-directory "$stage"
  report+=("$(row "$stage" $((SECONDS - began)) "")")
  running=
done
