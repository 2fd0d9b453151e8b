#!/usr/bin/env bash
# tools/release-tools.sh DIR: leaves Debian's rpm unpacked below DIR (tools/unpack.sh), and krew with its validator, built from Go's module
# proxy: an archive, a package and a manifest are tried before those who will take them. DIR/rpm and DIR/rpmkeys run them.
set -euo pipefail
krew=v0.4.3
mkdir -p "$1"
dir=$(cd "$1" && pwd)
"$(dirname "${BASH_SOURCE[0]}")/unpack.sh" "$dir" rpm rpm-common
export GOBIN=$dir GOFLAGS=-trimpath CGO_ENABLED=0
go install "sigs.k8s.io/krew/cmd/krew@$krew"
go install "sigs.k8s.io/krew/cmd/validate-krew-manifest@$krew"
shopt -s nullglob
libraries=$(printf '%s:' "$dir"/usr/lib/*-linux-gnu "$dir"/lib/*-linux-gnu)
# rpm starts rpmkeys at /usr/bin, where a machine may have none.
for program in rpmkeys rpm; do
  cat >"$dir/$program" <<END
#!/bin/sh
export LD_LIBRARY_PATH='$libraries' RPM_CONFIGDIR='$dir/usr/lib/rpm'
exec '$dir/usr/bin/$program' "\$@"
END
  chmod +x "$dir/$program"
done
