"""The examples of the documentation with types, for mypy and pyright."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

import simulate as sim


@sim.block
def squared(u: float, *, gain: float = 1.0) -> float:
    """Multiplies the square of its input"""
    return gain * u * u


def build() -> sim.Model:
    m = sim.Model("Loop", steps=200, delta=0.01, solver="rk4")
    error = m.add("Math/Sum", "error", Signs="+-")
    plant = m.add("Continuous/Transfer Function", "plant", Numerator=[2], Denominator=[1, 3, 2])
    m.add("Var/Step", "setpoint", options={"Step Time": 0.0}) >> error
    error >> m.add("Continuous/PID Controller", "PI", P=3, I=2) >> plant >> m.exit("y")
    m.connect(plant, error, name="output")
    m.add("Var/Clock") >> m.add(squared, gain=2.0) >> m.exit("square")
    return m


def main() -> None:
    m = build()
    r: sim.Result = m.run(until=1, set={"PI.P": 4, "PI.I": np.float64(2)}, progress=lambda done, count: None)
    y: npt.NDArray[np.float64] = r["y"]
    print(float(y[-1]), r.time.shape, r.engine, [event.message for event in r.events])
    with ThreadPoolExecutor() as executor:
        s = m.sweep({"PI.P": sim.linspace(1, 5, 5), "PI.I": [1.0, 2.0]}, executor=executor)
    print(s.grid("y").shape, s.failures)
    A, B, C, D = m.linearize("PI", "plant", open=True)
    print(A.shape, B.shape, C.shape, D.shape, m.linearize("PI", "plant").bode()[1].max())
    point = m.trim(set={"setpoint.Step Time": 0}).point
    print(m.run(steps=10, resume=point).steps)
    stepper = m.stepper(["setpoint.Final Value"], ["y"])
    print(stepper.step(1.0), stepper.time, stepper.is_over)
    found: list[sim.Diagnostic] = m.check()
    print([diagnostic.code for diagnostic in found], m.to_simx()[:20], m.picture()[:4])
    try:
        m.set({"PI.X": 1})
    except sim.PathError as error:
        print(error, error.block)


if __name__ == "__main__":
    main()
