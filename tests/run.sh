#!/bin/sh
# Builds with the address and undefined-behaviour sanitizers and runs the tests; arguments go to ctest:
#   tests/run.sh              all
#   tests/run.sh -L unit      one label: unit, property, golden, model, cli, rules, fuzz
#   tests/run.sh -R yaml -V   by name, with all output
# Installs what is missing (Debian).
set -eu
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/cmake/packages.sh"

need_packages "$ROOT/build/packages.log" $BUILD_PACKAGES
build sanitize all
exec ctest --test-dir "$ROOT/build/sanitize" --output-on-failure --parallel "$(getconf _NPROCESSORS_ONLN)" "$@"
