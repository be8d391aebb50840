"""Writes lookup.json: the blocks of the group Lookup, by SciPy's interpolators."""

import numpy as np
from scipy import interpolate
from scipy.special import cosdg, sindg

from trace import Table

table = Table(__file__, 7002)
rng = table.rng


def named(block, origin, inputs, outputs, options, **more):
    table.trace(block, origin, inputs, outputs, options, **more)


# --- One dimension ----------------------------------------------------------------------------------------------------

x = np.array([-2.0, -1.5, -0.25, 0.5, 1.0, 3.0, 3.5])
t = np.array([1.0, 4.0, 4.0, -2.0, 0.5, 0.5, 7.0])
u = np.concatenate([np.linspace(-3, 4.5, 61), x])
clipped = np.clip(u, x[0], x[-1])
grid = {"Breakpoints": x, "Table": t}
named("Lookup/1-D Lookup Table", "numpy.interp", [u], [np.interp(u, x, t)], grid)
line = interpolate.interp1d(x, t, fill_value="extrapolate")
named(
    "Lookup/1-D Lookup Table", "scipy interp1d, extrapolated", [u], [line(u)], {**grid, "Extrapolation": "extrapolate"}
)
spline = interpolate.CubicSpline(x, t)
named("Lookup/1-D Lookup Table", "scipy CubicSpline", [u], [spline(clipped)], {**grid, "Interpolation": "spline"})
named(
    "Lookup/1-D Lookup Table",
    "scipy CubicSpline, extrapolated",
    [u],
    [spline(u)],
    {**grid, "Interpolation": "spline", "Extrapolation": "extrapolate"},
    tolerance=1e-11,
)
akima = interpolate.Akima1DInterpolator(x, t, method="makima")
named(
    "Lookup/1-D Lookup Table",
    "scipy Akima1DInterpolator makima",
    [u],
    [akima(clipped)],
    {**grid, "Interpolation": "makima"},
)
akima = interpolate.Akima1DInterpolator(x, t)
named("Lookup/1-D Lookup Table", "scipy Akima1DInterpolator", [u], [akima(clipped)], {**grid, "Interpolation": "akima"})
for count in [2, 3, 4]:
    cut = {"Breakpoints": x[:count], "Table": t[:count], "Interpolation": "spline"}
    inside = np.clip(u, x[0], x[count - 1])
    short = interpolate.CubicSpline(x[:count], t[:count])
    named("Lookup/1-D Lookup Table", f"scipy CubicSpline of {count}", [u], [short(inside)], cut)
below = np.clip(np.searchsorted(x, u, "right") - 1, 0, len(x) - 1)
named("Lookup/1-D Lookup Table", "numpy.searchsorted", [u], [t[below]], {**grid, "Interpolation": "flat"})
nearest = [t[np.flatnonzero(np.abs(x - v) == np.min(np.abs(x - v)))[-1]] for v in clipped]
named("Lookup/1-D Lookup Table", "numpy.argmin", [u], [nearest], {**grid, "Interpolation": "nearest"})

# --- Several dimensions -----------------------------------------------------------------------------------------------

x2 = np.array([0.0, 0.7, 1.0, 2.5, 4.0])
t2 = np.round(rng.normal(size=(len(x), len(x2))), 2)
u1, u2 = rng.uniform(-3, 4.5, 60), rng.uniform(-1, 5, 60)
c1, c2 = np.clip(u1, x[0], x[-1]), np.clip(u2, x2[0], x2[-1])
plane = {"Breakpoints 1": x, "Breakpoints 2": x2, "Table": t2}


def nested(axes, table, points, kind=interpolate.CubicSpline):
    """One dimension after the other."""
    values = []
    for point in zip(*points):
        cut = table
        for axis, at in zip(axes, point):
            cut = kind(axis, cut)(at)
        values.append(float(cut))
    return values


linear = interpolate.RegularGridInterpolator((x, x2), t2)
named("Lookup/2-D Lookup Table", "scipy RegularGridInterpolator", [u1, u2], [linear(np.stack([c1, c2], 1))], plane)
beyond = interpolate.RegularGridInterpolator((x, x2), t2, bounds_error=False, fill_value=None)
named(
    "Lookup/2-D Lookup Table",
    "scipy RegularGridInterpolator, extrapolated",
    [u1, u2],
    [beyond(np.stack([u1, u2], 1))],
    {**plane, "Extrapolation": "extrapolate"},
)
named(
    "Lookup/2-D Lookup Table",
    "scipy CubicSpline, nested",
    [u1, u2],
    [nested((x, x2), t2, (c1, c2))],
    {**plane, "Interpolation": "spline"},
    tolerance=1e-11,
)
x3 = np.array([-1.0, 0.0, 2.0])
t3 = np.round(rng.normal(size=(len(x), len(x2), len(x3))), 2)
u3 = rng.uniform(-2, 3, 60)
c3 = np.clip(u3, x3[0], x3[-1])
space = {"Sizes": [len(x), len(x2), len(x3)], "Breakpoints": np.concatenate([x, x2, x3]), "Table": t3}
linear = interpolate.RegularGridInterpolator((x, x2, x3), t3)
named(
    "Lookup/n-D Lookup Table", "scipy RegularGridInterpolator", [u1, u2, u3], [linear(np.stack([c1, c2, c3], 1))], space
)
named(
    "Lookup/n-D Lookup Table",
    "scipy CubicSpline, nested",
    [u1, u2, u3],
    [nested((x, x2, x3), t3, (c1, c2, c3))],
    {**space, "Interpolation": "spline"},
    tolerance=1e-11,
)
# The value below or the nearest one of each dimension; no point lies in the middle of two.
for kind in ["flat", "nearest"]:

    def place(axis, values):
        if kind == "flat":
            return np.clip(np.searchsorted(axis, values, "right") - 1, 0, len(axis) - 1)
        return np.argmin(np.abs(axis[:, None] - values[None, :]), axis=0)

    at = [place(axis, values) for axis, values in [(x, u1), (x2, u2), (x3, u3)]]
    named(
        "Lookup/2-D Lookup Table",
        f"indexing, {kind}",
        [u1, u2],
        [t2[at[0], at[1]]],
        {**plane, "Interpolation": kind},
        tolerance=0,
    )
    named(
        "Lookup/n-D Lookup Table",
        f"indexing, {kind}",
        [u1, u2, u3],
        [t3[at[0], at[1], at[2]]],
        {**space, "Interpolation": kind},
        tolerance=0,
    )
