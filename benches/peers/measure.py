"""How a run is timed: the same for our program and for every peer."""

import time
from collections.abc import Callable

MOST_STEPS = 200_000_000
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

    `seconds(steps)` runs from the start state and gives the time in seconds. The long run is made about `target`
    seconds longer than a run of ten steps, two of which come first to warm caches up and compile what is compiled once.
    """
    short, steps = 10, 20
    base = min(seconds(short), seconds(short))
    while True:
        took = seconds(steps) - base
        if took >= target or steps >= most:
            break
        steps = min(most, int(steps * min(10.0, max(1.5, 1.2 * target / max(took, 1e-6)))))
    shortest = least(lambda: seconds(short), repeats)
    longest = least(lambda: seconds(steps), repeats)
    return (longest - shortest) / (steps - short) * 1e9
