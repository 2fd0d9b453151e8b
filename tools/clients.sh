#!/usr/bin/env bash
# tools/clients.sh DIR: leaves Debian's pyvmomi, zeep and Ansible, with all they need that this machine lacks, unpacked below DIR, and,
# where there is npm, node-vsphere-soap in DIR/node.
#
# The packages are unpacked, not installed: that needs no root and changes nothing here. Where the machine has no package
# lists yet, they are fetched into a directory of our own. DIR/python runs the interpreter that finds them.
set -euo pipefail
mkdir -p "$1"
dir=$(cd "$1" && pwd)
packages=(python3-pyvmomi python3-zeep ansible python3)
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
  echo "pyvmomi, zeep and Ansible are taken from Debian's packages, and this is no Debian" >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
own=(-o APT::Sandbox::User="$(id -un)")
needed() { apt-get "${own[@]}" -s --no-install-recommends install "${packages[@]}" | sed -n 's/^Inst \([^ ]*\).*/\1/p'; }
list=$(needed 2>/dev/null) || {
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  own+=(-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache")
  apt-get -qq "${own[@]}" update
  list=$(needed)
}
# What is asked for is unpacked even where it is installed, so that there is one place to look for it.
mapfile -t list < <(printf '%s\n' $list python3-pyvmomi python3-zeep ansible ansible-core | sort -u)
rm -rf "$dir"
mkdir -p "$dir"
(cd "$work" && apt-get -qq "${own[@]}" download "${list[@]}")
for package in "$work"/*.deb; do
  dpkg-deb -x "$package" "$dir"
done
python=/usr/bin/python3 # Debian's own: another one in PATH does not look where Debian's packages are
if [ -e "$dir/usr/bin/python3" ]; then python=$dir/usr/bin/python3; fi
shopt -s nullglob
libraries=$(printf '%s:' "$dir"/usr/lib/*-linux-gnu "$dir"/lib/*-linux-gnu)
cat >"$dir/python" <<END
#!/bin/sh
export PYTHONPATH='$dir/usr/lib/python3/dist-packages'
export LD_LIBRARY_PATH='$libraries'
exec '$python' "\$@"
END
chmod +x "$dir/python"
if command -v node >/dev/null && command -v npm >/dev/null; then
  npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts --prefix "$dir/node" node-vsphere-soap@0.0.2-5 >&2 ||
    rm -rf "$dir/node"
fi
