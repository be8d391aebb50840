"""How a run is timed: the same for our program and for every peer."""

from collections.abc import Callable

MOST_STEPS = 200_000_000


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
    pairs = [(seconds(steps), seconds(short)) for _ in range(repeats)]
    longest, shortest = (min(pair[i] for pair in pairs) for i in (0, 1))
    return (longest - shortest) / (steps - short) * 1e9
