"""Initial value problems with references of sixteen digits, for solvers.py and work_precision.py.

A reference is a solution of Radau's collocation method with seven stages (order 13, Hairer, Wanner: Solving Ordinary
Differential Equations II, section IV.5), written here in numbers of 64 bits of mantissa (numpy.longdouble of x86),
with steps for which one step and two halves of it agree to 1e-15; the halves, which count, are far better. The linear
systems of its iteration are solved in doubles, which changes only how fast it converges. Problems that have one are
compared with their closed form, others with the Test Set for IVP Solvers (Mazzia, Magherini: release 2.4).
"""

import functools
from dataclasses import dataclass, field
from typing import Callable

import mpmath
import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

L = np.longdouble
PI = L(mpmath.nstr(mpmath.pi, 25))


@dataclass
class Problem:
    """y' = rates(t, y), y(0) = initial, to the time end; `closed` is the solution where it is known. The states are as
    large as `scale` where they are small: an absolute tolerance is the relative one times this. `names` are those of the
    exits, one for each state or vector of states. The rates jump at `jumps`. `published` are the first states at the end
    or those of the indices, to a relative `published_to`. States that oscillate through zero have `sizes`."""

    name: str
    rates: Callable
    jacobian: Callable
    initial: list
    end: float
    names: list
    is_stiff: bool
    scale: float = 1.0
    closed: Callable | None = None
    published: list | dict = field(default_factory=list)
    published_to: float = 2e-13
    jumps: list = field(default_factory=list)
    sizes: list | None = None

    def weight(self, y):
        """What the reference takes as one, of each state."""
        return np.abs(y) + (L(1e-9) * np.max(np.abs(y)) if self.sizes is None else np.array(self.sizes, dtype=L))

    def pieces(self):
        """Returns begin, end and rates between jumps: rates that go on beyond an end as they are before it."""
        times = [0.0, *self.jumps, self.end]
        return [(begin, end, self.rates_until(end)) for begin, end in zip(times, times[1:])]

    def rates_until(self, end):
        if end == self.end:
            return self.rates
        last = lambda t: min(t, np.nextafter(type(t)(end), type(t)(0)))
        return lambda t, y: self.rates(last(t), y)


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


# Of the reactions of POLLU: what reacts, the speed, and what becomes of it; numbers are those of the species.
POLLUTION = [
    ([1], ".35", [2, 3]), ([2, 4], "26.6", [1]), ([5, 2], "12300", [6, 1]), ([7], ".00086", [5, 5, 8]),
    ([7], ".00082", [8]), ([7, 6], "15000", [8, 5]), ([9], ".00013", [10, 8, 5]), ([9, 6], "24000", [11]),
    ([11, 2], "16500", [10, 1, 12]), ([11, 1], "9000", [13]), ([13], ".022", [11, 1]), ([10, 2], "12000", [14, 1]),
    ([14], "1.88", [7, 5]), ([1, 6], "16300", [15]), ([3], "4800000", [4]), ([4], ".00035", [16]), ([4], ".0175", [3]),
    ([16], "1e8", [6, 6]), ([16], "444e9", [3]), ([17, 6], "1240", [18, 5]), ([19], "2.1", [2]), ([19], "5.78", [1, 3]),
    ([1, 4], ".0474", [19]), ([19, 1], "1780", [20]), ([20], "3.12", [1, 19]),
]  # fmt: skip


@functools.cache
def pollution_matrix():
    """What a reaction of speed 1 adds to each species."""
    matrix = np.zeros((20, len(POLLUTION)))
    for number, (used, _, made) in enumerate(POLLUTION):
        for species, sign in [(used, -1), (made, 1)]:
            for one in species:
                matrix[one - 1, number] += sign
    return matrix


def pollution(t, y):
    speeds = [type(t)(speed) * np.prod([y[one - 1] for one in used]) for used, speed, _ in POLLUTION]
    return pollution_matrix() @ np.array(speeds)


def pollution_jacobian(t, y):
    slopes = np.zeros((len(POLLUTION), 20), dtype=type(t))
    for number, (used, speed, _) in enumerate(POLLUTION):
        for one, other in zip(used, reversed(used)):
            slopes[number, one - 1] = type(t)(speed) * (y[other - 1] if one != other else 1)
    return pollution_matrix() @ slopes


