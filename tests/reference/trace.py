"""What the scripts beside it share: a table of traces, what blocks must output as Python computes it.

No number of a table comes from the program. A script makes one `Table`, adds traces, and writes them to the file of its
own name; the same script always writes the same bytes. `tests/reference/mod.rs` compares the tables on every engine,
and `sources.csv` says which script is the source of which block.
"""

import json
import math
import pathlib

import numpy as np

# Values where functions have their corners: zeros, halves, whole numbers, large and small ones.
CORNERS = np.array(
    [-7.5, -3.0, -2.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 1e-9, -1e-9, 1e6, -1e6]
)
# The control of a reset or a trigger has all kinds of edges, through zero and from zero, and none in the first step.
CONTROL = np.array([-1.0, 1.0, 0.0, -1.0, 2.0, 2.0, -3.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0, -1.0, -1.0])


def edges(kind, control):
    """Whether a reset or trigger of this kind acts in each step: rising is old <= 0 and new > 0, falling old > 0 and
    new <= 0, either one of them; level: while the control is nonzero."""
    before = np.concatenate([control[:1], control[:-1]])
    rising, falling = (before <= 0) & (control > 0), (before > 0) & (control <= 0)
    return {"rising": rising, "falling": falling, "either": rising | falling, "level": control != 0}[kind]


def half_away(values):
    """The nearest whole number, half away from zero, unlike numpy.round."""
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


def text(values):
    """The texts of an option as a file has them."""
    values = values if isinstance(values, (list, tuple, np.ndarray)) else [values]
    written = lambda value: value if isinstance(value, str) else repr(number(float(value)))
    return [written(value) for value in np.ravel(np.array(values, dtype=object))]


def number(value):
    """Short in JSON, which knows no infinity and no not-a-number."""
    if not math.isfinite(value):
        return str(value)
    is_whole = value == int(value) and abs(value) < 1e15 and str(value) != "-0.0"
    return int(value) if is_whole else value


def rows(port):
    """The values of a port: a number for each step, or a list of elements."""
    port = np.asarray(port, dtype=float)
    assert port.ndim in (1, 2), "a value or a vector for each step"
    return [number(v) for v in port.tolist()] if port.ndim == 1 else [[number(v) for v in row] for row in port.tolist()]


class Table:
    """The traces and responses of one script."""

    def __init__(self, script, seed):
        self.path = pathlib.Path(script).with_suffix(".json")
        self.rng = np.random.default_rng(seed)
        self.traces = []
        self.responses = []

    def noise(self, steps=40):
        """Normal numbers of three decimals."""
        return np.round(self.rng.normal(size=steps), 3)

    def trace(
        self,
        block,
        origin,
        inputs,
        outputs,
        options=None,
        delta=1.0,
        tolerance=1e-12,
        solver=None,
        engines=None,
        **named,
    ):
        """Adds what `block` outputs: for each port a row of steps. The tolerance is relative above 1 and absolute
        below; 0 asks for the very number. The solver is rk4 and the engines are all unless they are named. Underlines
        in names of options stand for spaces."""
        options = {**(options or {}), **{name.replace("_", " "): value for name, value in named.items()}}
        inputs, outputs = [rows(port) for port in inputs], [rows(port) for port in outputs]
        assert len({len(port) for port in inputs + outputs}) == 1, f"{block}: ports of unequal length"
        self.traces.append(
            {
                "block": block,
                "origin": origin,
                "delta": delta,
                "tolerance": tolerance,
                **({"solver": solver} if solver else {}),
                **({"engines": engines} if engines else {}),
                "options": {name: text(value) for name, value in options.items()},
                "inputs": inputs,
                "outputs": outputs,
            }
        )

    def at_once(self, block, origin, inputs, outputs, options=None, **more):
        """A block without memory: all values are elements of one vector, in one step."""
        self.trace(
            block,
            origin,
            [np.atleast_1d(u)[None, :] for u in inputs],
            [np.atleast_1d(np.asarray(y, dtype=float))[None, :] for y in outputs],
            options,
            **more,
        )

    def response(self, block, frequencies, values, settling, options, steps=None):
        """The frequency response at these radians per second, and how many seconds a transient lasts; `steps`: the
        number of samples in a period."""
        row = {
            "block": block,
            "frequencies": list(map(float, frequencies)),
            "settling": settling,
            "re": np.real(values).tolist(),
            "im": np.imag(values).tolist(),
            "options": {name: text(value) for name, value in options.items()},
        }
        self.responses.append(row | ({"steps": steps} if steps else {}))

    def write(self):
        lines = lambda items: ",\n".join(json.dumps(i, ensure_ascii=False, separators=(",", ":")) for i in items)
        self.path.write_text(
            f'{{"traces": [\n{lines(self.traces)}\n],\n"responses": [\n{lines(self.responses)}\n]}}\n', encoding="utf-8"
        )
