"""Statistics of samples: NumPy 2 and rational arithmetic."""

from fractions import Fraction

import numpy as np
from trace import CONTROL, Table, edges

table = Table(__file__, 2032)
u = table.noise(40)
two = np.stack([u, table.noise(40) + 1e6], axis=1)


def windows(u, length, initial=None):
    """The samples of each step, from the oldest on: as many as there are, or filled up with an initial value."""
    if initial is None:
        return [u[max(0, k + 1 - length) : k + 1] for k in range(len(u))]
    filled = np.concatenate([np.broadcast_to(initial, (length - 1, *np.shape(u)[1:])), u])
    return [filled[k : k + length] for k in range(len(u))]


rms = lambda window: np.sqrt(np.mean(np.square(window), axis=0))
mean = lambda window: np.mean(window, axis=0)
for block, statistic in {"Moving Average": mean, "Moving RMS": rms}.items():
    for length in [1, 2, 7, 60]:
        table.trace(f"Statistics/{block}", f"numpy, {statistic.__name__}", [u], [[statistic(w) for w in windows(u, length)]],
                    Window=str(length))
        table.trace(f"Statistics/{block}", f"numpy, with an initial value", [two],
                    [[statistic(w) for w in windows(two, length, [-0.5, 1e6])]],
                    {"Window": str(length), "Start": "initial value", "Initial Value": [-0.5, 1e6]})
# Neither a large value nor what it has rounded away stays behind when it has left the window.
spike = np.concatenate([[1.0, 1e17, -3.0], u[:20]])
table.trace("Statistics/Moving Average", "rational arithmetic",
            [spike], [[float(sum(map(Fraction, w)) / len(w)) for w in windows(spike, 3)]], Window="3", tolerance=1e-15)
# Squares that no double can hold.
table.trace("Statistics/Moving RMS", "numpy, scaled", [u * 1e200], [[rms(w) * 1e200 for w in windows(u, 5)]], Window="5")


def since(u, resets):
    """The samples of each step since the start or the last reset."""
    first = 0
    for k in range(len(u)):
        first = k if resets[k] else first
        yield u[first : k + 1]


none = np.zeros(len(u), dtype=bool)
table.trace("Statistics/Running Mean", "numpy.mean", [two], [[mean(w) for w in since(two, none)]])
table.trace("Statistics/Running Variance", "numpy.var, ddof=1", [two],
            [[np.var(w, axis=0, ddof=min(len(w) - 1, 1)) for w in since(two, none)]], tolerance=1e-9)
table.trace("Statistics/Running Variance", "numpy.std", [two], [[np.std(w, axis=0) for w in since(two, none)]],
            Statistic="standard deviation", Of="population", tolerance=1e-9)


def exact_variance(samples):
    samples = [Fraction(float(value)) for value in samples]
    mean = sum(samples) / len(samples)
    return float(sum((value - mean) ** 2 for value in samples) / max(len(samples) - 1, 1))


# The sum of squares minus the square of the sum would not have one right digit here.
far = u + 1e9
table.trace("Statistics/Running Variance", "rational arithmetic, far from zero", [far],
            [[exact_variance(w) for w in since(far, none)]], tolerance=1e-7)
short = u[: len(CONTROL)]
for kind in ["rising", "falling", "either", "level"]:
    resets = edges(kind, CONTROL)
    table.trace("Statistics/Running Mean", "numpy.mean since the last reset", [short, CONTROL],
                [[mean(w) for w in since(short, resets)]], Reset=kind)
    table.trace("Statistics/Running Variance", "numpy.var since the last reset", [short, CONTROL],
                [[np.var(w, ddof=min(len(w) - 1, 1)) for w in since(short, resets)]], Reset=kind, tolerance=1e-11)
    table.trace("Statistics/Histogram", "numpy.histogram since the last reset", [short, CONTROL],
                [[np.histogram(w, 4, (-2, 2))[0] for w in since(short, resets)]],
                {"Bins": "4", "Lower Limit": -2, "Upper Limit": 2, "Reset": kind}, tolerance=0)

# Values on the edges, which are no short binary fractions, belong to the bin above, those on the last edge to the last.
bins, low, high = 7, -1.3, 2.2
on_edges = np.concatenate([np.histogram_bin_edges([], bins, (low, high)), u])
for normalization in ["count", "probability", "density"]:
    def counted(values, limits=(low, high)):
        counts, ends = np.histogram(values, bins, limits)
        if normalization == "count":
            return counts
        return counts / counts.sum() / (np.diff(ends) if normalization == "density" else 1.0)

    options = {"Bins": str(bins), "Lower Limit": low, "Upper Limit": high, "Normalization": normalization}
    table.trace("Statistics/Histogram", "numpy.histogram", [on_edges],
                [[counted(on_edges[: k + 1]) for k in range(len(on_edges))]], options, tolerance=1e-14)
    vectors = table.rng.normal(size=(10, 30))
    table.trace("Statistics/Histogram", "numpy.histogram of each vector, clipped", [vectors],
                [[counted(np.clip(v, low, high)) for v in vectors]], {**options, "Running": "0", "Outside": "end bins"},
                tolerance=1e-14)
    table.trace("Statistics/Histogram", "numpy.histogram of vectors", [vectors],
                [[counted(vectors[: k + 1]) for k in range(len(vectors))]], options, tolerance=1e-14)

table.write()