# The voltages at the diodes of RINGMOD are these sums of the states 3 to 7 and of the carrier; so are the currents of
# the diodes that these states lose.
DIODES = np.array([[1, 0, -1, 0, -1], [0, -1, 0, 1, -1], [0, 1, 1, 0, 1], [-1, 0, 0, -1, 1]])
CARRIER = np.array([-1, -1, 1, 1])

RING_SIZES = [0.1] * 7 + [1e-5] * 2 + [1e-3] * 6


@functools.cache
def ring(kind):
    """Capacitances and inductances, the linear currents and voltages at them, saturation current and slope of a diode."""
    number = lambda text: [kind(part) for part in text.split()]
    sizes = np.array(number("1.6e-8 1.6e-8 2e-12 2e-12 2e-12 2e-12 1e-8 4.45 4.45 5e-4 5e-4 5e-4 5e-4 2e-3 2e-3"))
    r, rp, rg1, rg2, rg3, ri, rc, half = number("25000 50 36.3 17.3 17.3 50 600 0.5")
    linear = np.zeros((15, 15), dtype=kind)
    terms = [
        [(8, 1), (10, -half), (11, half), (14, 1), (1, -1 / r)], [(9, 1), (12, -half), (13, half), (15, 1), (2, -1 / r)],
        [(10, 1)], [(11, -1)], [(12, 1)], [(13, -1)], [(7, -1 / rp)], [(1, -1)], [(2, -1)],
        [(1, half), (3, -1), (10, -rg2)], [(1, -half), (4, 1), (11, -rg3)],
        [(2, half), (5, -1), (12, -rg2)], [(2, -half), (6, 1), (13, -rg3)],
        [(1, -1), (14, -ri - rg1)], [(2, -1), (15, -rc - rg1)],
    ]  # fmt: skip
    for row, of in enumerate(terms):
        for state, factor in of:
            linear[row, state - 1] = factor
    return sizes, linear, kind("40.67286402e-9"), kind("17.7493332")


def diode_voltages(t, y):
    return DIODES @ y[2:7] + CARRIER * (2 * np.sin(20000 * type(t)(PI) * t))


def ring_modulator(t, y):
    sizes, linear, saturation, slope = ring(type(t))
    made = linear @ y
    made[2:7] -= DIODES.T @ (saturation * (np.exp(slope * diode_voltages(t, y)) - 1))
    made[13] += np.sin(2000 * type(t)(PI) * t) / 2
    return made / sizes


def ring_modulator_jacobian(t, y):
    sizes, linear, saturation, slope = ring(type(t))
    made = linear.copy()
    slopes = saturation * slope * np.exp(slope * diode_voltages(t, y))
    made[2:7, 2:7] -= DIODES.T @ (slopes[:, None] * DIODES)
    return made / sizes[:, None]


# An antibody that penetrates tissue: its concentrations at AKZO points, then those of what it meets.
AKZO = 200


@functools.cache
def transport(kind):
    """The factors of the neighbours on the left, of the point and of the neighbours on the right."""
    at = np.arange(1, AKZO + 1).astype(kind) / AKZO - 1
    drift, spread = AKZO * at**3 / 16, AKZO**2 * at**4 / 16
    return spread - drift, -2 * spread, spread + drift


def medical_akzo(t, y):
    left, here, right = transport(type(t))
    u, v = y[:AKZO], y[AKZO:]
    at_border = np.array([2 if t < 5 else 0])
    reaction = 100 * u * v
    moved = left * np.concatenate([at_border, u[:-1]]) + here * u + right * np.append(u[1:], 0 * u[-1])
    return np.concatenate([moved - reaction, -reaction])


