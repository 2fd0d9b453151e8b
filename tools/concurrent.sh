#!/usr/bin/env bash
# tools/concurrent.sh DIR [PACKAGE...]: the packages below DIR that begin goroutines or lock, in tests too, but for those named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
grep -rlE --include='*.go' \
  '^[[:space:]]*go [A-Za-z_.]+\(|[^a-zA-Z]go func\(|crash\.Group|sync\.(RW)?Mutex|"sync/atomic"' "$1" |
  xargs -n 1 dirname | sort -u | sed 's#^#./#' | grep -vxF "$(printf './%s\n' "${@:2}")"
