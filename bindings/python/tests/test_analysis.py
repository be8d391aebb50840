"""Linearization and equilibria, compared with python-control and closed forms."""

from __future__ import annotations

import control
import numpy as np
import pytest
import scipy.signal

import simulate as sim
from conftest import make_loop


def test_matrices_are_those_of_the_transfer_function() -> None:
    m = make_loop()
    linear = m.linearize("PI", "plant", open=True)
    wanted = control.tf([2], [1, 3, 2])
    omega = np.geomspace(1e-2, 1e2, 200)
    assert np.allclose(linear.response(omega), wanted(1j * omega), rtol=1e-12)
    # As python-control and SciPy see the same matrices.
    assert np.allclose(linear.to_control()(1j * omega), wanted(1j * omega), rtol=1e-9)
    _, of_scipy = scipy.signal.StateSpace(*linear).freqresp(omega)
    assert np.allclose(of_scipy, wanted(1j * omega), rtol=1e-9)
    assert np.allclose(sorted(linear.poles().real), [-2, -1], rtol=1e-12)
    assert linear.steady_gain() == pytest.approx(1, rel=1e-14)
    assert linear.dt is None and linear.inputs == ["PI"] and linear.outputs == ["plant"]


def test_margins_are_those_of_python_control() -> None:
    m = make_loop()
    m.set({"PI.P": 3, "PI.I": 8})
    loop = m.linearize("error", "plant", open=True)
    found = loop.margins()
    gain, phase, gain_at, phase_at = control.margin(control.tf([3, 8], [1, 0]) * control.tf([2], [1, 3, 2]))
    assert found.phase == pytest.approx(phase, rel=1e-6)
    assert found.phase_at == pytest.approx(phase_at, rel=1e-6)
    assert found.gain == pytest.approx(gain, rel=1e-6)
    assert found.gain_at == pytest.approx(gain_at, rel=1e-6) or (found.gain_at is None and np.isnan(gain_at))


def test_a_delay_is_exact_in_the_response() -> None:
    m = sim.Model(steps=10, delta=0.01)
    m.entry("u", 0) >> m.add("Continuous/Transport Delay", "late", options={"Delay": 0.25}) >> m.exit("y")
    linear = m.linearize("u", "y")
    omega = np.array([0.1, 1.0, 10.0, 40.0])
    assert np.allclose(linear.response(omega), np.exp(-0.25j * omega), rtol=1e-12)
    assert linear.delays == {"late": 0.25} or list(linear.delays.values()) == [0.25]


def test_a_discrete_system_has_its_sample_time() -> None:
    m = sim.Model(steps=10, delta=0.1)
    m.entry("u", 0) >> m.add("Discrete/Discrete Transfer Function", "h", Numerator=[1, 0.5], Denominator=[1, -0.9]) >> m.exit("y")
    linear = m.linearize("u")
    assert linear.dt == pytest.approx(0.1)
    omega = np.geomspace(0.1, 30, 50)
    wanted = control.tf([1, 0.5], [1, -0.9], 0.1)
    assert np.allclose(linear.response(omega), wanted(np.exp(0.1j * omega)), rtol=1e-11)


def pendulum() -> sim.Model:
    """θ̈ = −g/l·sin θ + u with g/l = 9.81."""
    m = sim.Model("Pendulum", steps=100, delta=0.01)
    torque = m.add("Var/Static", "torque", Value=1)
    total = m.add("Math/Sum", "sum", Signs="+-")
    speed, angle = m.add("Math/Integrate", "speed"), m.add("Math/Integrate", "angle", Initial_Value=0.3)
    torque >> total >> speed >> angle >> m.exit("out")
    angle >> m.add("Math/Trigonometry", "sin", Function="sin") >> m.add("Math/Gain", "weight", Gain=9.81) >> total
    return m


def test_an_equilibrium_and_its_linearization() -> None:
    m = pendulum()
    found = m.trim()
    angle = np.arcsin(1 / 9.81)
    assert found.states == pytest.approx({key: (angle if "angle" in key else 0) for key in found.states}, abs=1e-12)
    linear = m.linearize("torque", "angle", at=found.point)
    poles = np.sort(linear.poles().imag)
    assert np.allclose(poles, [-np.sqrt(9.81 * np.cos(angle)), np.sqrt(9.81 * np.cos(angle))], rtol=1e-12)
    # A run that begins there stays there.
    r = m.run(resume=found.point)
    assert np.allclose(r["out"], angle, rtol=1e-12)


def test_a_free_parameter_reaches_a_target() -> None:
    m = pendulum()
    found = m.trim(free=["torque.Value"], targets={"angle": 0.5})
    assert found.params["torque.Value"] == pytest.approx(9.81 * np.sin(0.5), rel=1e-12)
    with pytest.raises(sim.PathError):
        m.trim(free=["torque.Nothing"])
    with pytest.raises(sim.AnalysisError, match="no equilibrium"):
        m.trim(targets={"angle": 0.5})
    # Nothing that may change influences the target.
    with pytest.raises(sim.AnalysisError, match="a residual of 0.2 remains"):
        m.trim(targets={"angle": 0.5}, fixed=["angle"])
