#!/usr/bin/env bash
# Drives the program in a real window on a display of its own: opens an example, runs it, drags a block, saves, undoes,
# saves. Fails where the picture or the saved file is not as it should be, and leaves the pictures in $PICTURES.
#
# usage: tests/window/check.sh target/release/simulate
# needs: xvfb, xdotool, imagemagick and a software renderer (see .ci/run)
set -euo pipefail

program=$(realpath "$1")
top=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
pictures=${PICTURES:-$work}
mkdir -p "$pictures"
file=$work/dc_motor.simx
cp "$top/assets/examples/dc_motor.simx" "$file"
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    printf 'window check: %s\n' "$*" >&2
    [ -s "$work/log" ] && cat "$work/log" >&2
    exit 1
}

# Repeats a command until it succeeds, for 20 seconds at most.
until_true() {
    for _ in $(seq 100); do
        "$@" && return 0
        sleep 0.2
    done
    return 1
}

Xvfb -displayfd 3 -screen 0 1280x800x24 3> "$work/display" 2> /dev/null &
display_is_known() { [ "$(wc -l < "$work/display" 2> /dev/null || echo 0)" -ge 1 ]; }
until_true display_is_known || fail "Xvfb does not start"
export DISPLAY=:$(cat "$work/display") LIBGL_ALWAYS_SOFTWARE=1 SIMULATE_CONFIG_DIR=$work/config
unset WAYLAND_DISPLAY

begin=$(date +%s%N)
"$program" "$file" > "$work/log" 2>&1 &
window=
find_window() { window=$(xdotool search --onlyvisible --name 'dc_motor.simx' 2> /dev/null | head -1) && [ -n "$window" ]; }
until_true find_window || fail "no window with the file's name in its title"
printf 'window check: the window is there after %d ms\n' $((($(date +%s%N) - begin) / 1000000))
xdotool windowsize "$window" 1280 800 windowmove "$window" 0 0 windowfocus "$window"

# Pixels of the canvas or the plot as "x y red green blue", from a picture of the screen.
canvas=780x420+225+105
plot=780x220+225+560
pixels() { import -window root -crop "$1" +repage -depth 8 txt:- | sed -nE 's/^([0-9]+),([0-9]+): \(([0-9]+),([0-9]+),([0-9]+).*/\1 \2 \3 \4 \5/p'; }

# The middle of the one green block, the step at the left; nothing while there is none.
green_block() { pixels $canvas | awk '$4 > $3 + 9 && $5 < $4 + 6 { x += $1; y += $2; n++ } END { if (n > 400) printf "%d %d\n", 225 + x / n, 105 + y / n }'; }
block_is_there() { place=$(green_block) && [ -n "$place" ]; }
until_true block_is_there || { import -window root "$pictures/no_block.png"; fail "the example's diagram is not drawn"; }
read -r x y <<< "$place"
import -window root "$pictures/opened.png"

orange() { pixels $plot | awk '$3 > 180 && $4 < $3 - 40 && $5 < $4 - 20 { n++ } END { print n + 0 }'; }
[ "$(orange)" -lt 40 ] || fail "there is a curve before the run"
xdotool key F5
curve_is_there() { [ "$(orange)" -gt 200 ]; }
until_true curve_is_there || { import -window root "$pictures/no_curve.png"; fail "the run draws no curve"; }
import -window root "$pictures/run.png"

xdotool mousemove "$x" "$y" mousedown 1
for shift in 10 20 30 40 50 60; do xdotool mousemove "$x" $((y + shift)); sleep 0.05; done
xdotool mouseup 1
import -window root "$pictures/dragged.png"
save_changes() { xdotool key ctrl+s; sleep 0.3; ! cmp -s "$1" "$file"; }
until_true save_changes "$top/assets/examples/dc_motor.simx" || fail "the block was dragged and saved, but the file is as it was"
lines=$(diff "$top/assets/examples/dc_motor.simx" "$file" | grep '^>' || true)
[ "$(wc -l <<< "$lines")" = 1 ] || fail "one block was dragged, but other lines changed too: $lines"
grep -q '<block id="0" .*view:y=' <<< "$lines" || fail "another line changed than the block's: $lines"

cp "$file" "$work/moved.simx"
xdotool key ctrl+z
until_true save_changes "$work/moved.simx" || { import -window root "$pictures/not_undone.png"; fail "the drag was undone and saved, but the file is as it was"; }
cmp "$top/assets/examples/dc_motor.simx" "$file" || fail "after undo the file is not the one that was opened"
import -window root "$pictures/undone.png"

xdotool key ctrl+q
is_closed() { ! xdotool search --onlyvisible --name 'dc_motor.simx' > /dev/null 2>&1; }
until_true is_closed || fail "the window does not close"
[ ! -s "$work/log" ] || { cat "$work/log" >&2; fail "the program complained"; }
printf 'window check: opened, ran, dragged, saved, undone, closed\n'
