"""Our own program: writes a model as a .simx file and runs it with the command line."""

import csv
import subprocess
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from models import H, Draft, Model

# Our block and the option that takes a block's value.
BLOCKS = {
    "clock": ("Var", "Clock", None),
    "sine": ("Var", "Sine", "Frequency"),
    "constant": ("Var", "Static", "Value"),
    "gain": ("Math", "Gain", "Gain"),
    "sum": ("Math", "Sum", "Signs"),
    "product": ("Math", "Multiply", None),
    "integrate": ("Math", "Integrate", "Initial Value"),
    "delay": ("Discrete", "Unit Delay", "Initial Value"),
    "square": ("Var", "Pulse", "Period"),
}
OUTPUTS = {"product": "Product", "use": "y"}


def option(name: str, values: list) -> str:
    texts = "".join(f"<value>{escape(str(value))}</value>" for value in values)
    return f"<option name={quoteattr(name)}>{texts}</option>"


def tag(number: int, kind: str, value: object) -> str:
    if kind == "entry":
        return f'<entry id="{number}" name="u"/>'
    if kind == "use":
        return f'<model id="{number}" model={quoteattr(value)}/>'
    group, name, takes = BLOCKS[kind]
    value = 10 if kind == "square" else value
    values = value if isinstance(value, list) else [value]
    inside = option(takes, values) if takes else ""
    return f'<block id="{number}" group="{group}" name="{name}">{inside}</block>'


def port(kind: str, input_number: int) -> str:
    if kind == "sum":
        return f"Input {input_number + 1}"
    return {"product": f"Multiplicand {input_number + 1}", "use": "u"}.get(kind, "Input")


def diagram(name: str, draft: Draft) -> list[str]:
    lines = [f"\t<model name={quoteattr(name)}>"]
    lines += ["\t\t" + tag(number, block.kind, block.value) for number, block in enumerate(draft.blocks)]
    leave = len(draft.blocks)
    lines.append(f'\t\t<exit id="{leave}" name="y"/>')
    wires = [(source, number, port(block.kind, i)) for number, block in enumerate(draft.blocks)
             for i, source in enumerate(block.inputs)]
    for source, target, target_port in [*wires, (draft.output, leave, "Input")]:
        output = OUTPUTS.get(draft.blocks[source].kind, "Output")
        lines.append(f'\t\t<connection from="{source}" output="{output}" to="{target}" input="{target_port}"/>')
    return [*lines, "\t</model>"]


def simx(model: Model) -> str:
    """The model as a .simx file's text, its parts as sub-models."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<simulation steps="0" delta="{H}" root="Main" solver="{model.method}">')
    for name, draft in [("Main", model.main), *model.parts.items()]:
        lines += diagram(name, draft)
    return "\n".join([*lines, "</simulation>", ""])


class Ours:
    """Our program on one engine. A timed run is a whole process with `--quiet`; what start-up costs cancels in the
    difference of two lengths. Nothing is recorded where the output is a state; elsewhere it is written to a file, as
    the compiled engine leaves out what nobody reads. The writing counts as ours, about 0.1 µs a step."""

    def __init__(self, program: str, engine: str, model: Model, folder: Path) -> None:
        self.command = [program, "run", str(folder / f"{model.name}.simx"), "--engine", engine, "--quiet"]
        self.width = model.width
        is_state = model.main.blocks[model.main.output].kind == "integrate"
        self.recording = [] if is_state else ["--out", str(folder / "y.parquet")]
        (folder / f"{model.name}.simx").write_text(simx(model), encoding="utf-8")

    def seconds(self, steps: int) -> float:
        """Wall-clock time from the start of the process to its end, in seconds."""
        start = time.perf_counter()
        subprocess.run([*self.command, *self.recording, "--steps", str(steps)], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    def values(self, steps: int) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "y.csv"
            subprocess.run([*self.command, "--steps", str(steps), "--out", str(out)], check=True,
                           stdout=subprocess.DEVNULL)
            with out.open(newline="") as file:
                rows = [row[-self.width:] for row in list(csv.reader(file))[1:]]
        return np.array(rows, dtype=float)
