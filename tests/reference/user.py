"""Writes user.json: the blocks of the groups User, Flow and Check. Formulas and scripts are written again in NumPy,
differential equations are solved by SciPy."""

import itertools

import numpy as np
from scipy import integrate

from trace import Table

table = Table(__file__, 7009)
noise, trace, rng = table.noise, table.trace, table.rng


def exact(block, origin, inputs, outputs, options=None, **named):
    trace(block, origin, inputs, outputs, options, tolerance=0, **named)


# --- User -------------------------------------------------------------------------------------------------------------

a, b = noise(40), np.abs(noise(40)) + 0.5
trace(
    "User/Formula",
    "numpy",
    [a, b],
    [np.hypot(a, b), np.exp(-a) / b + np.maximum(a, b), a > 0.25],
    Formula="_r = hypot(a, b); y = _r; z = exp(-a)/b + max(a, b); is_large = a > 0.25",
    Inputs="a b",
)
trace(
    "User/Formula",
    "numpy, of time",
    [a],
    [a * np.arange(40) * 0.1 + 0.1],
    delta=0.1,
    Formula="y = u*t + dt",
    Inputs="u",
)


def solved(rates, states, inputs, h, output=lambda t, x, u: x):
    """An input that is held in each step, from which SciPy begins anew."""
    rows, x = [], np.array(states, float)
    for k in range(len(inputs)):
        rows.append(output(k * h, x, inputs[k]))
        end = integrate.solve_ivp(rates, (k * h, (k + 1) * h), x, "DOP853", rtol=1e-13, atol=1e-14, args=(inputs[k],))
        x = end.y[:, -1]
    return np.array(rows)


u = np.repeat(noise(6), 10)
predators = lambda t, x, u: [x[0] * (1.1 - 0.4 * x[1]) + 0.1 * u, x[1] * (0.1 * x[0] - 0.4) + 0.05 * np.sin(t)]
want = solved(predators, [2.0, 1.0], u, 0.05)
trace(
    "User/ODE",
    "scipy solve_ivp DOP853",
    [u],
    [want[:, 0], want[:, 1]],
    delta=0.05,
    tolerance=1e-10,
    solver="dopri8",
    options={
        "Equations": "a' = a*(1.1 - 0.4*b) + 0.1*u; b' = b*(0.1*a - 0.4) + 0.05*sin(t)",
        "Initial Values": "a = 2; b = 1",
    },
)
pendulum = lambda t, x, u: [x[1], -np.sin(x[0]) - 0.2 * x[1] + u]
want = solved(pendulum, [1.0, 0.0], u, 0.05, lambda t, x, u: [np.cos(x[0]) + u])
trace(
    "User/ODE",
    "scipy solve_ivp DOP853",
    [u],
    [want[:, 0]],
    delta=0.05,
    tolerance=1e-10,
    solver="dopri8",
    options={"Equations": "p' = v; v' = -sin(p) - 0.2*v + u; y = cos(p) + u", "Initial Values": "p = 1"},
)
best, count, means = 0.0, 0.0, []
for n, value in enumerate(a):
    count += value
    best = max(best, abs(value))
    means.append((count / (n + 1), best))
means = np.array(means)
trace(
    "User/Function",
    "numpy, step by step",
    [a],
    [means[:, 0], means[:, 1]],
    {
        "Code": """function [y, z] = f(u)
  persistent total best n
  if isempty(total), total = 0; best = 0; n = 0; end
  total += u;
  n += 1;
  if abs(u) > best
    best = abs(u);
  end
  y = total / n;
  z = best;
end""",
    },
)
at = np.arange(40) // 4 * 4
trace(
    "User/Function",
    "numpy, of every fourth step",
    [a],
    [2 * a[at]],
    delta=0.25,
    options={"Code": "y = 2*u;", "Sample Time": 1},
)

# --- Flow; conditional models are compared in tests/engine/reference -------------------------------------------------

rows = np.array(list(itertools.product([0.0, 2.0], repeat=3)))
first = [next((i for i, value in enumerate(row) if value), 3) for row in rows]
exact("Flow/If", "truth table", list(rows.T), list(np.eye(4)[first].T), Conditions=3)
values = np.array([1.0, 2.0, 7.0, 2.9, -3.0, -3.5, 0.0, 5.0])
cases = [1, 7, -3, 2, 7]
first = [next((i for i, case in enumerate(cases) if np.trunc(value) == case), 5) for value in values]
exact("Flow/Switch Case", "numpy.trunc", [values], list(np.eye(6)[first].T), Cases=cases)
exact("Flow/Merge", "the last input", [noise(5), noise(5), (last := noise(5))], [last], Inputs=3)
exact("Flow/Function Call", "numpy modulo", [], [np.where(np.arange(12) % 4 == 0, 3.0, 0.0)], Calls=3, Every=4)
number = np.array([1.0, 3.0, 5.5, 2.0, 40.0])
# The other engines decline a block that sets its output several times in a step.
exact(
    "Flow/Repeat", "the last iteration", [number], [np.minimum(np.floor(number), 20) - 1], Limit=20, engines=["simple"]
)


