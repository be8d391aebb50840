#!/usr/bin/env bash
# Drives the program in a real window on a display of its own: opens an example, runs it, drags a block, saves, undoes,
# saves. Fails where the picture or the saved file is not as it should be, and leaves the pictures in $PICTURES.
#
# usage: tests/window/check.sh target/release/simulate
# needs: xvfb, xdotool, imagemagick and a software renderer (see .ci/run)
set -euo pipefail

program=$(realpath "$1") name="window check"
source "$(dirname "$0")/common.sh"
file=$work/dc_motor.simx
cp "$top/assets/examples/dc_motor.simx" "$file"

begin=$(date +%s%N)
open_window "$file"
printf 'window check: the window is there after %d ms\n' $((($(date +%s%N) - begin) / 1000000))
fill_display

until_true block_is_there || { import -window root "$pictures/no_block.png"; fail "the example's diagram is not drawn"; }
read -r x y <<< "$place"
import -window root "$pictures/opened.png"

orange() { pixels $plot | awk '$3 > 180 && $4 < $3 - 40 && $5 < $4 - 20 { n++ } END { print n + 0 }'; }
[ "$(orange)" -lt 40 ] || fail "there is a curve before the run"
xdotool key F5
curve_is_there() { [ "$(orange)" -gt 200 ]; }
until_true curve_is_there || { import -window root "$pictures/no_curve.png"; fail "the run draws no curve"; }
import -window root "$pictures/run.png"

drag_down "$x" "$y"
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

# A signal, as at a logout, keeps what is not saved.
open_window "$file"
fill_display
until_true block_is_there || fail "the example's diagram is not drawn again"
read -r x y <<< "$place"
drag_down "$x" "$y"
is_edited() { xdotool search --onlyvisible --name 'dc_motor\.simx\*' > /dev/null 2>&1; }
until_true is_edited || { import -window root "$pictures/not_edited.png"; fail "the dragged block does not change the document"; }
kill -TERM "$pid"
until_true is_closed || fail "SIGTERM does not close the window"
copy=$(find "$work" -path '*recovery/*.simx' | head -1)
[ -n "$copy" ] || fail "SIGTERM loses unsaved work"
! cmp -s "$copy" "$file" || fail "SIGTERM keeps an old copy"
grep -qx 'The unsaved work was kept and is offered at the next start' "$work/log" || fail "SIGTERM says nothing of the copy"
grep -vx 'The unsaved work was kept and is offered at the next start' "$work/log" > "$work/rest" || true
mv "$work/rest" "$work/log"
[ ! -s "$work/log" ] || { cat "$work/log" >&2; fail "the program complained"; }
printf 'window check: opened, ran, dragged, saved, undone, closed; ended by a signal without a loss\n'
