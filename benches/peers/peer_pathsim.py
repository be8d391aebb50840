"""PathSim: one of its blocks for one of ours, its own fixed-step solvers EUF (forward Euler) and RK4.

Timed runs have no Scope, so nothing is recorded; the run that is compared has one. PathSim adds up the time step by
step, so the square wave's edges are put half a step early, where rounding cannot move them. Its log is off. Nested
models are given flat, which spares it the sub-models' own graphs. Vectors are one scalar port per lane there; left out.
"""

import math
import time

import numpy as np
from pathsim import Connection, Simulation
from pathsim.blocks import Adder, Amplifier, Constant, Integrator, Multiplier, Scope, Source
from pathsim.solvers import EUF, RK4

from models import HALF_PERIOD, H, Block, Model, flat

SKIPPED = {"vector": "a port carries one lane", "fir": "its sampled delays act by events and give other values"}


def square(t: float) -> float:
    return 1.0 if (t / H + 0.5) % (2 * HALF_PERIOD) < HALF_PERIOD else 0.0


def sine(frequency: float):
    return lambda t: math.sin(frequency * t)


def block_of(block: Block):
    match block.kind:
        case "square":
            return Source(square)
        case "clock":
            return Source(lambda t: t)
        case "sine":
            return Source(sine(block.value))
        case "constant":
            return Constant(block.value[0])
        case "gain":
            return Amplifier(block.value)
        case "sum":
            return Adder(None if set(block.value) == {"+"} else block.value)
        case "product":
            return Multiplier()
        case "integrate":
            return Integrator(block.value)


class Peer:
    def __init__(self, model: Model) -> None:
        draft = flat(model)
        self.blocks = [block_of(block) for block in draft.blocks]
        self.wires = [(source, number, port) for number, block in enumerate(draft.blocks)
                      for port, source in enumerate(block.inputs)]
        self.output = self.blocks[draft.output]
        self.solver = EUF if model.method == "euler" else RK4
        self.simulation = None

    def simulate(self, scopes: list) -> Simulation:
        wires = [Connection(self.blocks[a], self.blocks[b][port]) for a, b, port in self.wires]
        wires += [Connection(self.output, scope[0]) for scope in scopes]
        return Simulation([*self.blocks, *scopes], wires, dt=H, Solver=self.solver, log=False)

    def seconds(self, steps: int) -> float:
        self.simulation = self.simulation or self.simulate([])
        self.simulation.reset()
        start = time.perf_counter()
        self.simulation.run((steps - 0.5) * H)
        return time.perf_counter() - start

    def values(self, steps: int) -> np.ndarray:
        scope = Scope()
        self.simulate([scope]).run((steps - 0.5) * H)
        return scope.read()[1][0][:steps]
