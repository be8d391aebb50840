"""The commands that need no window: ``simulate-batch run FILE``, or ``python -m simulate run FILE``.

The worker for FMUs is one of them: a process of its own runs their code.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import sysconfig

from . import _native


def main() -> int:
    """Run the command of the arguments and return its exit code."""
    # Python's own handler would only note that Ctrl+C was pressed.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.batch(["simulate-batch", *sys.argv[1:]])


def worker_program() -> str | None:
    """Return the program that runs the code of FMUs: the script beside this Python, or one on the path."""
    beside = os.path.join(sysconfig.get_path("scripts"), "simulate-batch")
    if os.path.exists(beside):
        return beside
    return shutil.which("simulate-batch") or shutil.which("simulate")


if __name__ == "__main__":
    sys.exit(main())
