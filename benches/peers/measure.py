"""How a run is timed: the same for our program and for every peer."""

import time
from collections.abc import Callable

MOST_STEPS = 50_000_000
PATIENCE = 20.0  # s after which nothing is repeated any more


def least(work: Callable[[], float], repeats: int) -> float:
    """The least of `repeats` results, or of as many as come in PATIENCE seconds."""
    start = time.perf_counter()
    results = [work()]
    while len(results) < repeats and time.perf_counter() - start < PATIENCE:
        results.append(work())
    return min(results)


def marginal(seconds: Callable[[int], float], target: float, repeats: int, most: int = MOST_STEPS) -> float:
    """Nanoseconds a further step costs: the difference of two run lengths, each the least of `repeats` runs.

    `seconds(steps)` runs from the start state and gives the time in seconds. The long run is made at least half of
    `target` seconds longer than a run of ten steps, so that noise does not pass for a cost; a run of ten steps comes
    first to warm caches up and compile what is compiled once.
    """
    short, steps = 10, 20
    seconds(short)
    shortest = least(lambda: seconds(short), repeats)
    while True:
        gained = seconds(steps) - shortest
        if gained >= target or steps >= most:
            gained = least(lambda: seconds(steps), repeats) - shortest
        if gained >= 0.5 * target or steps >= most:
            return gained / (steps - short) * 1e9
        steps = min(most, int(steps * min(10.0, max(1.5, 1.2 * target / max(gained, 1e-6)))))
