# What the scripts of this folder share: a display of its own, the program in it, and what is seen on it. A script sets
# `program` and `name`, and sources this.

top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
pictures=${PICTURES:-$work}
mkdir -p "$pictures"
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    printf '%s: %s\n' "$name" "$*" >&2
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

Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset 3> "$work/display" 2> /dev/null &
display_is_known() { [ "$(wc -l < "$work/display" 2> /dev/null || echo 0)" -ge 1 ]; }
until_true display_is_known || fail "Xvfb does not start"
export DISPLAY=:$(cat "$work/display") LIBGL_ALWAYS_SOFTWARE=1 SIMULATE_CONFIG_DIR=$work/config
unset WAYLAND_DISPLAY

# Opens a file in a window of the whole display. Sets `window` and `pid`.
open_window() {
    local title=$(basename "$1")
    "$program" "$1" > "$work/log" 2>&1 &
    pid=$!
    find_window() { window=$(xdotool search --onlyvisible --name "$title" 2> /dev/null | head -1) && [ -n "$window" ]; }
    until_true find_window || fail "no window with the file's name in its title"
}
fill_display() { xdotool windowsize "$window" 1280 800 windowmove "$window" 0 0 windowfocus "$window"; }

# Pixels of the canvas or the plot as "x y red green blue", from a picture of the screen.
canvas=780x420+225+105
plot=780x220+225+560
pixels() { import -window root -crop "$1" +repage -depth 8 txt:- | sed -nE 's/^([0-9]+),([0-9]+): \(([0-9]+),([0-9]+),([0-9]+).*/\1 \2 \3 \4 \5/p'; }

# The middle of the one green block, the step at the left; nothing while there is none.
green_block() { pixels $canvas | awk '$4 > $3 + 9 && $5 < $4 + 6 { x += $1; y += $2; n++ } END { if (n > 400) printf "%d %d\n", 225 + x / n, 105 + y / n }'; }
block_is_there() { place=$(green_block) && [ -n "$place" ]; }

drag_down() {
    xdotool mousemove "$1" "$2" mousedown 1
    for shift in 10 20 30 40 50 60; do xdotool mousemove "$1" $(($2 + shift)); sleep 0.05; done
    xdotool mouseup 1
}
