#!/bin/sh
# Reviews what a branch changes in simulations: review.sh BASE HEAD FOLDER writes to the folder, which may be missing,
#   review.md    what changed in each simulation, line by line, and what the checks say
#   *.html       both diagrams side by side, one page for each simulation
#   *.svg        the diagrams as they are now
# It ends with code 1 if a simulation has errors or is not in canonical form. HEAD must be checked out.
set -eu
simulate=${SIMULATE:-simulate}
base=$(git merge-base "$1" "$2")
head=$2
mkdir -p "$3"
out=$(cd "$3" && pwd)
cd "$(git rev-parse --show-toplevel)"
failed=0
{
    echo "## Simulations"
    changed=$(git diff --name-only --no-renames "$base" "$head" -- '*.simx')
    [ -n "$changed" ] || printf '\nNone has changed.\n'
    IFS='
'
    for file in $changed; do
        name=$(printf '%s' "${file%.simx}" | tr -c 'A-Za-z0-9._-' '_')
        before="$base:$file"
        git cat-file -e "$before" 2> /dev/null || before=/dev/null
        printf '\n### %s\n\n' "$file"
        if [ ! -f "$file" ]; then
            echo "It was deleted."
            continue
        fi
        printf '```diff\n'
        # Code 1 is a difference.
        "$simulate" diff "$before" "$file" --html "$out/$name.html" || [ $? = 1 ]
        printf '```\n\n'
        echo "Both diagrams side by side are in the artefact \`$name.html\`."
        # A simulation with errors may have no diagram.
        if "$simulate" picture "$file" --out "$out/$name.svg" > /dev/null 2>&1; then
            echo "The diagram as it is now is in \`$name.svg\`."
        fi
        if ! "$simulate" check "$file" > "$out/check.txt" 2>&1; then
            failed=1
            printf '\n```text\n'
            cat "$out/check.txt"
            printf '```\n'
        fi
        if ! "$simulate" fmt --check "$file" > /dev/null; then
            failed=1
            printf '\nIt is not in canonical form: `simulate fmt "%s"` writes it so.\n' "$file"
        fi
    done
} > "$out/review.md"
rm -f "$out/check.txt"
exit "$failed"
