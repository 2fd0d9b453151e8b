#!/usr/bin/env bash
# kubetest/etcd.sh PATH: leaves an etcd at PATH, the system's or that of Debian's package etcd-server.
#
# The package is unpacked, not installed: that needs no root and starts no server. Where the machine has no package
# lists yet, they are fetched into a directory of our own.
set -euo pipefail
path=$1
if system=$(command -v etcd); then
  ln -sf "$system" "$path"
  exit
fi
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
  echo "etcd is not installed, and this is no Debian to take it from: install etcd (https://etcd.io)" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p lists/partial cache/archives/partial
download() { apt-get -qq -o APT::Sandbox::User="$(id -un)" "$@" download etcd-server; }
download 2>/dev/null || {
  own=(-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache")
  apt-get -qq -o APT::Sandbox::User="$(id -un)" "${own[@]}" update
  download "${own[@]}"
}
dpkg-deb -x etcd-server_*.deb .
install -m 0755 usr/bin/etcd "$path"
