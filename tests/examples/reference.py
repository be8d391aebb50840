"""Independent solutions of the examples by SciPy's DOP853 at tolerances of 1e-12; writes the CSV files beside it.

Run by hand with SciPy 1.x and NumPy; the tests read the files only.
"""

import csv
import pathlib

import numpy as np
from scipy.integrate import solve_ivp

HERE = pathlib.Path(__file__).parent


def solve(f, x0, times, breaks=()):
    """The solution at `times`, begun anew at each of `breaks`, where the right-hand side jumps."""
    times = np.asarray(times, float)
    edges = [0.0, *breaks, times[-1]]
    x, out = np.asarray(x0, float), {0.0: np.asarray(x0, float)}
    for start, end in zip(edges, edges[1:]):
        inside = times[(times > start) & (times <= end)]
        at = np.unique(np.append(inside, end))
        middle = (start + end) / 2
        got = solve_ivp(lambda t, x: f(t, x, middle), (start, end), x, "DOP853", at, rtol=1e-12, atol=1e-14)
        assert got.success
        out.update(zip(got.t, got.y.T))
        x = got.y[:, -1]
    return [out[t] for t in times]


def write(name, header, times, rows):
    with open(HERE / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *header])
        for t, row in zip(times, rows):
            writer.writerow([repr(float(t)), *(repr(float(value)) for value in row)])


def dc_motor():
    J, b, K, R, L, P, I, D, N = 0.01, 0.1, 0.01, 1.0, 0.5, 100.0, 200.0, 10.0, 100.0

    def f(t, x, middle):
        current, speed, integral, filtered = x
        error = (1.0 if middle > 0.1 else 0.0) - speed
        rate = N * (D * error - filtered)
        voltage = P * error + I * integral + rate
        return [(voltage - R * current - K * speed) / L, (K * current - b * speed) / J, error, rate]

    times = [0.2, 0.5, 1.0, 2.0, 2.9]
    write("dc_motor", ["speed"], times, [x[1:2] for x in solve(f, [0, 0, 0, 0], times, [0.1])])


def lorenz():
    def f(t, x, _):
        return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]

    times = [0.5, 1.0, 2.0, 5.0]
    write("lorenz", ["x", "y", "z"], times, solve(f, [1, 1, 1], times))


def predator_prey():
    def f(t, x, _):
        return [1.1 * x[0] - 0.4 * x[0] * x[1], 0.1 * x[0] * x[1] - 0.4 * x[1]]

    times = [1.0, 5.0, 10.0, 50.0, 99.0]
    write("predator_prey", ["prey", "predators"], times, solve(f, [10, 10], times))


def epidemic():
    def town(s, i, visitors):
        new = 0.5 * s * (i + visitors)
        return [-new, new - 0.2 * i, 0.2 * i]

    def f(t, x, middle):
        visitor = 0.001 if 1 < middle < 2 else 0.0
        return town(x[0], x[1], visitor + 0.01 * x[4]) + town(x[3], x[4], 0.01 * x[1])

    times = [1.5, 10.0, 30.0, 50.0, 149.0]
    rows = solve(f, [1, 0, 0, 1, 0, 0], times, [1.0, 2.0])
    write("epidemic", ["infected A", "infected B", "recovered B"], times, [[x[1], x[4], x[5]] for x in rows])


def mass_spring_chain():
    count = 10

    def f(t, x, _):
        position, velocity = x[:count], x[count:]
        left = np.concatenate([[0.1 * np.sin(t)], position[:-1]])
        right = np.concatenate([position[1:], [0.0]])
        return np.concatenate([velocity, 4 * (left + right - 2 * position)])

    times = [1.0, 5.0, 10.0, 30.0, 59.0]
    write("mass_spring_chain", ["last"], times, [[x[count - 1]] for x in solve(f, np.zeros(2 * count), times)])


if __name__ == "__main__":
    for example in (dc_motor, lorenz, predator_prey, epidemic, mass_spring_chain):
        example()
