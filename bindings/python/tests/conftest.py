"""Models that several tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulate as sim

EXAMPLES = Path(__file__).parents[3] / "assets" / "examples"


@pytest.fixture
def motor() -> sim.Model:
    """The example of a controlled DC motor."""
    return sim.load(EXAMPLES / "dc_motor.simx")


@pytest.fixture
def decay() -> sim.Model:
    """ẋ = −rate·x, x(0) = 1: the exit ``y`` is exp(−rate·t)."""
    return make_decay()


def make_decay(steps: int = 100, delta: float = 0.01) -> sim.Model:
    m = sim.Model("Decay", steps=steps, delta=delta)
    x = m.add("Math/Integrate", "x", Initial_Value=1)
    rate = m.add("Math/Gain", "rate", Gain=-2)
    x >> rate >> x >> m.exit("y")
    return m


def make_loop() -> sim.Model:
    """A PI controller with a plant 2/(s² + 3 s + 2); the exit is ``y``."""
    m = sim.Model("Loop", steps=1000, delta=0.01)
    error = m.add("Math/Sum", "error", Signs="+-")
    pi = m.add("Continuous/PID Controller", "PI", P=3, I=2)
    plant = m.add("Continuous/Transfer Function", "plant", Numerator=[2], Denominator=[1, 3, 2])
    m.add("Var/Step", "setpoint", Step_Time=0) >> error >> pi >> plant >> m.exit("y")
    m.connect(plant, error)
    return m
