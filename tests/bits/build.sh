#!/usr/bin/env bash
# Builds the program as for a release, but with the libraries of the tests, which `cargo test --features pool` has
# compiled: optimized a little less, with their assertions.
#
# usage: tests/bits/build.sh FILE
set -euo pipefail
cd "$(dirname "$0")/../.."

here=profile.dev.package.simulate
cargo build --features pool \
    --config "$here.opt-level=3" --config "$here.codegen-units=16" --config "$here.debug=false" \
    --config "$here.debug-assertions=false" --config "$here.overflow-checks=false"
cp target/debug/simulate "$1"