beyond = interpolate.RegularGridInterpolator((x, x2, x3), t3, bounds_error=False, fill_value=None)
named(
    "Lookup/n-D Lookup Table",
    "scipy RegularGridInterpolator, extrapolated",
    [u1, u2, u3],
    [beyond(np.stack([u1, u2, u3], 1))],
    {**space, "Extrapolation": "extrapolate"},
)

# --- Tables in parts --------------------------------------------------------------------------------------------------

u = np.concatenate([rng.uniform(-4, 5, 40), x])
for outside in ["clip", "extrapolate"]:
    below = np.clip(np.searchsorted(x, u, "right") - 1, 0, len(x) - 2)
    fraction = (u - x[below]) / np.diff(x)[below]
    fraction = np.clip(fraction, 0, 1) if outside == "clip" else fraction
    named(
        "Lookup/Prelookup",
        f"numpy.searchsorted, {outside}",
        [u],
        [below, fraction],
        {"Breakpoints": x, "Extrapolation": outside},
    )
i1, i2 = rng.integers(0, len(x) - 1, 40), rng.integers(0, len(x2) - 1, 40)
f1, f2 = rng.uniform(0, 1, 40), rng.uniform(0, 1, 40)
grid = interpolate.RegularGridInterpolator((np.arange(len(x)), np.arange(len(x2))), t2)
options = {"Sizes": [len(x), len(x2)], "Table": t2}
named(
    "Lookup/Interpolation Using Prelookup",
    "scipy RegularGridInterpolator",
    [i1, f1, i2, f2],
    [grid(np.stack([i1 + f1, i2 + f2], 1))],
    options,
)
named(
    "Lookup/Interpolation Using Prelookup",
    "indexing",
    [i1, f1, i2, f2],
    [t2[i1, i2]],
    {**options, "Interpolation": "flat"},
    tolerance=0,
)
named(
    "Lookup/Interpolation Using Prelookup",
    "indexing",
    [i1, f1, i2, f2],
    [t2[i1 + (f1 > 0.5), i2 + (f2 > 0.5)]],
    {**options, "Interpolation": "nearest"},
    tolerance=0,
)

# Breakpoints and values that change from step to step.
knots = np.sort(rng.uniform(-3, 3, (40, 5)), axis=1)
values = np.round(rng.normal(size=(40, 5)), 2)
u = rng.uniform(-4, 4, 40)
inside = np.clip(u, knots[:, 0], knots[:, -1])
below = [np.clip(np.searchsorted(k, v, "right") - 1, 0, 3) for k, v in zip(knots, u)]
step = np.arange(40)
near = np.argmin(np.abs(knots - inside[:, None]), axis=1)
first = [np.clip(np.searchsorted(k, v, "right") - 1, 0, 4) for k, v in zip(knots, inside)]
last = [np.clip(np.searchsorted(k, v, "left"), 0, 4) for k, v in zip(knots, inside)]
for kind, origin, want in [
    (
        "linear",
        "scipy interp1d, extrapolated",
        [float(interpolate.interp1d(k, t, fill_value="extrapolate")(v)) for k, t, v in zip(knots, values, u)],
    ),
    ("linear within", "numpy.interp", [np.interp(v, k, t) for k, t, v in zip(knots, values, u)]),
    ("nearest", "numpy.argmin", values[step, near]),
    ("below", "numpy.searchsorted", values[step, first]),
    ("above", "numpy.searchsorted", values[step, last]),
]:
    named("Lookup/Lookup Table Dynamic", origin, [u, knots, values], [want], {"Interpolation": kind}, tolerance=1e-11)

cube = np.round(rng.normal(size=(3, 2, 4)), 2)
for start in [0, 1]:
    wanted = [rng.integers(-2, 6, 40) + rng.choice([0.0, 0.25, -0.25], 40) for _ in range(3)]
    at = [np.clip(np.floor(i + 0.5).astype(int) - start, 0, size - 1) for i, size in zip(wanted, cube.shape)]
    named(
        "Lookup/Direct Lookup Table",
        "indexing",
        wanted,
        [cube[tuple(at)]],
        {"Sizes": list(cube.shape), "Table": cube, "First Index": start},
        tolerance=0,
    )
# Quarters are exact; SciPy's sine of degrees too.
turns = np.concatenate([np.arange(-8, 9) / 4, np.round(rng.uniform(-5, 5, 40), 4)])
named("Lookup/Sine of Turns", "scipy.special.sindg", [turns], [sindg(360 * turns)], {"Function": "sin"})
named("Lookup/Sine of Turns", "scipy.special.cosdg", [turns], [cosdg(360 * turns)], {"Function": "cos"})

table.write()
