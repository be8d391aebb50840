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

# A virtual environment with packages, made again if the list changes.
environment() {
    local folder=$1 python=$2
    shift 2
    if [ "$(cat "$folder/packages" 2> /dev/null)" != "$*" ]; then
        rm -rf "$folder"
        "$python" -m venv "$folder"
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
        echo "$*" > "$folder/packages"
    fi
}

config=()
[ -z "${CONFIG:-}" ] || config=(--config "$CONFIG")

tests=(numpy scipy control pandas xarray pyarrow matplotlib cloudpickle distributed pytest nbclient nbformat ipykernel mypy pyright)
[ -z "${SIMULATE_RAY:-}" ] || tests+=("ray[default]")
# The executor of mpi4py is tried where there is an MPI.
! command -v mpirun > /dev/null || tests+=(mpi4py)

step "formatting"
cargo fmt --check -p simulate-python
step "tools"
environment "$place/build" "${pythons[0]}" 'maturin>=1.9,<2'
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
    environment "$place/$(basename "$python")" "$python" "${tests[@]}"
    "$place/$(basename "$python")/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$place"/wheels/*.whl
    "$place/$(basename "$python")/bin/python" -m pytest -q -p no:cacheprovider "$@"
done
step "done"
