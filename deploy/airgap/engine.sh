#!/usr/bin/env bash
# Brings a Docker engine from Debian's packages alone and starts it; quick when one answers.
#
#   engine.sh          as root, unless an engine answers already
#   engine.sh stop     ends the engine that this script has started, and no other
#
# Debian 12's own engine (20.10) is too old for BuildKit's cache mounts and may lose the last line
# of a container's log. So the engine of the next Debian is unpacked beside the system; what is
# tied to the C library (runc, iptables, tini) is the system's own.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=/opt/frazil-docker
plugins=/usr/local/lib/docker/cli-plugins
log=/var/log/frazil-dockerd.log
pid_file=$folder/dockerd.pid
suite=trixie
client=$(command -v docker || true)
export PATH="$folder/bin:$PATH"

answers() { docker version --format '{{.Server.Version}}' 2>/dev/null; }

install_parts() {
  apt-get -qq update
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends \
    ca-certificates iptables libdevmapper1.02.1 procps runc tini >/dev/null
}

# Downloaded and checked by an apt that sees the other suite alone and keeps lists of its own.
unpack_engine() {
  local work apt
  work=$(mktemp -d)
  mkdir -p "$work"/{lists/partial,cache/archives/partial,debs} "$folder/bin" "$plugins"
  "$here/sources.sh" "$suite" >"$work/sources.list"
  apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=-
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$work/debs" && "${apt[@]}" download containerd docker-buildx docker-cli docker-compose docker.io)
  for deb in "$work"/debs/*.deb; do dpkg-deb -x "$deb" "$work/root"; done
  install -m 755 "$work"/root/usr/bin/{containerd,containerd-shim-runc-v2,docker} \
    "$work"/root/usr/sbin/docker-proxy "$folder/bin/"
  ln -sf "$(command -v tini)" "$folder/bin/docker-init"
  install -m 755 "$work"/root/usr/libexec/docker/cli-plugins/docker-{buildx,compose} "$plugins/"
  [ -n "$client" ] || ln -sf "$folder/bin/docker" /usr/local/bin/docker
  # Last, for it says that all the rest is there.
  install -m 755 "$work/root/usr/sbin/dockerd" "$folder/bin/"
  rm -rf "$work"
}

start_engine() {
  nohup setsid "$folder/bin/dockerd" >>"$log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  for _ in $(seq 120); do
    if answers >/dev/null; then return; fi
    sleep 0.5
  done
  tail -n 40 "$log" >&2
  stop_engine >&2
  echo "The engine did not answer within a minute; its log is $log." >&2
  exit 1
}

stop_engine() {
  local pid
  pid=$(cat "$pid_file" 2>/dev/null || true)
  if [ -z "$pid" ] || [ "$(cat "/proc/$pid/comm" 2>/dev/null)" != dockerd ]; then
    echo "No engine of ours is running."
    return
  fi
  kill "$pid"
  # It gives each container the time that the container asks for.
  for _ in $(seq 360); do
    if [ ! -e "/proc/$pid" ]; then
      rm -f "$pid_file"
      echo "The engine has ended."
      return
    fi
    sleep 0.5
  done
  echo "The engine (process $pid) did not end within three minutes." >&2
  exit 1
}

if [ "${1:-}" = stop ]; then
  stop_engine
elif answers >/dev/null; then
  echo "Docker engine $(answers) is running."
elif [ "$(id -u)" != 0 ]; then
  echo "No Docker engine answers, and only root can bring one." >&2
  exit 1
else
  if [ ! -x "$folder/bin/dockerd" ]; then
    install_parts
    unpack_engine
  fi
  start_engine
  echo "Docker engine $(answers) was started; its programs are in $folder/bin, its log is $log."
fi
