"""Writes arithmetic.json: the blocks of the group Math, by NumPy's functions; Integrate is in continuous.py."""

import numpy as np

from trace import CORNERS, Table, half_away

table = Table(__file__, 7003)
noise, trace, at_once = table.noise, table.trace, table.at_once
u = np.concatenate([CORNERS, noise(20)])
positive, inner = np.abs(u), np.clip(u, -1, 1)
small = u[np.abs(u) < 20]
v = table.rng.permutation(np.where(np.abs(u) < 1e-6, 3.0, u))

at_once("Math/Abs", "numpy.abs", [u], [np.abs(u)], tolerance=0)
at_once("Math/Sign", "numpy.sign", [u], [np.sign(u)], tolerance=0)
at_once("Math/Unary Minus", "numpy.negative", [u], [np.negative(u)], tolerance=0)
at_once("Math/Bias", "numpy.add", [u], [u + 2.75], tolerance=0, Bias=2.75)
at_once("Math/Bias", "numpy.add, element by element", [u[:4]], [u[:4] + [1, 2, 3, 4]], tolerance=0, Bias=[1, 2, 3, 4])
at_once("Math/Gain", "numpy.multiply", [u], [u * -1.3], tolerance=0, Gain=-1.3)
at_once(
    "Math/Gain", "numpy.multiply, element by element", [u[:3]], [u[:3] * [2, -0.1, 7]], tolerance=0, Gain=[2, -0.1, 7]
)
at_once(
    "Math/Gain",
    "numpy.multiply, of one number",
    [[1.7]],
    [1.7 * np.array([2, -0.1, 7])],
    tolerance=0,
    Gain=[2, -0.1, 7],
)
at_once("Math/Multiply", "numpy.multiply", [u, v], [u * v], tolerance=0)
at_once("Math/Multiply", "numpy.multiply, a vector and a number", [u, [2.5]], [u * 2.5], tolerance=0)
at_once(
    "Math/Dot Product",
    "numpy matmul in long double",
    [u[6:], v[6:]],
    [[float(np.longdouble(u[6:]) @ np.longdouble(v[6:]))]],
)
for gain, want in [(0.5, 0.5), (-3.0, 0.25), (9.0, 1.5)]:
    at_once("Math/Slider Gain", "numpy.clip", [u], [u * want], tolerance=0, Low=0.25, Gain=gain, High=1.5)
at_once(
    "Math/Sine Function",
    "numpy.sin",
    [small],
    [2.5 * np.sin(1.7 * small + 0.3) - 4],
    Amplitude=2.5,
    Frequency=1.7,
    Phase=0.3,
    Bias=-4,
)

for name, want in [("floor", np.floor(u)), ("ceil", np.ceil(u)), ("round", half_away(u)), ("fix", np.trunc(u))]:
    at_once("Math/Rounding", f"numpy, {name}", [u], [want], tolerance=0, Function=name)
    at_once("Math/Function", f"numpy, {name}", [u], [want], tolerance=0, Function=name)
for name, arguments, want in [
    ("exp", [small], np.exp(small)),
    ("ln", [positive + 1e-3], np.log(positive + 1e-3)),
    ("log10", [positive + 1e-3], np.log10(positive + 1e-3)),
    ("10^u", [small], 10.0**small),
    ("square", [u], np.square(u)),
    ("sqrt", [positive], np.sqrt(positive)),
    ("signed sqrt", [u], np.sign(u) * np.sqrt(np.abs(u))),
    ("1/u", [v], np.reciprocal(v)),
    ("sign", [u], np.sign(u)),
    ("pow", [positive[:12], small[:12]], np.power(positive[:12], small[:12])),
    ("hypot", [u, v], np.hypot(u, v)),
    ("rem", [u, v], np.fmod(u, v)),
    ("mod", [u, v], np.mod(u, v)),
    ("1/sqrt", [positive + 1e-3], 1 / np.sqrt(positive + 1e-3)),
]:
    keep = np.isfinite(want)
    at_once("Math/Function", f"numpy, {name}", [argument[keep] for argument in arguments], [want[keep]], Function=name)
at_once(
    "Math/Function",
    "IEEE 754, no number and infinities",
    [[-1.0, 0.0, np.inf, np.nan]],
    [[np.nan, -np.inf, np.inf, np.nan]],
    Function="ln",
)
at_once("Math/Sqrt", "numpy.sqrt", [positive], [np.sqrt(positive)], tolerance=0, Function="sqrt")
at_once("Math/Sqrt", "numpy.sqrt", [u], [np.sign(u) * np.sqrt(np.abs(u))], tolerance=0, Function="signed")
at_once("Math/Sqrt", "numpy.sqrt", [positive + 1e-3], [1 / np.sqrt(positive + 1e-3)], Function="reciprocal")
at_once("Math/Sqrt", "IEEE 754, not a number", [[-1.0, 4.0]], [[np.nan, 2.0]], Function="sqrt")

