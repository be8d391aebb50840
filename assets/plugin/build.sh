#!/bin/sh
# Builds the examples into a folder: build.sh [FOLDER], by default those that the tests run. It needs clang, wasm-ld and
# the target wasm32-unknown-unknown of Rust.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-"$here/../../tests/samples/plugins"}
mkdir -p "$out"
(cd "$here/c" && clang --target=wasm32 -O2 -nostdlib -Wall -Wextra -Werror -Wl,--no-entry -Wl,-zstack-size=8192 \
    -Wl,--strip-debug -o "$out/example_c.wasm" gain.c)
target=$(mktemp -d)
(cd "$here/rust/example" && CARGO_TARGET_DIR="$target" cargo build --release --quiet)
cp "$target/wasm32-unknown-unknown/release/example.wasm" "$out/example_rust.wasm"
rm -r "$target"
