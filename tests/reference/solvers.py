"""Writes solvers.json: what solvers must find.

`solutions` are the references of problems.py. `stepped` are the results of the methods of fixed step themselves, after
so many steps: the same method from its published coefficients, in numbers of 64 bits of mantissa, so that a wrong
coefficient, stage or time shows in the twelfth digit and not only in the order.
"""

import json
import pathlib

import numpy as np
from scipy.integrate import RK45
from scipy.integrate._ivp import dop853_coefficients as dop853

from problems import PROBLEMS, L, check, factored, reference, solved


def explicit(c, a, b):
    """A Runge-Kutta method of Butcher's coefficients."""

    def step(problem, t, y, h):
        k = []
        for node, row in zip(c, a):
            k.append(problem.rates(t + L(node) * h, y + h * sum((L(f) * r for f, r in zip(row, k)), 0 * y)))
        return y + h * sum(L(weight) * rate for weight, rate in zip(b, k))

    return step


def implicit(now, then):
    """y + h (now f(t, y) + then f(t + h, y+)), solved by Newton's method."""

    def step(problem, t, y, h):
        base, new = y + h * L(now) * problem.rates(t, y), y.copy()
        for _ in range(30):
            slope = np.eye(len(y), dtype=L) - h * L(then) * np.array(problem.jacobian(t + h, new), dtype=L)
            change = solved(factored(slope), base + h * L(then) * problem.rates(t + h, new) - new)
            new = new + change
            if np.max(np.abs(change)) < 1e-17 * np.max(np.abs(new)):
                return new
        raise ArithmeticError("no solution")

    return step


# RODAS, Hairer and Wanner: Solving Ordinary Differential Equations II, section IV.7, as their code rodas.f has it.
A = [[], [1.544], [0.9466785280815826, 0.2557011698983284], [3.314825187068521, 2.896124015972201, 0.9986419139977817],
     [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950],
     [1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0]]  # fmt: skip
C = [[], [-5.6688], [-2.430093356833875, -0.2063599157091915], [-0.1073529058151375, -9.594562251023355, -20.47028614809616],
     [7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160],
     [8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054]]  # fmt: skip
ALPHA = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0]
D = [0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0]


def rosenbrock(problem, t, y, h):
    """(1/(h gamma) - J) u_i = f(t + alpha_i h, y + sum a_ij u_j) + sum c_ij u_j / h + d_i h df/dt."""
    jacobian = np.array(problem.jacobian(t, y), dtype=L)
    factors = factored(np.eye(len(y), dtype=L) / (h * L(0.25)) - jacobian)
    width = L(1e-6)
    by_time = (problem.rates(t + width, y) - problem.rates(t - width, y)) / (2 * width)
    u = []
    for alpha, a, c, d in zip(ALPHA, A, C, D):
        at = y + sum((L(f) * x for f, x in zip(a, u)), 0 * y)
        right = (
            problem.rates(t + L(alpha) * h, at) + sum((L(f) * x for f, x in zip(c, u)), 0 * y) / h + L(d) * h * by_time
        )
        u.append(solved(factors, right))
    return y + sum((L(f) * x for f, x in zip(A[5], u)), 0 * y) + u[5]


# The program's name, the method, and the problems on which it is tried with so many steps.
METHODS = {
    "euler": explicit([0], [[]], [1]),
    "heun": explicit([0, 1], [[], [1]], [0.5, 0.5]),
    "rk4": explicit([0, 0.5, 0.5, 1], [[], [0.5], [0, 0.5], [0, 0, 1]], [L(1) / 6, L(1) / 3, L(1) / 3, L(1) / 6]),
    "dopri5": explicit(RK45.C, RK45.A, RK45.B),
    "dopri8": explicit(dop853.C[:12], dop853.A[:12], dop853.B),
    "backward-euler": implicit(0, 1),
    "trapezoidal": implicit(0.5, 0.5),
    "rodas4": rosenbrock,
}
IMPLICIT = ["backward-euler", "trapezoidal", "rodas4"]
# Steps so large that the methods differ from each other in the first digits, and for which the explicit ones, if they
# are tried, are stable.
TRIALS = [
    ("smooth", 0.1, 30, METHODS),
    ("van der Pol 5", 0.02, 50, METHODS),
    ("Lorenz", 0.01, 60, METHODS),
    ("Robertson", 2e-4, 40, METHODS),
    ("heat rod", 2e-4, 25, METHODS),
    ("Pollution", 0.2, 30, IMPLICIT),
    ("Medical Akzo Nobel", 0.01, 5, IMPLICIT),
]


def written(values):
    """The nearest doubles."""
    return [float(value) for value in values]


if __name__ == "__main__":
    problems = {problem.name: problem for problem in PROBLEMS}
    solutions, stepped = [], []
    for problem in PROBLEMS:
        found = reference(problem)
        check(problem, found)
        origin = (
            "closed form"
            if problem.closed
            else "Radau IIA of order 13, 64 bits" + (", IVP test set" if problem.published else "")
        )
        solutions.append(
            {
                "problem": problem.name,
                "origin": origin,
                "end": problem.end,
                "scale": problem.scale,
                "values": written(found),
            }
        )
    for name, h, count, solvers in TRIALS:
        problem = problems[name]
        for solver in solvers:
            y = np.array([L(x) for x in problem.initial])
            for step in range(count):
                y = METHODS[solver](problem, L(h) * step, y, L(h))
            stepped.append({"problem": name, "solver": solver, "origin": "the method's coefficients, 64 bits", "delta": h, "steps": count,
                            "names": problem.names, "values": written(y)})  # fmt: skip
    lines = lambda items: ",\n".join(json.dumps(item, separators=(",", ":")) for item in items)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(
        f'{{"solutions": [\n{lines(solutions)}\n],\n"stepped": [\n{lines(stepped)}\n]}}\n', encoding="utf-8"
    )
