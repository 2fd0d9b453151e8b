#!/usr/bin/env bash
# tools/browser.sh DIR: leaves Debian's headless Chromium unpacked below DIR (tools/unpack.sh), and axe-core from npm. DIR/chromium
# runs the browser.
set -euo pipefail
axe=4.14.1
mkdir -p "$1"
dir=$(cd "$1" && pwd)
command -v npm >/dev/null || {
  echo "axe-core is taken from npm, and there is no npm here" >&2
  exit 1
}
"$(dirname "${BASH_SOURCE[0]}")/unpack.sh" "$dir" chromium-headless-shell fonts-liberation
(cd "$dir" && npm pack --silent "axe-core@$axe" >/dev/null && tar -xzf axe-core-*.tgz package/axe.min.js && mv package/axe.min.js . && rm -r package axe-core-*.tgz)
shopt -s nullglob
libraries=$(printf '%s:' "$dir"/usr/lib/*-linux-gnu "$dir"/usr/lib/*-linux-gnu/pulseaudio "$dir"/lib/*-linux-gnu "$dir"/usr/lib/chromium)
cat >"$dir/chromium" <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries'
exec '$dir/usr/lib/chromium/chromium-headless-shell' "\$@"
END
chmod +x "$dir/chromium"
