#!/usr/bin/env bash
# tools/left-out.sh DIR EXCEPT: the tests of a package that -short leaves out or makes smaller, as a pattern for go test -run,
# but for those that match EXCEPT. rapid draws a fifth with -short.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
names=$(awk '
  /^func / { name = match($0, /^func Test[A-Z][A-Za-z0-9_]*\(t /) ? substr($0, 6, RLENGTH - 8) : "" }
  /^\t.*(underRace|rapid\.Check)\(/ {
    if (name == "") { print FILENAME ":" FNR ": outside of a test: tools/left-out.sh does not see which one" >"/dev/stderr"; exit 1 }
    print name
  }' "$1"/*_test.go)
names=$(sort -u <<<"$names" | grep -Ev "$2" | paste -sd '|' -)
[ -n "$names" ] || { echo "left-out: no test in $1 uses underRace or rapid.Check" >&2; exit 1; }
echo "^($names)\$"
