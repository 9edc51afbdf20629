#!/usr/bin/env bash
# Makes the image debian:trixie-slim from Debian's archive, where no image registry is reachable.
# Usage, as root: base-image.sh    does nothing when the engine has an image of that name.
#
# Certificates that this machine's administrator has added are put where ca-certificates finds
# them, so that builds trust what the machine trusts.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
suite=trixie
image=debian:$suite-slim

if docker image inspect "$image" >/dev/null 2>&1; then
  echo "The image $image is there."
  exit 0
fi
if [ "$(id -u)" != 0 ]; then
  echo "The image $image is missing, and only root can make it: sudo deploy/airgap/base-image.sh" >&2
  exit 1
fi
if ! command -v debootstrap >/dev/null; then
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends debootstrap >/dev/null
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mirror=$("$here/sources.sh" "$suite" | awk -v suite="$suite" '$3 == suite {print $2; exit}')
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || {
  tail -n 20 "$work/log" >&2
  exit 1
}
"$here/sources.sh" "$suite" >"$root/etc/apt/sources.list"

# Slim, now and after each later install: no manuals, no translations, no lists of packages.
printf 'path-exclude /usr/share/%s/*\n' doc info lintian locale man >"$root/etc/dpkg/dpkg.cfg.d/slim"
printf 'path-include /usr/share/doc/*/copyright\n' >>"$root/etc/dpkg/dpkg.cfg.d/slim"
find "$root/usr/share/doc" ! -type d ! -name copyright -delete
rm -rf "$root"/usr/share/{info,lintian,locale,man}/* "$root"/var/{lib/apt/lists,cache/apt,log}/*
rm -f "$root"/etc/{hostname,resolv.conf}
# As in the official image: packages that were installed do not stay beside what they held.
printf '%s "";\n' Dir::Cache::pkgcache Dir::Cache::srcpkgcache >"$root/etc/apt/apt.conf.d/clean"
echo 'APT::Keep-Downloaded-Packages "false";' >>"$root/etc/apt/apt.conf.d/clean"
echo 'DPkg::Post-Invoke {"rm -f /var/cache/apt/archives/*.deb";};' >>"$root/etc/apt/apt.conf.d/clean"
# Nothing is a service in a container.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"

mkdir -p "$root/usr/local/share/ca-certificates"
find /usr/local/share/ca-certificates -name '*.crt' \
  -exec cp {} "$root/usr/local/share/ca-certificates/" \;
tar -C "$root" --numeric-owner -c . | docker import --change 'CMD ["bash"]' \
  --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' - "$image" \
  >/dev/null
echo "The image $image was made."
