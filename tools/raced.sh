#!/usr/bin/env bash
# tools/raced.sh packages|tests: the packages that have tests of tools/raced.txt, of which the others do not run under the race
# detector; and those tests, as a pattern for go test -run. TestRacedTestsAreThere in internal/house looks after the list.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
pattern="($(paste -sd '|' tools/raced.txt))"
case $1 in
packages) grep -rlE --include='*_test.go' "^func $pattern\(t " internal lab | xargs -n 1 dirname | sort -u ;;
tests) echo "^$pattern\$" ;;
*) exit 2 ;;
esac
