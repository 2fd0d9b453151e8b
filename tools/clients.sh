#!/usr/bin/env bash
# tools/clients.sh DIR: leaves Debian's pyvmomi, zeep, Ansible, bats and jq unpacked below DIR (tools/unpack.sh), where there is npm
# node-vsphere-soap in DIR/node, and where GitHub can be reached govmomi's tests of govc in DIR/govmomi; GOVMOMI_REPO names another
# repository that has them, or its git directory here. DIR/python and DIR/bin/jq run what finds its libraries.
set -euo pipefail
govmomi=v0.56.0 commit=81608f9b9725d64e4ed447b9a338c9f03dbf8840
version=$(go list -m -f '{{.Version}}' github.com/vmware/govmomi)
[ "$version" = "$govmomi" ] || {
  echo "$0: the tests of govc are pinned to $govmomi, and go.mod has $version: pin the commit of that" >&2
  exit 1
}
mkdir -p "$1"
dir=$(cd "$1" && pwd)
"$(dirname "${BASH_SOURCE[0]}")/unpack.sh" "$dir" python3-pyvmomi python3-zeep ansible ansible-core python3 bats jq
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
mkdir -p "$dir/bin"
cat >"$dir/bin/jq" <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries'
exec '$dir/usr/bin/jq' "\$@"
END
chmod +x "$dir/python" "$dir/bin/jq"
if command -v node >/dev/null && command -v npm >/dev/null; then
  npm install --silent --no-audit --no-fund --no-package-lock --ignore-scripts --prefix "$dir/node" node-vsphere-soap@0.0.2-5 >&2 ||
    rm -rf "$dir/node"
fi
from=${GOVMOMI_REPO:-https://github.com/vmware/govmomi} suite=$dir/govmomi
mkdir -p "$suite"
at=$from
if [ ! -d "$from" ]; then
  at=$suite/git
  git init -q --bare "$at"
  GIT_TERMINAL_PROMPT=0 timeout 60 git --git-dir="$at" fetch -q --depth 1 "$from" "$commit" || at=
fi
if [ -z "$at" ] || ! git --git-dir="$at" archive "$commit" govc/test | tar -x -C "$suite"; then
  echo "$0: no tests of govc from $from" >&2
  rm -rf "$suite"
fi
rm -rf "$suite/git"
