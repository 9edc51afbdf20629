#!/usr/bin/env bash
# Makes our base image, and a stand-in for every third-party image of the container stack, from
# package registries alone.
# Usage, after `make setup`: images.sh    needs a Docker engine, and Go the first time
#
# Images that the engine has already, stand-ins or not, stay as they are.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
compose=$here/../compose
python=$here/../../.venv/bin/python
if ! docker version >/dev/null 2>&1; then
  echo "No Docker engine answers. Start it; on Debian deploy/airgap/engine.sh, as root, brings one." >&2
  exit 1
fi
"$here/base-image.sh"

# What the recipes copy; each is loaded once, checked by its sums, and kept in FRAZIL_HOME.
FRAZIL_PROGRAMS=${FRAZIL_HOME:-$HOME/.cache/frazil}/bin
FRAZIL_BROKER_JARS=$("$python" "$here/../docker/load_jars.py")
FRAZIL_TRINO=unused
export FRAZIL_PROGRAMS FRAZIL_BROKER_JARS FRAZIL_TRINO
# Images have the name of the project that has built them as a label, and so has whatever is run from
# them: it must not be the stack's.
stack=(docker compose --project-name frazil-airgap --project-directory "$compose"
  -f "$compose/compose.yaml" -f "$compose/single.yaml" -f "$here/compose.yaml")

image_of() {
  "${stack[@]}" config --format json |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["services"][sys.argv[1]]["image"])' "$1"
}

for service in postgres minio kafka minio-node trino; do
  image=$(image_of "$service")
  if docker image inspect "$image" >/dev/null 2>&1; then
    echo "The image $image is there."
    continue
  fi
  case $service in
    minio-node) "$here/minio.sh" ;;
    trino) FRAZIL_TRINO=$("$python" "$here/trino.py") ;;
  esac
  "${stack[@]}" build --quiet "$service"
  echo "The image $image was made."
done
