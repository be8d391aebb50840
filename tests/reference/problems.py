"""Initial value problems with references of sixteen digits, for solvers.py and work_precision.py.

A reference is a solution of Radau's collocation method with seven stages (order 13, Hairer, Wanner: Solving Ordinary
Differential Equations II, section IV.5), written here in numbers of 64 bits of mantissa (numpy.longdouble of x86),
with steps for which one step and two halves of it agree to 1e-15; the halves, which count, are far better. Problems that have one are compared with their closed form,
others with the Test Set for IVP Solvers (Mazzia, Magherini: release 2.4).
"""

import functools
from dataclasses import dataclass
from typing import Callable

import mpmath
import numpy as np

L = np.longdouble


@dataclass
class Problem:
    """y' = rates(t, y), y(0) = initial, to the time end; `closed` is the solution where it is known. The states are as
    large as `scale` where they are small: an absolute tolerance is the relative one times this."""

    name: str
    rates: Callable
    jacobian: Callable
    initial: list
    end: float
    names: list
    is_stiff: bool
    scale: float = 1.0
    closed: Callable | None = None
    published: list | None = None


def linear(matrix):
    return (lambda t, y: matrix.astype(np.asarray(y).dtype) @ y), (lambda t, y: matrix.astype(np.asarray(y).dtype))


# --- Not stiff --------------------------------------------------------------------------------------------------------


def smooth(t, y):
    return np.array([y[0] * np.cos(t), y[2], -y[1]])


def smooth_jacobian(t, y):
    return np.array([[np.cos(t), 0 * t, 0 * t], [0 * t, 0 * t, 1 + 0 * t], [0 * t, -1 + 0 * t, 0 * t]])


def van_der_pol(mu):
    rates = lambda t, y: np.array([y[1], mu * (1 - y[0] * y[0]) * y[1] - y[0]])
    return rates, lambda t, y: np.array([[0 * t, 1 + 0 * t], [-2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] * y[0])]])


def lorenz(t, y):
    return np.array([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 * y[2] / 3])


def lorenz_jacobian(t, y):
    return np.array([[-10 + 0 * t, 10, 0], [28 - y[2], -1, -y[0]], [y[1], y[0], -8 / (3 + 0 * t)]])


def arenstorf(t, y):
    # The decimals of the literature, so that the orbit is that of the same numbers.
    mu = type(t)("0.012277471") if isinstance(t, L) else 0.012277471
    one = 1 - mu
    near, far = ((y[0] + mu) ** 2 + y[1] ** 2) ** 1.5, ((y[0] - one) ** 2 + y[1] ** 2) ** 1.5
    return np.array([
        y[2], y[3], y[0] + 2 * y[3] - one * (y[0] + mu) / near - mu * (y[0] - one) / far,
        y[1] - 2 * y[2] - one * y[1] / near - mu * y[1] / far,
    ])  # fmt: skip


def pleiades(t, y):
    x, z, mass = y[:7], y[7:14], np.arange(1, 8)
    dx, dz = x[None, :] - x[:, None], z[None, :] - z[:, None]
    square = dx**2 + dz**2
    np.fill_diagonal(square, 1)
    pull = mass[None, :] / square**1.5
    return np.concatenate([y[14:], (pull * dx).sum(axis=1), (pull * dz).sum(axis=1)])


def differences(rates):
    """The Jacobian by central differences: enough for an iteration that converges anyway."""

    def jacobian(t, y):
        columns = []
        for index in range(len(y)):
            width = type(t)(1e-7) * max(abs(y[index]), 1e-3)
            up, down = y.copy(), y.copy()
            up[index] += width
            down[index] -= width
            columns.append((rates(t, up) - rates(t, down)) / (2 * width))
        return np.stack(columns, axis=1)

    return jacobian


# --- Stiff ------------------------------------------------------------------------------------------------------------


def robertson(t, y):
    a, b = y[1] * y[2] * 10000, y[1] * y[1] * 30000000
    slow = y[0] * 4 / 100
    return np.array([a - slow, slow - a - b, b])


def robertson_jacobian(t, y):
    slow, a, b = 4 / (100 + 0 * t), 10000 * y[2], 10000 * y[1]
    return np.array([[-slow, a, b], [slow, -a - 60000000 * y[1], -b], [0, 60000000 * y[1], 0]])


