#!/usr/bin/env bash
# Builds the program as for a release, but with the libraries of the tests, which `cargo test --features pool` has
# compiled: optimized a little less, with their assertions.
#
# usage: tests/bits/build.sh FILE
set -euo pipefail
cd "$(dirname "$0")/../.."

cargo build --features pool --config tests/bits/release.toml
cp target/debug/simulate "$1"
