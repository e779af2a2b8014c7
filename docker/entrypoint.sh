#!/bin/sh
# Numba refuses a cache that it cannot write to, even to read from it, and the image's root may be
# read-only: so the kernels compiled with the image are copied to the temporary folder at each start.
set -eu
mkdir -p "$NUMBA_CACHE_DIR"
cp -R /opt/minecheck/numba/. "$NUMBA_CACHE_DIR"
exec "$@"
