#!/bin/sh
# Installs what is missing, builds everything and runs every test.   check.sh [--no-install]
set -eu
cd "$(dirname "$0")"
build=${BUILD_DIR:-build}

tools/install-deps.sh "$@" test
[ -f "$build/build.ninja" ] || meson setup "$build"
meson compile -C "$build"
status=0
meson test -C "$build" --print-errorlogs || status=$?
luajit tools/test-summary.lua "$build/meson-logs/testlog.json"
exit $status
