#!/usr/bin/env bash
# Prints this machine's own Debian sources, turned to another suite.
# Usage: sources.sh SUITE
set -euo pipefail

here=$(. /etc/os-release && echo "$VERSION_CODENAME")
apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  grep -E " $here(-updates|-security)? " | sed "s/ $here/ $1/" | sort -u
