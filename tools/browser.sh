#!/usr/bin/env bash
# tools/browser.sh DIR: leaves Debian's headless Chromium, with the libraries that this machine lacks, and axe-core from npm below DIR.
#
# The packages are unpacked, not installed: that needs no root and changes nothing here. DIR/chromium runs the browser.
set -euo pipefail
axe=4.14.1
mkdir -p "$1"
dir=$(cd "$1" && pwd)
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
  echo "Chromium is taken from Debian's packages, and this is no Debian" >&2
  exit 1
}
command -v npm >/dev/null || {
  echo "axe-core is taken from npm, and there is no npm here" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=(-o APT::Sandbox::User="$(id -un)")
needed() { apt-get "${own[@]}" -s --no-install-recommends install chromium-headless-shell fonts-liberation | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }
list=$(needed 2>/dev/null) || {
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  own+=(-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache")
  apt-get -qq "${own[@]}" update
  list=$(needed)
}
mapfile -t list < <(printf '%s\n' $list chromium-headless-shell | sort -u)
rm -rf "$dir"
mkdir -p "$dir"
(cd "$work" && apt-get -qq "${own[@]}" download "${list[@]}")
for package in "$work"/*.deb; do
  dpkg-deb -x "$package" "$dir"
done
(cd "$work" && npm pack --silent "axe-core@$axe" >/dev/null && tar -xzf axe-core-*.tgz && cp package/axe.min.js "$dir/axe.min.js")
shopt -s nullglob
libraries=$(printf '%s:' "$dir"/usr/lib/*-linux-gnu "$dir"/usr/lib/*-linux-gnu/pulseaudio "$dir"/lib/*-linux-gnu "$dir"/usr/lib/chromium)
cat >"$dir/chromium" <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries'
exec '$dir/usr/lib/chromium/chromium-headless-shell' "\$@"
END
chmod +x "$dir/chromium"
