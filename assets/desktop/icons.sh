#!/usr/bin/env bash
# Renders the icon in all sizes from its one drawing. Needs rsvg-convert and ImageMagick.
set -euo pipefail
cd "$(dirname "$0")"
for size in 16 24 32 48 64 128 256 512; do
    rsvg-convert --width "$size" --height "$size" ../icon.svg > "icons/$size.png"
done
cp icons/256.png ../icon.png
convert icons/{16,24,32,48,64,128,256}.png simulate.ico
