"""Fits of published problems by `simulate fit`, and by SciPy's `least_squares` with `solve_ivp` on the same equations.

Each problem is stated once, in the language of the block *ODE*, and is translated to Python for SciPy. Both begin at the
same values, on the same logarithmic scale, within the same bounds. SciPy has its own Jacobian, by finite differences, and
LSODA, its quickest solver; the time is that of the process for both, so ours includes the start of the program and the
confidence intervals. Best of three, one after the other.

    python3 benches/peers/fit.py path/to/simulate
"""

import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

TESTS = Path(__file__).parents[2] / "tests" / "cli" / "fit"


def table(name):
    with open(TESTS / name) as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(cell) if cell else float("nan") for cell in row] for row in rows[1:]]


class Problem:
    """Equations, parameters (name, lower bound, upper bound, start), and experiments: constants, columns, weights, which
    are numbers or a number for each row. A tolerance ends a search in a valley; without one, each has its own default."""

    def __init__(self, name, equations, initial, params, experiments, solver, delta, published, tolerance=None):
        self.name, self.equations, self.initial, self.params = name, equations, initial, params
        self.experiments, self.solver, self.delta, self.published = experiments, solver, delta, published
        self.constants = list(experiments[0]["constants"])
        self.tolerance = tolerance

    def file(self):
        names = [param[0] for param in self.params] + self.constants
        values = [param[3] for param in self.params] + list(self.experiments[0]["constants"].values())
        outputs = list(self.experiments[0]["columns"])
        blocks = "".join(
            f'<block id="{i}" group="Var" name="Static" label="{name}"><option name="Value"><value>{value!r}</value>'
            f'</option></block><connection from="{i}" output="Output" to="0" input="{name}"/>'
            for i, (name, value) in enumerate(zip(names, values), 1)
        )
        exits = "".join(
            f'<exit id="{100 + i}" name="{name}"/><connection from="0" output="{name}" to="{100 + i}" input="Input"/>'
            for i, name in enumerate(outputs)
        )
        return (
            f'<simulation steps="10" delta="{self.delta}" root="r" {self.solver}><model name="r">'
            f'<block id="0" group="User" name="ODE"><option name="Equations"><value>{self.equations}</value></option>'
            f'<option name="Initial Values"><value>{self.initial}</value></option>'
            f'<option name="Inputs"><value>{" ".join(names)}</value></option></block>{blocks}{exits}</model></simulation>'
        )

    def ours(self, program, folder):
        Path(folder, "m.simx").write_text(self.file())
        args = [program, "fit", "m.simx", "--format", "json", "-q", "--threads", "1"]
        for number, experiment in enumerate(self.experiments):
            columns = experiment["columns"]
            single = [name for name, of in experiment["weights"].items() if isinstance(of, list)]
            rows = zip(experiment["times"], *columns.values(), *(experiment["weights"][name] for name in single))
            text = "\n".join(",".join("" if cell != cell else repr(float(cell)) for cell in row) for row in rows)
            heads = ",".join(["time", *columns, *(f"w{name}" for name in single)])
            Path(folder, f"d{number}.csv").write_text(f"{heads}\n{text}\n")
            args += ["--data", f"d{number}.csv"]
            for name, value in experiment["constants"].items():
                args += ["--set-for", f"d{number}.csv", f"{name}.Value={value!r}"]
        for name, weight in self.experiments[0]["weights"].items():
            args += ["--weight", f"{name}=w{name}" if isinstance(weight, list) else f"{name}={weight!r}"]
        if self.tolerance:
            args += ["--tolerance", str(self.tolerance)]
        for name, low, high, _ in self.params:
            args += ["--parameter", f"{name}.Value={low}:{high}:log"]
        begin = time.perf_counter()
        done = subprocess.run(args, cwd=folder, capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        found = json.loads(done.stdout)
        runs = found["runs"] + found["runs_with_derivatives"]
        return seconds, found["sum_after"], runs

    def scipy(self):
        states, right, outputs = self.translated()
        start = np.log([param[3] for param in self.params])
        bounds = np.log([param[1] for param in self.params]), np.log([param[2] for param in self.params])
        runs = 0

        def residuals(at):
            nonlocal runs
            found = []
            for experiment in self.experiments:
                runs += 1
                given = dict(zip([param[0] for param in self.params], np.exp(at)), **experiment["constants"])
                initial = self.initial_of(states, given)
                solve = dict(method="LSODA", rtol=1e-8, atol=1e-10, t_eval=experiment["times"])
                span = (0.0, max(experiment["times"]))
                run = solve_ivp(lambda t, x: right(t, x, given), span, initial, **solve)
                for name, column in experiment["columns"].items():
                    if run.y.shape[1] < len(column):
                        return np.full(self.count(), 1e6)
                    simulated = [outputs(t, x, given)[name] for t, x in zip(run.t, run.y.T)]
                    weight = np.array(experiment["weights"].get(name, 1.0))
                    is_measured = np.isfinite(column)
                    found += list((weight * (np.array(simulated) - np.array(column)))[is_measured])
            return np.array(found)

        begin = time.perf_counter()
        # Differences as wide as the errors of the solver ask for.
        ends = dict(ftol=self.tolerance) if self.tolerance else {}
        found = least_squares(residuals, start, bounds=bounds, x_scale="jac", diff_step=1e-5, max_nfev=500, **ends)
        return time.perf_counter() - begin, 2 * found.cost, runs

    def count(self):
        return sum(np.isfinite(column).sum() for of in self.experiments for column in of["columns"].values())

    def translated(self):
        """The states in their order, and functions of time, states and values: their rates, and the outputs."""
        statements = [part.strip() for part in self.equations.replace("^", "**").split(";") if part.strip()]
        pairs = [re.split(r"\s*=\s*", statement, maxsplit=1) for statement in statements]
        states = [name[:-1] for name, _ in pairs if name.endswith("'")]
        lines = [f"{'_rate_' + name[:-1] if name.endswith(chr(39)) else name} = {of}" for name, of in pairs]
        rates = ", ".join(f"_rate_{name}" for name in states)
        names = [param[0] for param in self.params] + self.constants
        columns = ", ".join(f"'{name}': {name}" for name in self.experiments[0]["columns"])
        bind = [f"({', '.join(states)},) = _x", f"({', '.join(names)},) = _given"]
        code = "\n    ".join(bind + lines)
        space = {"exp": np.exp, "log10": lambda x: np.log10(max(x, 1e-300)), "log": np.log}
        exec(f"def rates(t, _x, _given):\n    {code}\n    return [{rates}]", space)
        exec(f"def columns(t, _x, _given):\n    {code}\n    return {{{columns}}}", space)
        own = lambda given: [given[name] for name in names]
        return states, lambda t, x, of: space["rates"](t, x, own(of)), lambda t, x, of: space["columns"](t, x, own(of))

    def initial_of(self, states, given):
        values = dict.fromkeys(states, 0.0)
        for statement in filter(None, (part.strip() for part in self.initial.split(";"))):
            name, of = re.split(r"\s*=\s*", statement, maxsplit=1)
            values[name] = eval(of, {}, dict(given))
        return list(values.values())


def boehm():
    text = (TESTS / "boehm.simx").read_text()
    part = lambda name: re.search(f'name="{name}"><value>(.*?)</value>', text, re.S).group(1)
    names, rows = table("boehm.csv")
    columns = {name: [row[names.index(name)] for row in rows] for name in ["pA", "pB", "rA"]}
    deviations = [3.85261197844677, 6.59147818673419, 3.15271275648527]
    experiment = dict(
        constants={},
        columns=columns,
        times=[row[0] for row in rows],
        weights={name: 1 / of for name, of in zip(columns, deviations)},
    )
    starts = dict(d=0.01, kxe=0.001, kxo=0.01, kie=0.01, kio=100.0, kp=1e4)
    params = [(name, 1e-5, 1e5, start) for name, start in starts.items()]
    return Problem(
        "Boehm", part("Equations"), part("Initial Values"), params, [experiment], 'solver="rodas4"', 0.5, 47.9765
    )


def constant(text, name):
    return re.search(f"const {name}: Problem = (Problem {{.*?}});", text, re.S).group(1)


def of_tests(file, name, experiments, published, tolerance=None):
    """A problem as the tests state it."""
    text = re.sub(r"\\\n\s*", "", (TESTS / "petab" / file).read_text())
    stated = constant(text, name)
    field = lambda of: re.search(rf'{of}: r?#?"(.*?)"#?,\n', stated, re.S).group(1)
    params = re.findall(r'\("(\w+)", ([\d.e-]+), ([\d.e-]+), ([\d.e-]+)\)', stated.split("constants:")[0])
    params = [(of, float(low), float(high), float(start)) for of, low, high, start in params]
    delta = float(re.search(r"delta: ([\d.e-]+)", stated).group(1))
    return Problem(
        name.title(), field("equations"), field("initial"), params, experiments, field("solver"), delta, published, tolerance
    )


def single(name, weight=1.0, constants=None, of=lambda value: value):
    names, rows = table(f"petab/{name}.csv")
    columns = {"y": [of(row[1]) for row in rows]}
    return dict(constants=constants or {}, columns=columns, times=[row[0] for row in rows], weights={"y": weight})


def sneyd():
    concentrations = [(0.1, 10), (0.2, 10), (0.4, 10), (1, 10), (3, 10), (10, 10), (0.4, 3), (0.4, 5), (0.4, 10)]
    _, rows = table("petab/sneyd.csv")
    return [
        dict(
            constants={"ca": ca, "ip": float(ip)},
            columns={"y": [row[number + 1] for row in rows]},
            times=[row[0] for row in rows],
            weights={"y": 1 / 0.022665679544462},
        )
        for number, (ca, ip) in enumerate(concentrations)
    ]


def fujita():
    with open(TESTS / "petab" / "fujita.csv") as file:
        rows = list(csv.DictReader(file))
    for number, egf in enumerate([0.1, 0.3, 1.0, 3.0, 10.0, 30.0], 1):
        own = [row for row in rows if row["experiment"] == str(number)]
        times = sorted({float(row["time"]) for row in own})
        columns = {name: [float("nan")] * len(times) for name in ["ye", "ya", "ys"]}
        weights = {name: [1.0] * len(times) for name in columns}
        for row in own:
            place = times.index(float(row["time"]))
            columns[row["signal"]][place] = float(row["value"])
            weights[row["signal"]][place] = 1 / float(row["deviation"])
        yield dict(constants={"egf": egf}, columns=columns, times=times, weights=weights)


def problems():
    yield boehm()
    yield of_tests("epidemics.rs", "BERTOZZI", [single("bertozzi_ny", 1 / 638.7370177109516, {"n": 19.54e6})], 11.0)
    yield of_tests("cells.rs", "PERELSON", [single("perelson", of=np.log10)], 0.2414041)
    yield of_tests("epidemics.rs", "RAHMAN", [single("rahman")], 0.0358074)
    yield of_tests("cells.rs", "SNEYD", sneyd(), 134.76696)
    yield of_tests("cells.rs", "ELOWITZ", [single("elowitz", 1 / 0.071841413831614, of=np.log10)], 58.0001, 1e-4)
    yield of_tests("conditions.rs", "FUJITA", list(fujita()), 761.06593, 1e-4)


def main(program, only):
    print("| problem | parameters | values | published | ours | runs | s | SciPy | runs | s | SciPy's time by ours |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for problem in problems():
        if only and problem.name.lower() not in only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            pairs = [(problem.ours(program, folder), problem.scipy()) for _ in range(3)]
        ours, theirs = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        cells = [problem.name, len(problem.params), problem.count(), problem.published]
        cells += [f"{ours[1]:.7g}", ours[2], f"{ours[0]:.3f}", f"{theirs[1]:.7g}", theirs[2], f"{theirs[0]:.2f}"]
        print(f"| {' | '.join(map(str, cells))} | {theirs[0] / ours[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), [name.lower() for name in sys.argv[2:]])