for name in ["sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh"]:
    function = getattr(np, {"atan": "arctan", "asinh": "arcsinh"}.get(name, name))
    at_once("Math/Trigonometry", f"numpy.{function.__name__}", [small], [function(small)], Function=name)
for name in ["asin", "acos"]:
    at_once("Math/Trigonometry", f"numpy.{name}", [inner], [getattr(np, "arc" + name[1:])(inner)], Function=name)
at_once("Math/Trigonometry", "numpy.arccosh", [positive + 1], [np.arccosh(positive + 1)], Function="acosh")
at_once("Math/Trigonometry", "numpy.arctanh", [inner * 0.99], [np.arctanh(inner * 0.99)], Function="atanh")
at_once("Math/Trigonometry", "numpy.arctan2", [u, v], [np.arctan2(u, v)], Function="atan2")
at_once("Math/Trigonometry", "numpy.sin, numpy.cos", [small], [np.sin(small), np.cos(small)], Function="sincos")

w = noise(len(u))
at_once("Math/Sum", "numpy.add, numpy.subtract", [u, v, w], [u - v + w], tolerance=0, Signs="+-+")
at_once("Math/Sum", "numpy.subtract", [u, v], [-u - v], tolerance=0, Signs="--")
at_once("Math/Sum", "numpy.sum", [w], [[np.sum(w)]], Signs="+")
at_once("Math/Sum", "numpy.sum", [w], [[-np.sum(w)]], Signs="-")
w = np.where(w == 0, 1.0, w)
at_once("Math/Product", "numpy.multiply, numpy.divide", [u, v, w], [u * v / w], tolerance=0, Operations="**/")
at_once("Math/Product", "numpy.divide", [v, w], [1 / v * w], Operations="/*")
at_once("Math/Product", "numpy.prod", [w], [[np.prod(w)]], Operations="*")
for name, function in [("min", np.minimum), ("max", np.maximum)]:
    at_once(
        "Math/MinMax",
        f"numpy.{name}imum",
        [u, v, w],
        [function(function(u, v), w)],
        tolerance=0,
        Function=name,
        Inputs=3,
    )
    at_once("Math/MinMax", f"numpy.{name}", [w], [[getattr(np, name)(w)]], tolerance=0, Function=name, Inputs=1)
    short, reset = noise(40), (table.rng.integers(0, 8, 40) == 0).astype(float)
    want, y = [], 0.25
    for value, again in zip(short, reset):
        y = 0.25 if again else function(y, value)
        want.append(y)
    trace(
        "Math/Running MinMax",
        f"numpy.{name}imum of one step and the next",
        [short, reset],
        [want],
        tolerance=0,
        Function=name,
        Initial_Value=0.25,
    )
    trace(
        "Math/Running MinMax",
        f"numpy.{name}imum.accumulate",
        [short, np.zeros(40)],
        [function.accumulate(function(short, 0.25))],
        tolerance=0,
        Function=name,
        Initial_Value=0.25,
    )
coefficients = [0.5, -2.0, 0.0, 3.0, -1.25]
at_once("Math/Polynomial", "numpy.polyval", [small], [np.polyval(coefficients, small)], Coefficients=coefficients)
bounds = {"Input Low": -2, "Input High": 6, "Output Low": 10, "Output High": -30}
at_once("Math/Rescale", "numpy.interp", [small], [np.interp(small, [-2, 6], [10, -30])], {**bounds, "Limited": 1})
at_once("Math/Rescale", "by hand: y = -5 u", [small], [-5 * small], bounds)
for name, want in [
    ("increment", u + 1),
    ("decrement", u - 1),
    ("decrement to zero", np.maximum(u - 1, 0)),
    ("decrement time to zero", np.maximum(u - 0.125, 0)),
]:
    at_once("Math/Increment", "numpy", [u], [want], tolerance=0, delta=0.125, Function=name)
for name, want in [("+", u + 0.5), ("-", u - 0.5), ("*", u * 0.5), ("/", u / 0.5), ("delta", np.full(len(u), 0.5))]:
    at_once(
        "Math/Weighted Sample Time",
        "numpy",
        [u],
        [want if name != "delta" else [0.5]],
        tolerance=0,
        delta=0.125,
        Operation=name,
        Weight=4,
    )
vector = noise(6)
for first, indices in [(1, [5, 2]), (0, [4, 1])]:
    want = vector.copy()
    want[[4, 1]] = [70.0, 80.0]
    at_once(
        "Math/Assignment",
        "numpy indexing",
        [vector, [70.0, 80.0]],
        [want],
        {"First Index": first, "Indices": indices},
        tolerance=0,
    )

table.write()