# --- Checks: 1 while one passes ---------------------------------------------------------------------------------------

u = np.concatenate([noise(20), [-0.5, 1.0, np.nan, 0.0, np.inf]])
# A gradient of not-a-number fails in two steps.
before = np.concatenate([u[:1], u[:-1]])
quiet = {"Action": "ignore", "Output": 1}
low, high = -np.abs(noise(25)), np.abs(noise(25))
exact("Check/Assertion", "numpy", [u], [(u != 0) & ~np.isnan(u)], quiet)
with np.errstate(invalid="ignore"):
    exact(
        "Check/Gradient",
        "numpy.diff",
        [u],
        [np.concatenate([[True], (np.abs(u - before) < 0.8)[1:]])],
        {**quiet, "Gradient": 0.8},
    )
levels = np.round(noise(25) * 2) / 4 + rng.choice([0.0, 0.0004, 0.01], 25)
exact(
    "Check/Resolution",
    "numpy.round",
    [levels],
    [np.abs(levels / 0.25 - np.round(levels / 0.25)) <= 0.001],
    {**quiet, "Resolution": 0.25},
)
wanted = [0.5, -0.25, 1.0]
exact(
    "Check/Resolution",
    "numpy.abs",
    [levels],
    [np.any(np.abs(levels[:, None] - wanted) <= 0.001, axis=1)],
    {**quiet, "Resolution": wanted},
)
for inclusive in [1, 0]:
    above, under = (np.greater_equal, np.less_equal) if inclusive else (np.greater, np.less)
    options = {**quiet, "Inclusive": inclusive}
    dynamic = {**options, "Bounds": "dynamic"}
    fixed = {**options, "Bounds": "static"}
    exact("Check/Lower Bound", "numpy", [u], [above(u, -0.5)], {**fixed, "Bound": -0.5})
    exact("Check/Lower Bound", "numpy", [u, low], [above(u, low)], dynamic)
    exact("Check/Upper Bound", "numpy", [u], [under(u, 1.0)], {**fixed, "Bound": 1})
    exact("Check/Upper Bound", "numpy", [u, high], [under(u, high)], dynamic)
    exact("Check/Range", "numpy", [u], [above(u, -0.5) & under(u, 1.0)], {**fixed, "Low": -0.5, "High": 1})
    exact("Check/Range", "numpy", [u, low, high], [above(u, low) & under(u, high)], dynamic)
    exact("Check/Gap", "numpy", [u], [under(u, -0.5) | above(u, 1.0)], {**fixed, "Low": -0.5, "High": 1})
    exact("Check/Gap", "numpy", [u, low, high], [under(u, low) | above(u, high)], dynamic)

# --- The margins of checks ----------------------------------------------------------------------------------------------

silent = {"Action": "ignore", "Margin": 1}
exact("Check/Assertion", "numpy", [u], [np.abs(u)], silent)
with np.errstate(invalid="ignore"):
    change = np.concatenate([[0.0], np.abs(u - before)[1:]])
exact("Check/Gradient", "numpy.diff", [u], [0.8 - change], {**silent, "Gradient": 0.8})
steps = levels / 0.25
margin = (0.001 - np.abs(steps - np.round(steps))) * 0.25
exact("Check/Resolution", "numpy.round", [levels], [margin], {**silent, "Resolution": 0.25})
nearest = np.min(np.abs(levels[:, None] - wanted), axis=1)
exact("Check/Resolution", "numpy.abs", [levels], [0.001 - nearest], {**silent, "Resolution": wanted})
dynamic = {**silent, "Bounds": "dynamic"}
exact("Check/Lower Bound", "numpy", [u], [u + 0.5], {**silent, "Bound": -0.5})
exact("Check/Upper Bound", "numpy", [u, high], [high - u], dynamic)
exact("Check/Range", "numpy", [u], [np.minimum(u + 0.5, 1 - u)], {**silent, "Low": -0.5, "High": 1})
exact("Check/Gap", "numpy", [u, low, high], [np.maximum(low - u, u - high)], dynamic)
both = {"Action": "ignore", "Output": 1, "Margin": 1, "Bound": 1}
exact("Check/Upper Bound", "numpy", [u], [u <= 1, 1 - u], both)

table.write()
