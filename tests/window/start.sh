#!/usr/bin/env bash
# Starts the program in a real window where something is wrong with its surroundings: it must come up and open a file, or
# say plainly why not. Fails where it does neither.
#
# usage: tests/window/start.sh target/release/simulate
# needs: xvfb, xdotool and a software renderer; a full disk and a read-only folder are tried if the user may mount
set -euo pipefail

program=$(realpath "$1")
top=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
file=$work/dc_motor.simx
cp "$top/assets/examples/dc_motor.simx" "$file"
mounts=()
trap 'kill $(jobs -p) 2> /dev/null || true; for mount in "${mounts[@]}"; do umount "$mount"; done; rm -rf "$work"' EXIT

fail() {
    printf 'start check: %s\n' "$*" >&2
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
export DISPLAY=:$(cat "$work/display") LIBGL_ALWAYS_SOFTWARE=1
unset WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS SIMULATE_CONFIG_DIR XDG_CONFIG_HOME

find_window() { xdotool search --onlyvisible --name 'dc_motor.simx' > /dev/null 2>&1; }
no_window() { ! find_window; }

# Opens the file with these variables; it must be shown. Then it is closed, which must not fail either.
opens() {
    local what=$1
    shift
    env "$@" "$program" --new-window "$file" > "$work/log" 2>&1 &
    local started=$!
    until_true find_window || fail "$what: the file is not shown"
    xdotool search --onlyvisible --name 'dc_motor.simx' windowfocus --sync key --clearmodifiers ctrl+q > /dev/null
    until_true no_window || { xdotool key ctrl+q; until_true no_window || fail "$what: the window does not close"; }
    wait "$started" || fail "$what: the exit code is $?"
    grep -q 'panicked' "$work/log" && fail "$what: it panicked"
    printf 'start check: %s: opened and closed\n' "$what"
}

# Starts with these variables; it must end with a failure and this text.
refuses() {
    local what=$1 text=$2 code=0
    shift 2
    env "$@" timeout 30 "$program" --new-window "$file" > "$work/log" 2>&1 || code=$?
    [ "$code" = 1 ] || fail "$what: the exit code is $code, not 1"
    grep -q -- "$text" "$work/log" || fail "$what: the message does not say “$text”"
    printf 'start check: %s: said\n' "$what"
}

mkdir -p "$work/garbage" "$work/wrong"
printf 'garbage' > "$work/garbage/settings.json"
printf '{"text_size": "large", "window": -3, "recent": 7}' > "$work/wrong/settings.json"
opens "settings that are no settings" SIMULATE_CONFIG_DIR="$work/garbage"
[ "$(cat "$work/garbage/settings.json.broken")" = garbage ] || fail "the damaged settings are not kept"
opens "settings of wrong types" SIMULATE_CONFIG_DIR="$work/wrong"
[ -s "$work/wrong/settings.json.broken" ] || fail "the damaged settings are not kept"
printf 'a file' > "$work/file"
opens "a file in place of the settings folder" SIMULATE_CONFIG_DIR="$work/file"
[ "$(cat "$work/file")" = "a file" ] || fail "the file in place of the settings folder was changed"
# Without this variable the home of the account would be used, which is not ours to change.
opens "no HOME" -u HOME XDG_CONFIG_HOME="$work/xdg"
opens "a HOME that is not there and cannot be made" HOME=/dev/null/home
opens "no portal and no bus" DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere SIMULATE_CONFIG_DIR="$work/config"

# A disk of 4 KB is full with the first settings; then one that cannot be written at all.
mkdir "$work/full" "$work/sealed"
if mount -t tmpfs -o size=4k tmpfs "$work/full" 2> /dev/null; then
    mounts+=("$work/full")
    head -c 4096 /dev/zero > "$work/full/filler" || true
    opens "a full disk" SIMULATE_CONFIG_DIR="$work/full"
    mount -t tmpfs -o ro tmpfs "$work/sealed"
    mounts+=("$work/sealed")
    opens "a read-only settings folder" SIMULATE_CONFIG_DIR="$work/sealed/simulate"
    opens "a read-only home" HOME="$work/sealed"
else
    printf 'start check: a full disk and a read-only folder are not tried: no right to mount\n'
fi

refuses "no display" "The window cannot be opened" -u DISPLAY SIMULATE_CONFIG_DIR="$work/config"
refuses "no OpenGL" "graphics driver" SIMULATE_CONFIG_DIR="$work/config" LIBGL_DRIVERS_PATH=/nowhere \
    GALLIUM_DRIVER=none __EGL_VENDOR_LIBRARY_FILENAMES=/nowhere.json
printf 'start check: all of it passed\n'
