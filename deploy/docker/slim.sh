#!/bin/sh
# Takes out of Python packages what no service uses: tests, headers, symbols for debuggers (a third
# of the bytes), and the descriptions of all of Amazon's services but those that ours call or sign
# for. The image needs binutils.
# Usage: slim.sh SITE_PACKAGES
set -eu
cd "$1"
find . -type d \( -name tests -o -name test -o -name include \) -prune -exec rm -rf {} +
find . -name '*.pyi' -delete
find . -name '*.so*' -exec strip --strip-unneeded {} +
if [ -d botocore/data ]; then
  find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name sts -exec rm -rf {} +
fi
