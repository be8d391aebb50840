"""The seven models as plain loops: what every program must compute.

Each function returns the output at the begin of the steps 0 … steps − 1, an array (steps,) or (steps, width).
"""

import math

import numpy as np

from models import HALF_PERIOD, H, link, tap


def square(step: int) -> float:
    return 1.0 if step // HALF_PERIOD % 2 == 0 else 0.0


def pid(steps: int) -> np.ndarray:
    x = v = integral = filtered = 0.0
    log = np.empty(steps)
    for step in range(steps):
        log[step] = x
        e = square(step) - x
        n = 100.0 * (2.0 * e - filtered)
        u = 8.0 * e + integral + n
        a = u - 1.2 * v - 4.0 * x
        x += H * v
        v += H * a
        integral += H * (3.0 * e)
        filtered += H * n
    return log


def lorenz(steps: int) -> np.ndarray:
    def rates(s: np.ndarray) -> np.ndarray:
        x, y, z = s
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8 / 3 * z])

    s = np.ones(3)
    log = np.empty(steps)
    for step in range(steps):
        log[step] = s[0]
        k1 = rates(s)
        k2 = rates(s + 0.5 * H * k1)
        k3 = rates(s + 0.5 * H * k2)
        k4 = rates(s + H * k3)
        s = s + H * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return log


def chain(steps: int) -> np.ndarray:
    y = np.arange(steps) * H
    for i in range(1000):
        y = y * link(i)
    return y


def wide(steps: int) -> np.ndarray:
    frequencies = 0.5 + 0.01 * np.arange(1000)
    gains = 1 + 0.001 * np.arange(1000)
    x = np.zeros(1000)
    log = np.empty(steps)
    for step in range(steps):
        log[step] = sum(x.tolist())
        x += H * (gains * np.sin(frequencies * (step * H)))
    return log


def nested(steps: int) -> np.ndarray:
    gains = 0.5 + 0.01 * np.arange(100)
    a, b, c, d = np.zeros((4, 100))
    log = np.empty(steps)
    for step in range(steps):
        log[step] = sum((1.5 * b + 1.5 * d).tolist())
        u = gains * square(step)
        rates = [2.0 * u - 3.0 * a, 2.0 * a - 3.0 * b, 2.0 * u - 3.0 * c, 2.0 * c - 3.0 * d]
        for state, rate in zip((a, b, c, d), rates):
            state += H * rate
    return log


def vector(steps: int) -> np.ndarray:
    c = 1 + 0.001 * np.arange(1000)
    x = np.zeros(1000)
    log = np.empty((steps, 1000))
    for step in range(steps):
        log[step] = x
        x += H * (2.0 * (c - 0.5 * x))
    return log


def fir(steps: int) -> np.ndarray:
    past = [0.0] * 64
    log = np.empty(steps)
    for step in range(steps):
        past = [math.sin(20.0 * (step * H)), *past[:-1]]
        log[step] = sum(tap(i) * x for i, x in enumerate(past))
    return log


VALUES = {make.__name__: make for make in (pid, lorenz, chain, wide, nested, vector, fir)}


def error(values: np.ndarray, expected: np.ndarray) -> float:
    """The largest difference, relative to the largest expected value; infinite where the shapes differ."""
    values = np.asarray(values, dtype=float)
    if values.size != expected.size:
        return math.inf
    difference = np.abs(values.reshape(expected.shape) - expected).max()
    return float(difference / np.abs(expected).max())
