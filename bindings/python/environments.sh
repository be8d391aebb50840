#!/usr/bin/env bash
# Makes the virtual environments in which check.sh builds and tests the wheel, again if their packages have changed.
# PYTHONS and SIMULATE_RAY are those of check.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=target/python
read -ra pythons <<< "${PYTHONS:-python3}"

environment() {
    local folder=$1 python=$2
    shift 2
    [ "$(cat "$folder/packages" 2> /dev/null)" != "$*" ] || return 0
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    echo "$*" > "$folder/packages"
}

tests=(numpy scipy control pandas xarray pyarrow matplotlib cloudpickle distributed pytest nbclient nbformat ipykernel mcp mypy pyright)
[ -z "${SIMULATE_RAY:-}" ] || tests+=("ray[default]")
# The executor of mpi4py is tried where there is an MPI.
! command -v mpirun > /dev/null || tests+=(mpi4py)

environment $place/build "${pythons[0]}" 'maturin>=1.9,<2'
for python in "${pythons[@]}"; do
    environment "$place/$(basename "$python")" "$python" "${tests[@]}"
done
