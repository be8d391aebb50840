#!/usr/bin/env bash
# The long forms of the tests, of which `cargo test` and .ci/run have short ones: about five hours on two cores. Each part
# can be left out by naming the others.
#
# usage: tests/long.sh [random] [export] [extremes] [fuzz] [kills] [start] [soak] [mutants] [python] [pool]
set -euo pipefail
cd "$(dirname "$0")/.."

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(random export extremes fuzz kills start soak mutants python pool)
step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; "$@"; }
release() { cargo build --release; }

for part in "${parts[@]}"; do
    case $part in
        random)
            step env RANDOM_MODELS=5000 cargo test -- random_models random_networks
            step env RANDOM_PROGRAMS=all cargo test -- random_programs
            ;;
        export)
            step env EXPORTED_MODELS=2000 cargo test export::random
            step env EXPORTED_NUMBERS=200000 cargo test export::functions
            step env FMU_INSTANCES=10000 FMU_MODELS=200 cargo test fmu::steps
            ;;
        extremes) step env EXTREMES=all cargo test every_block_refuses_extreme ;;
        fuzz) step cargo run --manifest-path tests/fuzz/Cargo.toml -- --minutes 90 ;;
        kills) release && step cargo run --release --manifest-path tests/kills/Cargo.toml -- target/release/simulate ;;
        start) release && step tests/window/start.sh target/release/simulate ;;
        soak) release && step tests/window/soak.sh target/release/simulate 30 ;;
        mutants) step cargo run --manifest-path tests/mutants/Cargo.toml -- --sample 300 ;;
        python) step env SIMULATE_RAY=1 PYTHONS="${PYTHONS:-python3}" bindings/python/check.sh ;;
        pool)
            step cargo build --release --features pool
            step cargo test --features pool pool::
            step nice -n 10 tests/pool/faults.sh target/release/simulate 100000
            step tests/pool/soak.sh target/release/simulate
            ;;
        *) printf 'there is no part %s\n' "$part" >&2; exit 2 ;;
    esac
done