def medical_akzo_jacobian(t, y):
    left, here, right = transport(type(t))
    by_u, by_v = 100 * np.diag(y[AKZO:]), 100 * np.diag(y[:AKZO])
    moved = np.diag(left[1:], -1) + np.diag(here) + np.diag(right[:-1], 1)
    return np.block([[moved - by_u, -by_v], [-by_u, -by_v]])


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
    Problem("Pollution", pollution, pollution_jacobian,
            [0, "0.2", 0, "0.04", 0, 0, "0.1", "0.3", "0.01", *[0] * 7, "0.007", 0, 0, 0], 60.0, y_names(20), True, scale=1e-7,
            published=[0.5646255480022769e-1, 0.1342484130422339, 0.4139734331099427e-8, 0.5523140207484359e-2,
                       0.2018977262302196e-6, 0.1464541863493966e-6, 0.7784249118997964e-1, 0.3245075353396018,
                       0.7494013383880406e-2, 0.1622293157301561e-7, 0.1135863833257075e-7, 0.2230505975721359e-2,
                       0.2087162882798630e-3, 0.1396921016840158e-4, 0.8964884856898295e-2, 0.4352846369330103e-17,
                       0.6899219696263405e-2, 0.1007803037365946e-3, 0.1772146513969984e-5, 0.5682943292316392e-4]),
    # Its diodes begin to conduct at 50 µs, and then it oscillates: tests have a beginning that is soon solved.
    Problem("Ring modulator at first", ring_modulator, ring_modulator_jacobian, [0] * 15, 6e-5, y_names(15), True,
            scale=1e-5, sizes=RING_SIZES),
    Problem("Ring modulator", ring_modulator, ring_modulator_jacobian, [0] * 15, 1e-3, y_names(15), True, scale=1e-5,
            # Published are the results of a tolerance of 1e-12.
            sizes=RING_SIZES, published_to=5e-10,
            published=[-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169, -0.4064465721283450,
                       -0.4039455665149794, 0.2607966765422943, 0.1106761861269975, 0.2939904342435596e-6,
                       -0.2840029933642329e-7, 0.7267198267264553e-3, 0.7929487196960840e-3, -0.7255283495698965e-3,
                       -0.7941401968526521e-3, 0.7088495416976114e-4, 0.2390059075236570e-4]),
    Problem("Medical Akzo Nobel", medical_akzo, medical_akzo_jacobian, [0] * AKZO + [1] * AKZO, 20.0, ["u", "v"], True,
            # CVODE meets our reference, but not the published digits, to more than a relative 1e-9.
            scale=1e-4, jumps=[5.0], published_to=2e-7,
            published={0: 0.5113983840919909e-5, 39: 0.2339942217046434e-3, 74: 0.3595616017506735e-3,
                       99: 0.1173741304462833e-3, 119: 0.6860095639285670e-11, 299: 0.6190822732534586e-5,
                       309: 0.9890204872799944, 319: 0.9999997325855174}),
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


def advance(problem, rates, t, y, h, stages=7):
    """One step, or none if the iteration does not converge."""
    nodes, a = radau(stages)
    n = len(y)
    jacobian = sparse.csc_array(np.array(problem.jacobian(t + h / 2, y), dtype=float))
    matrix = sparse.eye_array(stages * n) - float(h) * sparse.kron(a.astype(float), jacobian)
    solve = splu(sparse.csc_matrix(matrix)).solve
    z = np.zeros((stages, n), dtype=L)
    weight = problem.weight(y)
    before = L(np.inf)
    for _ in range(60):
        slopes = np.stack([rates(t + c * h, y + row) for c, row in zip(nodes, z)])
        change = solve((h * (a @ slopes) - z).ravel().astype(float)).reshape(stages, n)
        z = z + change
        size = np.max(np.abs(change) / weight)
        if not np.isfinite(size) or size > 1e3:
            return None
        if size < 1e-18 or (size < 1e-16 and size >= before):
            return y + z[-1]
        before = size
    return None


def reference(problem):
    """The state at the end, to about sixteen digits."""
    if problem.closed is not None:
        return np.array([L(x) for x in problem.closed(L(problem.end))])
    y = np.array([L(x) for x in problem.initial])
    for begin, end, rates in problem.pieces():
        y = solution(problem, rates, L(begin), L(end), y)
    return y


def solution(problem, rates, t, end, y):
    h = (end - t) / 10**6
    while t < end:
        h = min(h, end - t)
        once = advance(problem, rates, t, y, h)
        half = None if once is None else advance(problem, rates, t, y, h / 2)
        twice = None if half is None else advance(problem, rates, t + h / 2, half, h / 2)
        if twice is None:
            h /= 4
            continue
        error = np.max(np.abs(twice - once) / problem.weight(twice))
        factor = L(0.9) * (L(3e-16) / max(error, L(1e-30))) ** (L(1) / 14)
        if error < 1e-15:
            # The difference is 2^13 times the error of two half steps.
            t, y = t + h, twice
        h *= min(max(factor, L(0.2)), L(4))
    return y


def check(problem, found):
    """That the reference meets the published digits, of which the last is rounded."""
    published = problem.published
    for index, wanted in published.items() if isinstance(published, dict) else enumerate(published):
        off = abs(found[index] / L(wanted) - 1)
        assert off < problem.published_to, f"{problem.name}, {index}: {found[index]}, published {wanted}: {off:.1e}"
