"""bdsim: one of its blocks for one of ours; it integrates with SciPy's solve_ivp, which has no fixed-step method.

solve_ivp takes a solver class as its method, so forward Euler and the classical Runge–Kutta method are given to it as
two such classes, as short as they can be; the steps are those of the reference. bdsim evaluates the diagram once more
at every accepted step and always keeps all states; nothing is watched in timed runs. Diagrams without continuous
states (chain, fir) run on a clock of the same period; a zero-order hold on it is its unit delay. No graphics, no
progress, no checks for infinities.
"""

import math
import time

import bdsim
import numpy as np
from scipy.integrate import DenseOutput, OdeSolver

from models import HALF_PERIOD, H, Block, Model, flat

SKIPPED: dict[str, str] = {}


class Fixed(OdeSolver):
    """Steps of H seconds at the times n·H."""

    def __init__(self, fun, t0, y0, t_bound, vectorized, **ignored) -> None:
        super().__init__(fun, t0, y0, t_bound, vectorized)
        self.count = 0

    def _step_impl(self):
        self.y = self.advance(self.t, self.y)
        self.count += 1
        self.t = self.count * H if self.count * H < self.t_bound - 0.5 * H else self.t_bound
        return True, None

    def _dense_output_impl(self):
        return DenseOutput(self.t_old, self.t)


class Euler(Fixed):
    def advance(self, t: float, y: np.ndarray) -> np.ndarray:
        return y + H * self.fun(t, y)


class RungeKutta4(Fixed):
    def advance(self, t: float, y: np.ndarray) -> np.ndarray:
        k1 = self.fun(t, y)
        k2 = self.fun(t + 0.5 * H, y + 0.5 * H * k1)
        k3 = self.fun(t + 0.5 * H, y + 0.5 * H * k2)
        k4 = self.fun(t + H, y + H * k3)
        return y + H * (k1 + 2 * k2 + 2 * k3 + k4) / 6


METHODS = {"euler": Euler, "rk4": RungeKutta4}


def square(t: float) -> float:
    return 1.0 if (t / H + 0.5) % (2 * HALF_PERIOD) < HALF_PERIOD else 0.0


def sine(frequency: float):
    return lambda t: math.sin(frequency * t)


def block_of(bd, block: Block, time_block, clock):
    match block.kind:
        case "square":
            return bd.FUNCTION(square)
        case "clock":
            return time_block
        case "sine":
            return bd.FUNCTION(sine(block.value))
        case "constant":
            return bd.CONSTANT(block.value[0] if len(block.value) == 1 else np.array(block.value))
        case "gain":
            return bd.GAIN(block.value)
        case "sum":
            return bd.SUM(block.value)
        case "product":
            return bd.PROD("**")
        case "integrate":
            return bd.INTEGRATOR(x0=block.value)
        case "delay":
            return bd.ZOH(clock, x0=block.value)


class Peer:
    def __init__(self, model: Model) -> None:
        draft = flat(model)
        kinds = {block.kind for block in draft.blocks}
        self.is_clocked = "integrate" not in kinds
        self.method = METHODS[model.method]
        self.runner = bdsim.BDSim(graphics=False, progress=False, quiet=True, sysargs=False)
        self.bd = bd = self.runner.blockdiagram()
        clock = bd.clock(1 / H, "Hz") if self.is_clocked else None
        time_block = bd.TIME() if kinds & {"square", "clock", "sine"} else None
        if model.width > 1:
            for block in draft.blocks:
                if block.kind == "integrate":
                    block.value = np.full(model.width, block.value)
        blocks = [block_of(bd, block, time_block, clock) for block in draft.blocks]
        for number, block in enumerate(draft.blocks):
            if block.kind in ("square", "sine"):
                bd.connect(time_block, blocks[number])
            for port, source in enumerate(block.inputs):
                bd.connect(blocks[source], blocks[number][port])
        if self.is_clocked and "delay" not in kinds:
            bd.connect(time_block, bd.ZOH(clock))
        self.output = blocks[draft.output]
        bd.compile()

    def run(self, steps: int, watch: list):
        t = steps * H
        args = {} if self.is_clocked else {"solver_args": {"method": self.method}}
        return self.runner.run(self.bd, T=t, watch=watch, checkfinite=False, **args)

    def seconds(self, steps: int) -> float:
        start = time.perf_counter()
        self.run(steps, [])
        return time.perf_counter() - start

    def values(self, steps: int) -> np.ndarray:
        return np.array(self.run(steps, [self.output]).y0)[:steps]
