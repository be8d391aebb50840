#!/usr/bin/env python3
"""Breaks the program one line at a time and looks whether the tests notice.

    tests/mutants/run.py [WORD...]

Each line of list.txt is a mutant: a file, a text that stands in it once, what stands there instead, and the tests that
must then fail (filters as `cargo test` takes them), separated by ` ;; `. With words, only mutants whose line holds one
of them are run. A mutant lives when its tests pass; survivors.md says why one may. Exit status 1 where a mutant lives
that is not explained there, or a line does not fit the source any more.

The tree stays as it is: all happens in a copy below target/mutants, which MUTANTS_DIR puts elsewhere.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = pathlib.Path(os.environ.get("MUTANTS_DIR", ROOT / "target" / "mutants"))
TREE = WORK / "tree"
SEPARATOR = " ;; "
# A mutant that never ends is found out too.
LONGEST = 600


def copy_tree():
    """Files that did not change keep their times, so that nothing is built twice."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        to, content = TREE / name, (ROOT / name).read_bytes()
        if not to.is_file() or to.read_bytes() != content:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(content)
            shutil.copymode(ROOT / name, to)
    for path in list(TREE.rglob("*")):
        if path.is_file() and str(path.relative_to(TREE)) not in wanted:
            path.unlink()


def cargo(*words):
    """The exit status and the output; None for a status where it took too long."""
    env = dict(os.environ, CARGO_TARGET_DIR=str(WORK / "build"), CARGO_PROFILE_DEV_DEBUG="0")
    job = subprocess.Popen(["cargo", "test", "--no-default-features", "--test", "tests", *words], cwd=TREE, env=env,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = job.communicate(timeout=LONGEST)[0]
        return job.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        return None, job.communicate()[0].decode(errors="replace")


def run(line):
    """What became of a mutant: killed, lives, or why it is none."""
    name, find, instead, tests = line.split(SEPARATOR)
    path = TREE / name
    before = path.read_text()
    if before.count(find) != 1:
        return f"does not fit: {before.count(find)} places"
    path.write_text(before.replace(find, instead))
    try:
        status, output = cargo("--no-run")
        if status != 0:
            return "does not compile\n" + output
        status, output = cargo("--", *tests.split())
        if status == 0:
            return "does not fit: no such test" if "test result: ok. 0 passed" in output else "lives"
        failed = [line for line in output.splitlines() if line.startswith("test ") and line.endswith("FAILED")]
        return "killed: " + (failed[0].split()[1] + f" and {len(failed) - 1} more" if failed else "by its end")
    finally:
        path.write_text(before)


def main():
    words = sys.argv[1:]
    lines = [line for line in (HERE / "list.txt").read_text().splitlines() if line and not line.startswith("#")]
    explained = (HERE / "survivors.md").read_text()
    copy_tree()
    bad = 0
    for line in lines:
        if words and not any(word in line for word in words):
            continue
        begin = time.monotonic()
        found = run(line)
        file, find, instead, _ = line.split(SEPARATOR)
        is_explained = found == "lives" and f"`{find}` → `{instead}`" in explained
        bad += not (found.startswith("killed") or is_explained)
        print(f"{found}{' (explained)' if is_explained else ''} | {file}: {find} → {instead}"
              f" | {time.monotonic() - begin:.0f} s", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
