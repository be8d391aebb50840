#!/usr/bin/env bash
# Builds the wheel and tests it in virtual environments of its own. The libraries are those that `cargo test` has compiled.
# PYTHONS="python3.11 python3.13" tries several, SIMULATE_RAY=1 a cluster of Ray too; PROFILE=release builds as for users.
# CONFIG="$PWD/tests/bits/release.toml" takes what `tests/bits/build.sh` has compiled.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
place=$root/target/python
profile=${PROFILE:-dev}
read -ra pythons <<< "${PYTHONS:-python3}"

step() { printf -- '-- %s (after %d s)\n' "$1" "$SECONDS"; }

config=()
[ -z "${CONFIG:-}" ] || config=(--config "$CONFIG")

step "formatting"
cargo fmt --check -p simulate-python
step "environments"
./environments.sh
step "the wheel"
rm -rf "$place/wheels"
"$place/build/bin/maturin" build --quiet --locked --features pool --profile "$profile" "${config[@]}" --out "$place/wheels"

for python in "${pythons[@]}"; do
    step "$python: a fresh environment with NumPy alone"
    fresh=$(mktemp -d)
    "$python" -m venv "$fresh"
    "$fresh/bin/python" -m pip install --quiet --disable-pip-version-check "$place"/wheels/*.whl
    (cd "$fresh" && bin/python "$root/bindings/python/tests/smoke.py" "$root/assets/examples/dc_motor.simx")
    (cd "$fresh" && bin/simulate-batch check "$root/assets/examples/dc_motor.simx")
    rm -rf "$fresh"

    step "$python: tests"
    "$place/$(basename "$python")/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$place"/wheels/*.whl
    "$place/$(basename "$python")/bin/python" -m pytest -q -p no:cacheprovider "$@"
done
step "done"
