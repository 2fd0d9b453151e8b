#!/usr/bin/env bash
# tools/wine.sh DIR: leaves in DIR what Go's programs ask of Windows and Debian's Wine lacks: tools/wine/bcryptprimitives.c, which Debian's
# mingw-w64 compiles. Wine and that compiler are installed where they are missing: Wine does not run unpacked elsewhere.
set -euo pipefail
mkdir -p "$1"
packages=()
command -v wine >/dev/null && [ -x /usr/lib/wine/wine64 ] || packages+=(wine wine64)
command -v x86_64-w64-mingw32-gcc >/dev/null || packages+=(gcc-mingw-w64-x86-64)
if [ ${#packages[@]} -gt 0 ]; then
  apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  [ "$(id -u)" = 0 ] || apt=(sudo -n "${apt[@]}")
  "${apt[@]}" -s install "${packages[@]}" >/dev/null 2>&1 || "${apt[@]}" update
  "${apt[@]}" -y --no-install-recommends install "${packages[@]}" >/dev/null || {
    echo "${packages[*]} are missing and cannot be installed: as root, apt-get update and apt-get install ${packages[*]}" >&2
    exit 1
  }
fi
x86_64-w64-mingw32-gcc -O2 -Wall -Wextra -Werror -s -shared -Wl,--no-insert-timestamp -o "$1/bcryptprimitives.dll" \
  "$(dirname "${BASH_SOURCE[0]}")/wine/bcryptprimitives.c" -ladvapi32
