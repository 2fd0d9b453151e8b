#!/usr/bin/env bash
# tools/image.sh DIR: builds the image of Containerfile from DIR/root into DIR/image.oci.tar, an OCI archive, and writes its digest
# to DIR/digest. VERSION, REVISION and SOURCE_DATE_EPOCH (seconds) go into it: with the same of them and the same files, the
# digest is the same.
#
# No daemon and no registry are involved. buildah is that of this machine, else Debian's, unpacked into bin/buildah. It needs root, or
# user namespaces.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dir=$(cd "$1" && pwd)
[ -n "${SOURCE_DATE_EPOCH:-}" ] || {
  echo "make image: SOURCE_DATE_EPOCH is not set, and there is no git commit to take it from" >&2
  exit 1
}
if ! buildah=$(command -v buildah); then
  unpacked=$here/bin/buildah
  [ -x "$unpacked/usr/bin/buildah" ] || "$here/tools/unpack.sh" "$unpacked" buildah || {
    echo "make image: there is no buildah here: install it (Debian and Fedora: package buildah)" >&2
    exit 1
  }
  buildah=$unpacked/usr/bin/buildah
  shopt -s nullglob
  LD_LIBRARY_PATH=$(printf '%s:' "$unpacked"/usr/lib/*-linux-gnu "$unpacked"/lib/*-linux-gnu)
  export LD_LIBRARY_PATH
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$work/policy.json" # nothing is pulled
store=(--root "$work/store" --runroot "$work/run" --storage-driver vfs)
"$buildah" "${store[@]}" build --quiet --isolation chroot --signature-policy "$work/policy.json" --identity-label=false --omit-history \
  --timestamp "$SOURCE_DATE_EPOCH" --platform "linux/${ARCH:-amd64}" --build-arg VERSION="${VERSION:-}" --build-arg REVISION="${REVISION:-}" \
  --build-arg CREATED="$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" -f "$here/Containerfile" -t ocp-vsphere-admin "$dir/root" >/dev/null || {
  echo "make image: $buildah cannot build here: it needs root, or user namespaces" >&2
  exit 1
}
rm -f "$dir/image.oci.tar"
"$buildah" "${store[@]}" push --quiet --signature-policy "$work/policy.json" --digestfile "$dir/digest" ocp-vsphere-admin \
  "oci-archive:$dir/image.oci.tar:ocp-vsphere-admin:${VERSION:-latest}" >/dev/null
echo "$dir/image.oci.tar: $(cat "$dir/digest")"
