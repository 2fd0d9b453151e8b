#!/usr/bin/env bash
# tools/clients.sh DIR: leaves Debian's pyvmomi, zeep and Ansible unpacked below DIR (tools/unpack.sh), and, where there is npm,
# node-vsphere-soap in DIR/node. DIR/python runs the interpreter that finds them.
set -euo pipefail
mkdir -p "$1"
dir=$(cd "$1" && pwd)
"$(dirname "${BASH_SOURCE[0]}")/unpack.sh" "$dir" python3-pyvmomi python3-zeep ansible ansible-core python3
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
