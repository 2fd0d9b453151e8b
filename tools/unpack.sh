#!/usr/bin/env bash
# tools/unpack.sh DIR PACKAGE...: leaves Debian's packages, with all they need that this machine lacks, unpacked below DIR, which is
# emptied first.
#
# They are unpacked, not installed: that needs no root and changes nothing here. Where the machine has no package lists yet, they are
# fetched into a directory of our own. A package that is asked for is unpacked even where it is installed, so that there is one place
# to look for it.
set -euo pipefail
dir=$1
shift
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
  echo "$* are taken from Debian's packages, and this is no Debian" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=(-o APT::Sandbox::User="$(id -un)")
needed() { apt-get "${own[@]}" -s --no-install-recommends install "$@" | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }
list=$(needed "$@" 2>/dev/null) || {
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  own+=(-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache")
  apt-get -qq "${own[@]}" update
  list=$(needed "$@")
}
mapfile -t list < <(printf '%s\n' $list "$@" | sort -u)
rm -rf "$dir"
mkdir -p "$dir"
(cd "$work" && apt-get -qq "${own[@]}" download "${list[@]}")
for package in "$work"/*.deb; do
  dpkg-deb -x "$package" "$dir"
done
