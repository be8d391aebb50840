"""Scilab's Xcos, without its window: one Scicos block for one of ours, compiled by Scicos and run by its kernel.

The kernel has a fixed-step Runge–Kutta method of order four (solver 6), used for lorenz, but no forward Euler. The
other models are discrete there: an integrator is one discrete state space x := x + H u, driven by a clock of period H,
whose arithmetic is forward Euler's. For vectors, where that block would take a full matrix, it is a gain, a sum and a
unit delay. The square wave is a counter, a constant and a comparison. Blocks are put together by a script and handed
to the compiler's second pass, which is quicker than a drawing of the same diagram. The output goes to a To Workspace
block, whose buffer is one row in timed runs. The time of a run is that of the kernel.

lorenz has a clock event in each step too. With one event in 100 steps a step costs about half, but then the kernel fits
the step length to the interval: the values are 3e-10 off after 5 s, and with one in 1,000 they were wrong altogether.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from models import HALF_PERIOD, H, Block, Draft, Model, flat

PROGRAM = "scilab-cli"
SOLVERS = {"euler": 0, "rk4": 6}
SKIPPED: dict[str, str] = {}


def is_installed() -> bool:
    return shutil.which(PROGRAM) is not None


class Diagram:
    """Rows of the script; Scicos counts blocks and ports from 1. Block 1 is the clock."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.blocks = [f"ticks({H!r})"]
        self.wires: list[tuple[int, int, int, int]] = []
        self.events = [(1, 1, 1, 1)]

    def add(self, text: str, *sources: int, on_tick: bool = False) -> int:
        self.blocks.append(text)
        number = len(self.blocks)
        self.wires += [(source, 1, number, port + 1) for port, source in enumerate(sources)]
        if on_tick:
            self.events.append((1, 1, number, 1))
        return number

    def late(self, source: int, block: int) -> None:
        self.wires.append((source, 1, block, 1))

    def fill(self, draft: Draft) -> int:
        """Adds all blocks; gives the number of the block whose output leaves the diagram."""
        number: dict[int, int] = {}
        for old, block in enumerate(draft.blocks):
            if block.kind in ("integrate", "delay"):
                number[old] = self.state(block)
        for old, block in enumerate(draft.blocks):
            if old not in number:
                number[old] = self.memoryless(block, [number[source] for source in block.inputs])
        for old, block in enumerate(draft.blocks):
            if block.kind in ("integrate", "delay"):
                self.feed(block, number[block.inputs[0]], number[old])
        return number[draft.output]

    def state(self, block: Block) -> int:
        if block.kind == "integrate" and self.model.method == "rk4":
            return self.add(f"integrate({block.value!r})")
        if block.kind == "integrate" and self.model.width == 1:
            return self.add(f"accumulate({block.value!r}, {H!r})", on_tick=True)
        return self.add(f"delay({block.value!r} * ones({self.model.width}, 1))", on_tick=True)

    def feed(self, block: Block, source: int, target: int) -> None:
        if block.kind == "integrate" and self.model.width > 1:
            source = self.add("sum_of([1; 1])", target, self.add(f"gain({H!r})", source))
        self.late(source, target)

    def memoryless(self, block: Block, sources: list[int]) -> int:
        match block.kind:
            case "square":
                count = self.add(f"square({2 * HALF_PERIOD})", on_tick=True)
                return self.add("below()", count, self.add(f"constant({HALF_PERIOD})"))
            case "clock":
                return self.add("clock()")
            case "sine":
                return self.add(f"sine({block.value!r})")
            case "constant":
                return self.add(f"constant([{';'.join(map(repr, block.value))}])")
            case "gain":
                return self.add(f"gain({block.value!r})", *sources)
            case "sum":
                signs = ";".join(sign + "1" for sign in block.value)
                return self.add(f"sum_of([{signs}])", *sources)
            case "product":
                return self.add("product_of()", *sources)


class Peer:
    """A Scilab process that has built and compiled the diagram and runs it on demand."""

    def __init__(self, model: Model) -> None:
        diagram = Diagram(model)
        diagram.add("record(1)", diagram.fill(flat(model)), on_tick=True)
        self.model, self.recorder = model, len(diagram.blocks)
        self.folder = Path(tempfile.mkdtemp(prefix="simulate-xcos-"))
        os.mkfifo(self.folder / "reply")
        self.process = subprocess.Popen([PROGRAM, "-nb"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.build(diagram)

    def __del__(self) -> None:
        self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def build(self, diagram: Diagram) -> None:
        for name in ("wires", "events"):
            np.savetxt(self.folder / f"{name}.txt", getattr(diagram, name), fmt="%d")
        lines = ["loadScicos();"]
        lines += ["[modelica_libs, scicos_pal_libs, with_grid, wgrid] = initial_scicos_tables();"]
        load = '"load(""SCI/modules/scicos_blocks/macros/" + name + "/lib"")"'
        lines += [f"for name = scicos_pal_libs, execstr({load}); end"]
        lines += ["blocks = list();"]
        lines += [f"blocks({number}) = {text};" for number, text in enumerate(diagram.blocks, 1)]
        lines += [f'{name} = fscanfMat("{self.folder}/{name}.txt");' for name in ("wires", "events")]
        functions = Path(__file__).with_suffix(".sci")
        self.process.stdin.write(f'funcprot(0); lines(0); answer = 0; exec("{functions}", -1);\n')
        self.ask("\n".join([*lines, "cpr = compiled(blocks, wires, events);"]))

    def ask(self, text: str) -> float:
        """Runs a line of Scilab; gives what it put into `answer`. The reply comes by a pipe, as Scilab's own output is
        held back until it ends."""
        (self.folder / "ask.sce").write_text(text + "\n")
        self.process.stdin.write(f'reply(exec("{self.folder}/ask.sce", "errcatch", -1), "{self.folder}/reply");\n')
        self.process.stdin.flush()
        status, *said = (self.folder / "reply").read_text().splitlines()
        if status != "0":
            raise RuntimeError("Scilab: " + " ".join(said))
        return float(said[0])

    def run(self, steps: int) -> float:
        return self.ask(f"answer = run(cpr, {steps}, {H!r}, {SOLVERS[self.model.method]});")

    def seconds(self, steps: int) -> float:
        return self.run(steps)

    def values(self, steps: int) -> np.ndarray:
        out = self.folder / "y.txt"
        self.ask(f"blocks({self.recorder}) = record({steps}); cpr = compiled(blocks, wires, events);")
        self.run(steps)
        self.ask(f'global recorded; fprintfMat("{out}", recorded, "%.17g");')
        self.ask(f"blocks({self.recorder}) = record(1); cpr = compiled(blocks, wires, events);")
        return np.loadtxt(out)
