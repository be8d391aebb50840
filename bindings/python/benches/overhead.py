"""Measures the cost of a run, a step and a result in Python, beside other programs: python overhead.py.

The model is a DC motor with a PI controller, 1,000 steps of RK4 at 1 ms, as each program writes it.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import simulate as sim

STEPS, DELTA = 1000, 1e-3


def median(of: Callable[[], Any], times: int) -> float:
    """Seconds of a call."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        of()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def model() -> sim.Model:
    m = sim.Model("Motor", steps=STEPS, delta=DELTA)
    error = m.add("Math/Sum", "error", Signs="+-")
    pi = m.add("Continuous/PID Controller", "PI", P=3, I=2)
    motor = m.add("Continuous/State Space", "motor", A=[-10, 1, -0.02, -2], B=[0, 2], C=[1, 0], D=0)
    m.add("Var/Static", "wanted", Value=1) >> error >> pi >> motor >> m.exit("y")
    m.connect(motor, error)
    return m


def ours() -> None:
    m = model()
    m.run()
    run = median(m.run, 300)
    nothing = median(lambda: m.run(steps=0), 300)
    print(f"simulate: a run of {STEPS} steps              {run * 1e6:9.1f} µs")
    print(f"simulate: a run of no steps (our overhead)  {nothing * 1e6:9.1f} µs")
    print(f"simulate: a run with a value               {median(lambda: m.run(set={'PI.P': 4}), 300) * 1e6:9.1f} µs")
    stepper = m.stepper(["wanted.Value"], ["y"])
    step = stepper.step
    count = 20_000

    def many() -> None:
        for _ in range(count):
            step(1.0)

    idle = sim.Model("Idle", steps=1, delta=1)
    idle.add("Var/Static") >> idle.exit("y")
    empty = idle.stepper([], ["y"]).step

    def many_empty() -> None:
        for _ in range(count):
            empty()

    print(f"simulate: a step from Python               {median(many, 5) / count * 1e6:9.2f} µs")
    print(f"simulate: the same of a model of one block {median(many_empty, 5) / count * 1e6:9.2f} µs")
    long = sim.Model("Long", steps=1_000_000, delta=1e-3)
    long.add("Var/Sine") >> long.exit("y")
    r = long.run()
    column = r["y"].base
    view = median(lambda: np.frombuffer(column, dtype=float), 1000)
    copy = median(lambda: np.array(r["y"]), 20)
    print(f"simulate: a million samples as an array    {view * 1e6:9.2f} µs (a copy {copy * 1e6:.0f} µs)")
    print(f"simulate: a run of a million steps         {median(long.run, 3) * 1e3:9.2f} ms")
    print(f"simulate: 200 runs of a sweep              {median(lambda: m.sweep({'PI.P': sim.linspace(1, 5, 200)}), 5) * 1e3:9.2f} ms")


def by_control() -> None:
    import control

    plant = control.ss([[-10, 1], [-0.02, -2]], [[0], [2]], [[1, 0]], [[0]])
    loop = control.feedback(control.tf([3, 2], [1, 0]) * plant, 1)
    t = np.arange(STEPS) * DELTA
    print(f"python-control: step_response              {median(lambda: control.step_response(loop, t), 20) * 1e6:9.1f} µs")


def by_pathsim() -> None:
    from pathsim import Connection, Simulation
    from pathsim.blocks import PID, Adder, Constant, Scope, StateSpace
    from pathsim.solvers import RK4

    def run() -> None:
        wanted, error = Constant(1), Adder("+-")
        pi = PID(Kp=3, Ki=2, Kd=0, f_max=100)
        plant = StateSpace(np.array([[-10, 1], [-0.02, -2]]), np.array([[0.0], [2]]), np.array([[1.0, 0]]), np.zeros((1, 1)))
        scope = Scope()
        wires = [Connection(wanted, error), Connection(error, pi), Connection(pi, plant), Connection(plant, error[1], scope)]
        Simulation([wanted, error, pi, plant, scope], wires, dt=DELTA, Solver=RK4, log=False).run(STEPS * DELTA)

    print(f"PathSim: a run of {STEPS} steps              {median(run, 3) * 1e6:9.1f} µs")


def by_simupy() -> None:
    # It was written for an older NumPy.
    for name, of in (("Inf", np.inf), ("float_", np.float64)):
        if not hasattr(np, name):
            setattr(np, name, of)
    from simupy.block_diagram import BlockDiagram
    from simupy.systems import LTISystem, SystemFromCallable

    plant = LTISystem(np.array([[-10, 1], [-0.02, -2]]), np.array([[0.0], [2]]), np.array([[1.0, 0]]))
    integral = LTISystem(np.zeros((1, 1)), np.ones((1, 1)), np.ones((1, 1)))
    error = SystemFromCallable(lambda t, u: np.array([1 - u[0]]), 1, 1)
    pi = SystemFromCallable(lambda t, u: np.array([3 * u[0] + 2 * u[1]]), 2, 1)

    def run() -> None:
        diagram = BlockDiagram(plant, integral, error, pi)
        diagram.connect(plant, error)
        diagram.connect(error, integral)
        diagram.connect(error, pi, inputs=[0])
        diagram.connect(integral, pi, inputs=[1])
        diagram.connect(pi, plant)
        diagram.simulate(STEPS * DELTA, integrator_options={"name": "dopri5", "rtol": 1e-6, "atol": 1e-9, "nsteps": 5000, "max_step": DELTA})

    print(f"SimuPy: a run of {STEPS * DELTA:g} s, steps ≤ 1 ms       {median(run, 3) * 1e6:9.1f} µs")


def by_bdsim() -> None:
    import bdsim

    system = bdsim.BDSim(graphics=False, animation=False, progress=False, quiet=True, banner=False)

    def run() -> None:
        diagram = system.blockdiagram()
        wanted, error = diagram.CONSTANT(1), diagram.SUM("+-")
        pi = diagram.LTI_SISO([3, 2], [1, 1e-9])
        plant = diagram.LTI_SS(A=np.array([[-10, 1], [-0.02, -2]]), B=np.array([[0.0], [2]]), C=np.array([[1.0, 0]]))
        diagram.connect(wanted, error[0])
        diagram.connect(error, pi)
        diagram.connect(pi, plant)
        diagram.connect(plant, error[1])
        diagram.compile(report=False) if "report" in diagram.compile.__code__.co_varnames else diagram.compile()
        system.run(diagram, T=STEPS * DELTA, dt=DELTA)

    print(f"bdsim: a run of {STEPS * DELTA:g} s, output each 1 ms    {median(run, 3) * 1e6:9.1f} µs")


if __name__ == "__main__":
    ours()
    for name, measure in (("control", by_control), ("pathsim", by_pathsim), ("simupy", by_simupy), ("bdsim", by_bdsim)):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed")
            continue
        try:
            measure()
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")
