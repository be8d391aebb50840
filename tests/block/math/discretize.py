"""Discretized systems for tests/block/math/discretize.rs: transfer functions with 60 digits by mpmath, compared here with SciPy
and python-control; matrices by SciPy.

    pip install scipy mpmath control
    python3 tests/block/math/discretize.py > tests/block/math/discretize.json
"""

import json

import control
import mpmath as mp
import numpy as np
from scipy import signal

mp.mp.dps = 60

SYSTEMS = [
    ([1], [1, 1], 0.1),
    ([2], [3, 0], 0.5),
    ([1], [1, 2, 1], 0.1),
    ([1, 2], [1, 0.4, 4], 0.25),
    ([2, 3, 1], [1, 1, 4], 0.3),
    ([1], [1, 0, 0], 0.2),
    ([5], [1, 3, 3, 1], 0.001),
    ([1, -1, 2], [2, 5, 7, 3, 1], 0.4),
    ([1e4], [1, 1e4], 1e-3),
    ([1e10], [1, 1.4e5, 1e10], 1e-6),
    ([0, 0, 3], [0, 2], 0.1),
    ([1, 0], [1, 1, 1, 0], 0.7),
]


def polynomials(num, den):
    num = [mp.mpf(c) for c in num]
    den = [mp.mpf(c) for c in den]
    while den[0] == 0:
        den = den[1:]
    while len(num) > 1 and num[0] == 0:
        num = num[1:]
    num = [mp.mpf(0)] * (len(den) - len(num)) + num
    return [c / den[0] for c in num], [c / den[0] for c in den]


def canonical(num, den):
    n = len(den) - 1
    a = mp.zeros(n)
    for k in range(n):
        a[0, k] = -den[k + 1]
        if k + 1 < n:
            a[k + 1, k] = 1
    b = mp.zeros(n, 1)
    b[0] = 1
    c = mp.matrix([[num[k + 1] - num[0] * den[k + 1] for k in range(n)]])
    return a, b, c, num[0]


def expm(a):
    """The exponential by scaling and a Taylor polynomial; mpmath's own has trouble with nilpotent matrices."""
    norm = max([abs(x) for x in a]) * a.rows if a.rows else 0
    halvings = max(0, int(mp.ceil(mp.log(norm + 1, 2))) + 4)
    with mp.workdps(mp.mp.dps + halvings):
        a = a / mp.mpf(2) ** halvings
        term = total = mp.eye(a.rows)
        for k in range(1, 60):
            term = term * a / k
            total = total + term
        for _ in range(halvings):
            total = total * total
    return total


def holds(a, b, time):
    n = a.rows
    joined = mp.zeros(n + 2)
    joined[:n, :n] = a * time
    joined[:n, n] = b * time
    joined[n, n + 1] = 1
    e = expm(joined)
    return e[:n, :n], e[:n, n], e[:n, n + 1]


def expand(roots):
    values = [mp.mpf(1)]
    for root in roots:
        values = [x - root * y for x, y in zip(values + [0], [0] + values)]
    return [mp.re(value) for value in values]


def of_response(phi, first, state, c):
    """The numerator over the characteristic polynomial of phi (Faddeev and LeVerrier) for an impulse response."""
    n = phi.rows
    den, m = [mp.mpf(1)], mp.eye(n)
    for k in range(1, n + 1):
        am = phi * m
        den.append(-sum(am[i, i] for i in range(n)) / k)
        m = am + den[-1] * mp.eye(n)
    response = [first]
    for _ in range(n):
        response.append((c * state)[0])
        state = phi * state
    num = [sum(den[i] * response[j - i] for i in range(j + 1)) for j in range(n + 1)]
    return num, den


