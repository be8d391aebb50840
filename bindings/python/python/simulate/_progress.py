"""Progress of runs and sweeps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Union

Progress = Union[bool, Callable[[int, int], object], None]


def callback(progress: Progress) -> Callable[[int, int], object] | None:
    """Return the function that is called with ``(done, count)``; ``True`` is a bar on standard error."""
    if progress is None or progress is False:
        return None
    return bar if progress is True else progress


def bar(done: int, count: int) -> None:
    """Draw a bar on standard error."""
    share = done / count if count else 1.0
    full = round(40 * share)
    end = "\n" if done >= count else ""
    sys.stderr.write(f"\r[{'█' * full}{' ' * (40 - full)}] {done:,} of {count:,}{end}")
    sys.stderr.flush()
