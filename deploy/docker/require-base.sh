#!/bin/sh
# Finds the image that all of ours are built from: here, or in a registry.
set -eu

image=debian:trixie-slim

if ! docker version >/dev/null 2>&1; then
  echo "No Docker engine answers. Start it; on a Debian without a registry deploy/airgap/engine.sh brings one." >&2
  exit 1
fi
docker image inspect "$image" >/dev/null 2>&1 && exit 0
echo "$image ..."
if ! docker pull --quiet "$image" >/dev/null 2>&1; then
  echo "The base image $image is not here, and no image registry has it: run \`make airgap-images\`, which makes it, and then \`make images\` again." >&2
  exit 1
fi