HIRES = [
    "-1.71 0.43 8.32 0 0 0 0 0", "1.71 -8.75 0 0 0 0 0 0", "0 0 -10.03 0.43 0.035 0 0 0", "0 8.32 1.71 -1.12 0 0 0 0",
    "0 0 0 0 -1.745 0.43 0.43 0", "0 0 0 0.69 1.71 -0.43 0.69 0", "0 0 0 0 0 0 -1.81 0", "0 0 0 0 0 0 1.81 0",
]  # fmt: skip


@functools.cache
def hires_matrix(kind):
    return np.array([[kind(x) for x in row.split()] for row in HIRES])


def hires(t, y):
    reaction = 280 * y[5] * y[7]
    made = hires_matrix(type(t)) @ y
    made[0] += type(t)("0.0007")
    made[5] -= reaction
    made[6] += reaction
    made[7] -= reaction
    return made


def hires_jacobian(t, y):
    made = hires_matrix(type(t)).copy()
    for row, sign in [(5, -1), (6, 1), (7, -1)]:
        made[row, 5] += sign * 280 * y[7]
        made[row, 7] += sign * 280 * y[5]
    return made


def oregonator(t, y):
    s, w, q = (type(t)(x) for x in ("77.27", "0.161", "8.375e-6"))
    return np.array([s * (y[1] + y[0] * (1 - q * y[0] - y[1])), (y[2] - (1 + y[0]) * y[1]) / s, w * (y[0] - y[2])])


def oregonator_jacobian(t, y):
    s, w, q = (type(t)(x) for x in ("77.27", "0.161", "8.375e-6"))
    return np.array(
        [[s * (1 - 2 * q * y[0] - y[1]), s * (1 - y[0]), 0], [-y[1] / s, -(1 + y[0]) / s, 1 / s], [w, 0, -w]]
    )


# Heat in a rod of length 1 with cold ends, at ROD points; sines decay as they are.
ROD = 20
STIFFNESS = np.diag(np.full(ROD - 1, 1.0), -1) - 2 * np.eye(ROD) + np.diag(np.full(ROD - 1, 1.0), 1)


def rod(time):
    at = np.arange(1, ROD + 1) * L(mpmath.nstr(mpmath.pi, 25)) / (ROD + 1)
    rate = lambda wave: -4 * (ROD + 1) ** 2 * np.sin(wave * at[0] / 2) ** 2
    return np.sin(at) * np.exp(rate(1) * L(time)) + np.sin(3 * at) * np.exp(rate(3) * L(time)) / 2


def y_names(count):
    return [f"y{n}" for n in range(1, count + 1)]


PROBLEMS = [
    Problem("smooth", smooth, smooth_jacobian, [1, 1, 0], 10.0, ["y", "z", "v"], False,
            closed=lambda t: [np.exp(np.sin(L(t))), np.cos(L(t)), -np.sin(L(t))]),
    Problem("van der Pol 5", *van_der_pol(5), [2, 0], 20.0, y_names(2), False),
    Problem("Lorenz", lorenz, lorenz_jacobian, [1, 1, 1], 2.0, y_names(3), False),
    Problem("Arenstorf", arenstorf, differences(arenstorf), ["0.994", 0, 0, "-2.0015851063790825"], 17.065216560157963,
            ["y1", "y2", "v1", "v2"], False),
    Problem("Pleiades", pleiades, differences(pleiades),
            [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0], 3.0,
            [f"{axis}{n}" for axis in ["x", "y", "vx", "vy"] for n in range(1, 8)], False,
            published=[0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310, 0.3425581707156584,
                       1.562172101400631, -0.7003092922212495, -3.943437585517392, -3.271380973972550, 5.225081843456543,
                       -2.590612434977470, 1.198213693392275, -0.2429682344935824, 1.091449240428980]),
    Problem("van der Pol 1000", *van_der_pol(1000), [2, 0], 2000.0, y_names(2), True, scale=1e-3,
            published=[1.706167732170483, -8.928097010247975e-4]),
    Problem("Robertson", robertson, robertson_jacobian, [1, 0, 0], 1e11, y_names(3), True, scale=1e-8,
            published=[0.2083340149701255e-7, 0.8333360770334156e-13, 0.9999999791665057]),
    Problem("HIRES", hires, hires_jacobian, [1, 0, 0, 0, 0, 0, 0, "0.0057"], 321.8122, y_names(8), True, scale=1e-4,
            published=[0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283159e-2,
                       0.2386356198831331e-2, 0.6238968252742828e-2, 0.2849998395185769e-2, 0.2850001604814231e-2]),
    Problem("Oregonator", oregonator, oregonator_jacobian, [1, 2, 3], 360.0, y_names(3), True, scale=1e-2,
            published=[1.000814870318517, 1228.178521549786, 132.0554942846513]),
    Problem("heat rod", *linear(STIFFNESS * (ROD + 1) ** 2), list(rod(0)), 0.1, y_names(ROD), True, closed=rod),
]  # fmt: skip


