#!/usr/bin/env bash
# Compares a release build with a debug build, bit for bit: the debug build writes the results of the random models that
# `BITS_DIR=target/bits cargo test --test bits` has left, and the release build has the same on every engine.
#
# usage: tests/bits/release.sh target/bits target/debug/simulate target/release/simulate
set -euo pipefail

models=$1 debug=$2 release=$3
# A few have nothing to compare, or end with an assertion: they get no results.
"$debug" test --update --signals all "$models"/*.simx > "$models/written.txt" || true
count=$(find "$models" -name '*.expected.csv' | wc -l)
if [ "$count" -lt 800 ]; then
    printf 'only %d models have results; see %s\n' "$count" "$models/written.txt" >&2
    exit 1
fi
"$release" test "$models" --engine all | tail -n 1
