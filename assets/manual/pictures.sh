#!/usr/bin/env bash
# Draws the pictures of the manual: pictures.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")"
"$program" picture tank.simx --out pictures/tank.png --scale 1.5
for name in fibonacci robot mass_spring_chain bouncing_ball; do
    "$program" picture "../examples/$name.simx" --out "pictures/$name.png" --scale 1.5
done