# --- The reference ----------------------------------------------------------------------------------------------------


@functools.cache
def radau(stages):
    """Nodes and coefficients of Radau's method IIA: collocation at the zeros of P_s - P_{s-1}, shifted to [0, 1]."""
    with mpmath.workdps(60):
        polynomial = lambda n: np.array(mpmath.taylor(lambda x: mpmath.legendre(n, 2 * x - 1), 0, n)[::-1])
        high, low = polynomial(stages), polynomial(stages - 1)
        roots = mpmath.polyroots(list(high - np.concatenate([[0], low])), maxsteps=500, extraprec=400)
        nodes = sorted(mpmath.re(root) for root in roots)
        powers = mpmath.matrix(stages)
        integrals = mpmath.matrix(stages)
        for i, node in enumerate(nodes):
            for k in range(stages):
                powers[i, k] = node**k
                integrals[i, k] = node ** (k + 1) / (k + 1)
        matrix = integrals * powers**-1
        number = lambda x: L(mpmath.nstr(x, 25))
        return np.array([number(x) for x in nodes]), np.array(
            [[number(matrix[i, j]) for j in range(stages)] for i in range(stages)]
        )


def factored(matrix):
    """A = PLU with the largest pivots; NumPy's own has 53 bits only."""
    matrix, order = matrix.copy(), np.arange(len(matrix))
    for k in range(len(matrix) - 1):
        pivot = k + np.argmax(np.abs(matrix[k:, k]))
        matrix[[k, pivot]], order[[k, pivot]] = matrix[[pivot, k]], order[[pivot, k]]
        matrix[k + 1 :, k] /= matrix[k, k]
        matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    return matrix, order


def solved(factors, right):
    matrix, order = factors
    x = right[order].copy()
    for k in range(len(x)):
        x[k] -= matrix[k, :k] @ x[:k]
    for k in reversed(range(len(x))):
        x[k] = (x[k] - matrix[k, k + 1 :] @ x[k + 1 :]) / matrix[k, k]
    return x


def advance(problem, t, y, h, stages=7):
    """One step, or none if the iteration does not converge."""
    nodes, a = radau(stages)
    n = len(y)
    jacobian = np.array(problem.jacobian(t + h / 2, y), dtype=L)
    factors = factored(np.eye(stages * n, dtype=L) - h * np.kron(a, jacobian))
    z = np.zeros((stages, n), dtype=L)
    weight = np.abs(y) + L(1e-9) * np.max(np.abs(y))
    before = L(np.inf)
    for _ in range(60):
        rates = np.stack([problem.rates(t + c * h, y + row) for c, row in zip(nodes, z)])
        change = solved(factors, (h * (a @ rates) - z).ravel()).reshape(stages, n)
        z = z + change
        size = np.max(np.abs(change) / weight)
        if not np.isfinite(size) or size > 1e3:
            return None
        if size < 1e-18 or (size < 1e-16 and size >= before):
            return y + z[-1]
        before = size
    return None


def reference(problem, end=None):
    """The state at the end, to about sixteen digits."""
    end = L(problem.end if end is None else end)
    t, y = L(0), np.array([L(x) for x in problem.initial])
    if problem.closed is not None:
        return np.array([L(x) for x in problem.closed(end)])
    h, steps = end / 10**6, 0
    while t < end:
        h = min(h, end - t)
        once = advance(problem, t, y, h)
        half = None if once is None else advance(problem, t, y, h / 2)
        twice = None if half is None else advance(problem, t + h / 2, half, h / 2)
        steps += 1
        if twice is None:
            h /= 4
            continue
        error = np.max(np.abs(twice - once) / (np.abs(twice) + L(1e-9) * np.max(np.abs(twice))))
        factor = L(0.9) * (L(3e-16) / max(error, L(1e-30))) ** (L(1) / 14)
        if error < 1e-15:
            # The difference is 2^13 times the error of two half steps.
            t, y = t + h, twice
        h *= min(max(factor, L(0.2)), L(4))
    return y


def check(problem, found):
    """That the reference meets the published digits, of which the last is rounded."""
    for value, wanted in zip(found, problem.published or []):
        assert abs(value / L(wanted) - 1) < 2e-13, f"{problem.name}: {value}, published {wanted}"
