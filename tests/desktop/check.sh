#!/usr/bin/env bash
# The files that a desktop reads: valid by the desktop's own tools, and the file types found by content and by name.
set -euo pipefail
cd "$(dirname "$0")/../.."
id=org.simulate.Simulate

desktop-file-validate "assets/desktop/$id.desktop"
appstreamcli validate --no-net "assets/desktop/$id.metainfo.xml"

# update-mime-database answers 0 whatever it reads, so the types are asked for afterwards.
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
export XDG_DATA_HOME=$data
mkdir -p "$data/mime/packages" "$data/applications" "$data/bin"
cp "assets/desktop/$id.mime.xml" "$data/mime/packages/$id.xml"
cp "assets/desktop/$id.desktop" "$data/applications/"
update-mime-database "$data/mime"
update-desktop-database "$data/applications"

type_of() { gio info --attributes=standard::content-type "$1" | sed -n 's/.*content-type: //p'; }
expect() {
    [ "$(type_of "$1")" = "$2" ] || { echo "$1 is $(type_of "$1"), not $2"; exit 1; }
}
cp assets/examples/lorenz.simx "$data/by-name.simx"
expect "$data/by-name.simx" application/x-simulate+xml
cp assets/examples/lorenz.simx "$data/by-content"
expect "$data/by-content" application/x-simulate+xml
printf 'SIMB\1\0' > "$data/binary"
expect "$data/binary" application/x-simulate-binary
printf 'simulation Main\n' > "$data/text"
expect "$data/text" text/x-simulate
printf '<html/>' > "$data/other"
[ "$(type_of "$data/other")" != application/x-simulate+xml ]
# An entry whose program is not there is not offered.
install -m 755 /dev/null "$data/bin/simulate"
export PATH=$data/bin:$PATH
gio mime application/x-simulate+xml | grep "$id.desktop" > /dev/null
echo "the desktop's files are valid"
