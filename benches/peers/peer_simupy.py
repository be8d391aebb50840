"""SimuPy: one DynamicalSystem for each of our blocks, in a BlockDiagram.

It integrates by a class with the interface of SciPy's ode, which has no fixed-step method, so forward Euler and the
classical Runge–Kutta method are given to it as two such classes, as short as they can be. It evaluates memoryless
systems in the reverse of the order in which they were added, so they are added last first. It always keeps every
output of every step; the space for that is taken at once instead of in small portions, which copies less. A diagram
must have a state, so the chain has one integrator beside it. Unit delays are events there, located by root finding;
left out.
"""

import math
import time

import numpy as np
from simupy.block_diagram import BlockDiagram, SimulationResult
from simupy.systems import DynamicalSystem, LTISystem, SystemFromCallable

from models import HALF_PERIOD, H, Block, Draft, Model, flat

SKIPPED = {"fir": "unit delays are events located by root finding"}


class Fixed:
    """Steps of H seconds at the times n·H; the part of SciPy's ode that SimuPy uses."""

    def __init__(self, rates) -> None:
        self.rates = rates

    def set_integrator(self, method: str) -> None:
        self.advance = {"euler": self.euler, "rk4": self.rk4}[method]

    def set_initial_value(self, y: np.ndarray, t: float) -> None:
        self.y, self.t = np.array(y, dtype=float), t

    def set_solout(self, solout) -> None:
        self.solout = solout

    def successful(self) -> bool:
        return True

    def integrate(self, end: float) -> None:
        steps = round((end - self.t) / H)
        for n in range(1, steps + 1):
            self.y = self.advance(self.t, self.y)
            self.t = n * H if n < steps else end
            self.solout(self.t, self.y)

    def euler(self, t: float, y: np.ndarray) -> np.ndarray:
        return y + H * self.rates(t, y)

    def rk4(self, t: float, y: np.ndarray) -> np.ndarray:
        k1 = self.rates(t, y)
        k2 = self.rates(t + 0.5 * H, y + 0.5 * H * k1)
        k3 = self.rates(t + 0.5 * H, y + 0.5 * H * k2)
        k4 = self.rates(t + H, y + H * k3)
        return y + H * (k1 + 2 * k2 + 2 * k3 + k4) / 6


def square(t: float) -> np.ndarray:
    return np.array([1.0 if (t / H + 0.5) % (2 * HALF_PERIOD) < HALF_PERIOD else 0.0])


def system_of(block: Block, width: int):
    value = block.value
    match block.kind:
        case "square":
            return SystemFromCallable(square, 0, 1)
        case "clock":
            return SystemFromCallable(lambda t: np.array([t]), 0, 1)
        case "sine":
            return SystemFromCallable(lambda t: np.array([math.sin(value * t)]), 0, 1)
        case "constant":
            lanes = np.array(value)
            return SystemFromCallable(lambda t: lanes, 0, len(value))
        case "gain":
            return SystemFromCallable(lambda t, u: value * u, width, width)
        case "sum":
            signs = np.array([1.0 if sign == "+" else -1.0 for sign in value])
            if width == 1:
                return SystemFromCallable(lambda t, u: np.array([signs @ u]), len(value), 1)
            return SystemFromCallable(lambda t, u: signs @ u.reshape(len(value), width), len(value) * width, width)
        case "product":
            return SystemFromCallable(lambda t, u: np.array([u[0] * u[1]]), 2, 1)
        case "integrate":
            return DynamicalSystem(state_equation_function=lambda t, x, u: u, dim_state=width, dim_input=width,
                                   dim_output=width, initial_condition=np.full(width, value))


def order(draft: Draft) -> list[int]:
    """The numbers of the blocks, integrators first, then every memoryless block before what feeds it."""
    done: dict[int, None] = {}

    def visit(number: int) -> None:
        block = draft.blocks[number]
        if number in done or block.kind == "integrate":
            return
        for source in block.inputs:
            visit(source)
        done[number] = None

    for number in range(len(draft.blocks)):
        visit(number)
    states = [number for number, block in enumerate(draft.blocks) if block.kind == "integrate"]
    return states + list(done)[::-1]


class Peer:
    def __init__(self, model: Model) -> None:
        draft = flat(model)
        self.method, self.width = model.method, model.width
        self.systems = [system_of(block, model.width) for block in draft.blocks]
        numbers = order(draft)
        has_state = any(block.kind == "integrate" for block in draft.blocks)
        beside = [] if has_state else [LTISystem(np.zeros((1, 1)), np.zeros((1, 1)))]
        self.diagram = BlockDiagram(*beside, *(self.systems[number] for number in numbers))
        for number, block in enumerate(draft.blocks):
            for port, source in enumerate(block.inputs):
                inputs = range(port * model.width, (port + 1) * model.width)
                self.diagram.connect(self.systems[source], self.systems[number], inputs=list(inputs))
        before = numbers[:numbers.index(draft.output)]
        self.column = len(beside) + sum(self.systems[number].dim_output for number in before)

    def run(self, steps: int):
        SimulationResult.max_allocation = 2 * steps + 2
        return self.diagram.simulate([0.0, steps * H], integrator_class=Fixed,
                                     integrator_options={"method": self.method})

    def seconds(self, steps: int) -> float:
        start = time.perf_counter()
        self.run(steps)
        return time.perf_counter() - start

    def values(self, steps: int) -> np.ndarray:
        return self.run(steps).y[:steps, self.column:self.column + self.width]
