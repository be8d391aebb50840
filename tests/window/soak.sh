#!/usr/bin/env bash
# Runs a simulation at full speed in a real window for some time, with its curves shown, edits it meanwhile, and opens
# two files in turns. Fails where memory grows after the first third of the time beyond what recordings may take, or where
# threads or handles are left.
#
# usage: tests/window/soak.sh target/release/simulate [MINUTES]
# needs: as check.sh
set -euo pipefail

program=$(realpath "$1") name="soak" minutes=${2:-30}
source "$(dirname "$0")/common.sh"

# A run that does not end by itself, and a recording that is full soon.
mkdir -p "$work/config"
runs=64 past=16
printf '{"runs_megabytes": %d, "past_megabytes": %d}' $runs $past > "$work/config/settings.json"
for file in one two; do
    sed 's/steps="3000"/steps="2000000000"/' "$top/assets/examples/dc_motor.simx" > "$work/$file.simx"
done
samples=$pictures/soak.txt
: > "$samples"

open_window "$work/one.simx"
fill_display

title_is() { xdotool getwindowname "$window" 2> /dev/null | grep -q "$1"; }
# On a busy machine a frame may last longer than the script waits between two inputs.
saves() { cat "$work"/config/logs/*.log | grep -c "saved a file" || true; }
is_saved_since() { [ "$(saves)" -gt "$1" ]; }
save() {
    local before=$(saves)
    xdotool key ctrl+s
    until_true is_saved_since "$before" || fail "the file is not saved"
}
kilobytes() { echo $(($(cut -d' ' -f2 "/proc/$pid/statm") * 4)); }
measure() {
    [ -d "/proc/$pid" ] || fail "the program has ended"
    printf '%d %d %d %d\n' "$SECONDS" "$(kilobytes)" \
        "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" "$(find "/proc/$pid/fd" -mindepth 1 | wc -l)" >> "$samples"
}

until_true block_is_there || fail "the diagram is not drawn"
# On a busy machine runs are short, and it takes several until recordings are full.
full=$(($(kilobytes) + (runs + past + 32) * 1024))
end=$((SECONDS + $(awk "BEGIN { print int($minutes * 60) }")))
cycles=0 edits=0
while [ $SECONDS -lt $end ]; do
    until_true block_is_there || fail "the diagram is not drawn"
    read -r x y <<< "$place"
    xdotool key F5
    for _ in 1 2 3 4; do
        drag_down "$x" "$y"
        xdotool key ctrl+z
        edits=$((edits + 2))
        # The plot: nearer, along, and back.
        xdotool mousemove 600 660 click --repeat 3 4 mousedown 1 mousemove 500 660 mouseup 1 click --repeat 3 5
        sleep 0.3
    done
    xdotool key shift+F5
    sleep 0.5
    measure
    save
    # The other document, which drops the first one whole.
    next=one
    [ $((cycles % 2)) = 0 ] && next=two
    "$program" "$work/$next.simx"
    until_true title_is "$next.simx" || { import -window root "$pictures/soak.png"; fail "$next.simx is not opened"; }
    cycles=$((cycles + 1))
done
import -window root "$pictures/soak.png"

# Columns: seconds, kilobytes, threads, handles. The last third may not be above the one before it.
awk -v cycles="$cycles" -v edits="$edits" -v full="$full" '
    { at[NR] = $1; memory[NR] = $2; threads[NR] = $3; handles[NR] = $4 }
    function most(values, from, to,  i, found) { for (i = from; i <= to; i++) if (values[i] > found) found = values[i]; return found }
    END {
        first = int(NR / 3) + 1; second = int(2 * NR / 3) + 1
        before = most(memory, first, second - 1); after = most(memory, second, NR)
        printf "soak: %d s, %d runs, %d edits; memory %.1f MB with full recordings at most, %.1f MB after the first run, %.1f MB at most in the second third, %.1f MB in the last; threads %d and %d, handles %d and %d\n",
            at[NR] - at[1], cycles, edits, full / 1024, memory[1] / 1024, before / 1024, after / 1024,
            most(threads, first, second - 1), most(threads, second, NR), most(handles, first, second - 1), most(handles, second, NR)
        if (after > 1.05 * before + 16384 && after > full) { print "soak: memory grows"; exit 1 }
        if (most(threads, second, NR) > most(threads, first, second - 1) + 2) { print "soak: threads are left"; exit 1 }
        if (most(handles, second, NR) > most(handles, first, second - 1) + 4) { print "soak: handles are left"; exit 1 }
    }' "$samples" || fail "see above"
[ ! -s "$work/log" ] || fail "the program complained"
