"""Writes the rows of other solvers to work_precision.csv, and work_precision.md, where all stand beside each other.

Each solves the problems of problems.py from beginning to end with four tolerances and the problem's Jacobian. Counted
are all evaluations of the rates (also those that failed steps took), Jacobians and accepted steps. The error is the
greatest of all states at the end, by |y| + scale: as many times the tolerance as the solver has missed it. The
program's own rows, "simulate ...", come from the test `work_and_precision_are_as_in_the_table` with UPDATE_GOLDEN=1.
Needs scikit-sundae for CVODE.
"""

import csv
import json
import pathlib
import warnings

import numpy as np
from scipy.integrate import solve_ivp
from sksundae.cvode import CVODE

from problems import PROBLEMS

TOLERANCES = [1e-3, 1e-5, 1e-7, 1e-9]
FIELDS = ["problem", "solver", "tolerance", "evaluations", "jacobians", "steps", "error"]
EXPLICIT = ["SciPy RK45", "SciPy DOP853", "SciPy LSODA", "CVODE Adams"]
STIFF = ["SciPy Radau", "SciPy BDF", "SciPy LSODA", "CVODE BDF"]


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, t, y):
        self.calls += 1
        return self.function(np.float64(t), np.asarray(y))


def solve(problem, solver, tolerance):
    """The state at the end, or none if it fails, with the counts; it starts again at each jump of the rates."""
    state, counts = np.array([float(x) for x in problem.initial]), np.zeros(3, dtype=int)
    for begin, end, rates in problem.pieces():
        rates, jacobian = Counted(rates), Counted(problem.jacobian)
        state, steps = advance(problem, solver, tolerance, (rates, jacobian), (begin, end), state)
        counts += [rates.calls, jacobian.calls, steps]
        if state is None:
            break
    return state, *counts


def advance(problem, solver, tolerance, functions, span, initial):
    rates, jacobian = functions
    family, method = solver.split(" ")
    tolerances = {"rtol": tolerance, "atol": tolerance * problem.scale}
    if family == "CVODE":

        def fill(t, y, out):
            out[:] = rates(t, y)

        def fill_jacobian(t, y, _, out):
            out[:, :] = jacobian(t, y)

        cvode = CVODE(fill, jacfn=fill_jacobian, method=method, max_num_steps=10**6, **tolerances)
        found = cvode.solve(np.array(span), initial)
        return (found.y[-1] if found.success else None), len(found.t) - 1
    jac = {} if method in ("RK45", "DOP853") else {"jac": jacobian}
    found = solve_ivp(rates, span, initial, method, **tolerances, **jac)
    return (found.y[:, -1] if found.success else None), len(found.t) - 1


def rows():
    path = pathlib.Path(__file__).with_name("solvers.json")
    solutions = {row["problem"]: np.array(row["values"]) for row in json.loads(path.read_text())["solutions"]}
    for problem in PROBLEMS:
        wanted = solutions[problem.name]
        for solver in STIFF if problem.is_stiff else EXPLICIT:
            for tolerance in TOLERANCES:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    end, evaluations, jacobians, steps = solve(problem, solver, tolerance)
                error = np.inf if end is None else np.max(np.abs(end - wanted) / (np.abs(wanted) + problem.scale))
                yield [problem.name, solver, f"{tolerance:.0e}", evaluations, jacobians, steps, f"{error:.2e}"]


def table(rows):
    """A heading for each problem, a row for each solver, a pair of columns for each tolerance."""
    lines = ["# Work and precision", "", __doc__.split("\n\n")[1].replace("\n", " ").strip(), ""]
    for problem in PROBLEMS:
        lines += [f"## {problem.name}, to t = {problem.end:g}, scale {problem.scale:g}", ""]
        lines += ["| solver | " + " | ".join(f"{t:.0e}: evaluations (Jacobians) | error" for t in TOLERANCES) + " |"]
        lines += ["|---" * (1 + 2 * len(TOLERANCES)) + "|"]
        of = [row for row in rows if row[0] == problem.name]
        for solver in sorted({row[1] for row in of}, key=lambda solver: (not solver.startswith("simulate"), solver)):
            cells = []
            for tolerance in TOLERANCES:
                found = [row for row in of if row[1] == solver and float(row[2]) == tolerance]
                cells += [f"{found[0][3]} ({found[0][4]})", found[0][6]] if found else ["", ""]
            lines += [f"| {solver} | " + " | ".join(cells) + " |"]
        lines += [""]
    return "\n".join(lines)


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_suffix(".csv")
    kept = list(csv.reader(path.open()))[1:] if path.exists() else []
    kept = [row for row in kept if row[1].startswith("simulate ")]
    made = [[str(field) for field in row] for row in rows()] + kept
    order = {problem.name: number for number, problem in enumerate(PROBLEMS)}
    made.sort(key=lambda row: (order[row[0]], row[1], -float(row[2])))
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([FIELDS, *made])
    path.with_suffix(".md").write_text(table(made), encoding="utf-8")