def convolve(a, b):
    out = [mp.mpf(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def power(values, count):
    out = [mp.mpf(1)]
    for _ in range(count):
        out = convolve(out, values)
    return out


def tustin(num, den, time, prewarp):
    n = len(den) - 1
    factor = 2 / time if prewarp is None else prewarp / mp.tan(prewarp * time / 2)
    both = []
    for values in (num, den):
        total = [mp.mpf(0)] * (n + 1)
        for k, value in enumerate(values):
            term = convolve(power([1, -1], n - k), power([1, 1], k))
            total = [x + value * factor ** (n - k) * y for x, y in zip(total, term)]
        both.append(total)
    lead = both[1][0]
    return [c / lead for c in both[0]], [c / lead for c in both[1]]


def matched(num, den, time):
    n = len(den) - 1
    first = next(i for i, c in enumerate(num) if c != 0)
    strip = lambda values: values[: len(values) - next(i for i, c in enumerate(reversed(values)) if c != 0)]
    roots = lambda values: (
        mp.polyroots(values, maxsteps=3000, extraprec=3000, error=False) if len(values) > 1 else []
    )
    above, below = num[first:], den
    zeros, poles = roots(strip(above)), roots(strip(below))
    gain = above[0]
    for z in zeros:
        gain *= -z / (1 - mp.exp(z * time))
    for p in poles:
        gain *= (1 - mp.exp(p * time)) / -p
    at_zero = [len(v) - len(strip(v)) for v in (above, below)]
    gain *= time ** (at_zero[1] - at_zero[0])
    infinite = max(first - 1, 0)
    gain = mp.re(gain) / 2**infinite
    new_zeros = [mp.exp(z * time) for z in zeros] + [1] * at_zero[0] + [-1] * infinite
    new_den = expand([mp.exp(p * time) for p in poles] + [1] * at_zero[1])
    new_num = [gain * c for c in expand(new_zeros)]
    return [mp.mpf(0)] * (n + 1 - len(new_num)) + new_num, new_den


def floats(values):
    return [float(value) for value in values]


def close(found, expected, what):
    scale = max(abs(x) for x in expected)
    off = max(abs(a - b) for a, b in zip(found, expected))
    assert len(found) == len(expected) and off <= 1e-7 * scale, (what, found, expected)


def main():
    cases = []

    def case(method, num, den, time, found, prewarp=None):
        cases.append(
            dict(
                method=method,
                prewarp=prewarp,
                num=num,
                den=den,
                time=time,
                numerator=floats(found[0]),
                denominator=floats(found[1]),
            )
        )

    for num, den, time in SYSTEMS:
        above, below = polynomials(num, den)
        exact = mp.mpf(time)
        found = {"bilinear": tustin(above, below, exact, None)}
        if len(below) == 1:
            found["zoh"] = found["foh"] = (above, below)
        else:
            a, b, c, d = canonical(above, below)
            phi, one, two = holds(a, b, exact)
            found["zoh"] = of_response(phi, d, one, c)
            found["foh"] = of_response(phi, d + (c * two)[0], one - two + phi * two, c)
        if above[0] == 0:
            found["impulse"] = of_response(phi, (c * b)[0] * exact, phi * b * exact, c)
        for method, result in found.items():
            # SciPy 1.17 has no systems without poles, and the triangle hold of a few samples loses digits.
            if len(below) > 1:
                scipy_num, scipy_den, _ = signal.cont2discrete((floats(above), floats(below)), time, method=method)
                close(floats(result[1]), scipy_den, (method, num, den))
                if time > 1e-2:
                    close(floats(result[0]), scipy_num[0], (method, num, den))
            case("tustin" if method == "bilinear" else method, num, den, time, result)
        prewarp = 0.9 / time
        result = tustin(above, below, exact, mp.mpf(prewarp))
        if len(below) > 1:
            sampled = control.sample_system(control.tf(floats(above), floats(below)), time, "tustin", prewarp_frequency=prewarp)
            close(floats(result[1]), sampled.den[0][0], ("prewarp", num, den))
        case("tustin", num, den, time, result, prewarp)
        result = matched(above, below, exact)
        if len(below) > 1 and below[-1] != 0 and above[1] != 0:
            # python-control puts no zeros at -1, which is the same for a relative degree of 1 at most.
            sampled = control.sample_system(control.tf(floats(above), floats(below)), time, "matched")
            close(floats(result[1]), sampled.den[0][0], ("matched", num, den))
            expected = sampled.num[0][0]
            close(floats(result[0])[-len(expected) :], expected, ("matched", num, den))
        case("matched", num, den, time, result)

    random = np.random.default_rng(49)
    matrices = []
    for order, inputs, outputs in [(1, 1, 1), (2, 2, 1), (3, 1, 2), (4, 2, 2)]:
        a = np.round(random.normal(size=(order, order)) - np.eye(order), 4)
        b = np.round(random.normal(size=(order, inputs)), 4)
        c = np.round(random.normal(size=(outputs, order)), 4)
        d = np.round(random.normal(size=(outputs, inputs)), 4)
        for method in ["zoh", "foh", "impulse", "bilinear"]:
            feed = 0 * d if method == "impulse" else d
            found = signal.cont2discrete((a, b, c, feed), 0.3, method=method)[:4]
            given = dict(zip("abcd", [m.tolist() for m in (a, b, c, feed)]))
            name = "tustin" if method == "bilinear" else method
            matrices.append(dict(method=name, time=0.3, given=given, found=dict(zip("abcd", [m.tolist() for m in found]))))
    print(json.dumps(dict(cases=cases, matrices=matrices)))


main()
