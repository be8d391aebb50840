"""jaxonomy: one of its blocks for one of ours, traced by JAX and compiled by XLA, in double precision.

Its fixed-step solver is rk4; it has no forward Euler. So lorenz runs on continuous integrators and rk4, and the other
models on its discrete integrator with the period H, whose arithmetic is forward Euler's. Timed runs hold one compiled
Simulator and advance it, which compiles once, and record nothing; where the output is no state, it is recorded into a
buffer of 1,000 rows, lest XLA leave out what nothing reads. The chain, which has no state, runs with a greatest major
step of H. Start-up includes tracing and compiling.
"""

import dataclasses
import logging
import sys
import time

import jax
import jaxonomy
import numpy as np
from jaxonomy import DiagramBuilder, Simulator, SimulatorOptions, library
from jaxonomy.backend import ODESolver

from models import HALF_PERIOD, H, Block, Model, flat

SKIPPED: dict[str, str] = {}

jax.config.update("jax_enable_x64", True)
sys.setrecursionlimit(100_000)  # It follows a chain of blocks by recursion.
logging.getLogger("jaxonomy").setLevel(logging.ERROR)


def block_of(block: Block, model: Model):
    lanes = np.full(model.width, block.value) if model.width > 1 and block.kind == "integrate" else block.value
    match block.kind:
        case "square":
            return library.Pulse(pulse_width=0.5, period=2 * HALF_PERIOD * H)
        case "clock":
            return library.Clock()
        case "sine":
            return library.Sine(frequency=block.value)
        case "constant":
            return library.Constant(np.array(block.value) if len(block.value) > 1 else block.value[0])
        case "gain":
            return library.Gain(block.value)
        case "sum":
            return library.Adder(len(block.value), operators=block.value)
        case "product":
            return library.Product(2)
        case "integrate":
            return library.Integrator(lanes) if model.method == "rk4" else library.IntegratorDiscrete(H, lanes)
        case "delay":
            return library.UnitDelay(H, block.value)


class Peer:
    def __init__(self, model: Model) -> None:
        draft = flat(model)
        builder = DiagramBuilder()
        blocks = [builder.add(block_of(block, model)) for block in draft.blocks]
        for number, block in enumerate(draft.blocks):
            for port, source in enumerate(block.inputs):
                builder.connect(blocks[source].output_ports[0], blocks[number].input_ports[port])
        self.system = builder.build()
        self.output = blocks[draft.output].output_ports[0]
        self.context = self.system.create_context()
        has_period = any(block.kind in ("integrate", "delay") for block in draft.blocks)
        self.options = SimulatorOptions(ode_solver_method="rk4", max_minor_step_size=H, math_backend="jax",
                                        max_major_step_length=None if has_period else H)
        self.is_state = draft.blocks[draft.output].kind == "integrate"
        self.simulator = None

    def compiled(self) -> Simulator:
        kept = {} if self.is_state else {"recorded_signals": {"y": self.output}, "save_time_series": True}
        options = dataclasses.replace(self.options, buffer_length=1000, **kept)
        return Simulator(self.system, ode_solver=ODESolver(self.system, options=options.ode_options), options=options)

    def seconds(self, steps: int) -> float:
        self.simulator = self.simulator or self.compiled()
        self.system.cache_enabled = True  # as its simulate() does
        start = time.perf_counter()
        jax.block_until_ready(self.simulator.advance_to(steps * H, self.context).context.state)
        return time.perf_counter() - start

    def values(self, steps: int) -> np.ndarray:
        results = jaxonomy.simulate(self.system, self.context, (0.0, steps * H), options=self.options,
                                    recorded_signals={"y": self.output})
        return np.asarray(results.outputs["y"])[:steps]
