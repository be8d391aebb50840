"""The seven benchmark models as lists of blocks, told once for all programs.

Step length H in seconds; every state starts at its block's value; a sum's terms are added in the order of its inputs.
"""

from dataclasses import dataclass, field

H = 1e-3  # s
HALF_PERIOD = 5000  # steps the square wave stays at 1, then at 0


@dataclass
class Block:
    """One block. `value` is by kind: square, clock, product: None; sine: rad/s; constant: the lanes; gain: the factor;
    sum: the signs; integrate, delay: the start value; entry: None; use: the name of a part."""

    kind: str
    value: object = None
    inputs: list[int] = field(default_factory=list)


class Draft:
    """A diagram: its blocks by number, and which block's output leaves it."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.output = 0

    def add(self, kind: str, value: object = None, *inputs: int) -> int:
        self.blocks.append(Block(kind, value, list(inputs)))
        self.output = len(self.blocks) - 1
        return self.output

    def wire(self, source: int, block: int) -> None:
        """Connects a block with one input that was not known when it was added."""
        self.blocks[block].inputs = [source]


@dataclass
class Model:
    """`method` is euler or rk4, `width` the lanes of the output, `check` the number of steps compared."""

    name: str
    method: str
    main: Draft
    check: int
    width: int = 1
    parts: dict[str, Draft] = field(default_factory=dict)


def pid() -> Model:
    d = Draft()
    wave, x, v = d.add("square"), d.add("integrate", 0.0), d.add("integrate", 0.0)
    e = d.add("sum", "+-", wave, x)
    proportional, i = d.add("gain", 8.0, e), d.add("gain", 3.0, e)
    integral, filtered = d.add("integrate", 0.0, i), d.add("integrate", 0.0)
    difference = d.add("sum", "+-", d.add("gain", 2.0, e), filtered)
    n = d.add("gain", 100.0, difference)
    d.wire(n, filtered)
    u = d.add("sum", "+++", proportional, integral, n)
    damping, spring = d.add("gain", 1.2, v), d.add("gain", 4.0, x)
    d.wire(d.add("sum", "+--", u, damping, spring), v)
    d.wire(v, x)
    d.output = x
    return Model("pid", "euler", d, check=6000)


def lorenz() -> Model:
    d = Draft()
    x, y, z = (d.add("integrate", 1.0) for _ in range(3))
    d.wire(d.add("gain", 10.0, d.add("sum", "+-", y, x)), x)
    height = d.add("sum", "+-", d.add("constant", [28.0]), z)
    d.wire(d.add("sum", "+-", d.add("product", None, x, height), y), y)
    area, fall = d.add("product", None, x, y), d.add("gain", 8 / 3, z)
    d.wire(d.add("sum", "+-", area, fall), z)
    d.output = x
    return Model("lorenz", "rk4", d, check=2000)


def link(i: int) -> float:
    """The gain of the chain's link i."""
    return 1 + 1 / (i + 2) if i % 2 == 0 else 1 / (1 + 1 / (i + 1))


def chain() -> Model:
    d = Draft()
    last = d.add("clock")
    for i in range(1000):
        last = d.add("gain", link(i), last)
    return Model("chain", "euler", d, check=300)


def wide() -> Model:
    d = Draft()
    ends = []
    for i in range(1000):
        sine = d.add("sine", 0.5 + 0.01 * i)
        ends.append(d.add("integrate", 0.0, d.add("gain", 1 + 0.001 * i, sine)))
    d.add("sum", "+" * len(ends), *ends)
    return Model("wide", "euler", d, check=30)


def nested() -> Model:
    leaf = Draft()
    u, x = leaf.add("entry"), leaf.add("integrate", 0.0)
    leaf.wire(leaf.add("sum", "+-", leaf.add("gain", 2.0, u), leaf.add("gain", 3.0, x)), x)
    leaf.output = x
    b = Draft()
    b.add("gain", 1.5, b.add("use", "Leaf", b.add("use", "Leaf", b.add("entry"))))
    a = Draft()
    u = a.add("entry")
    a.add("sum", "++", a.add("use", "B", u), a.add("use", "B", u))
    d = Draft()
    wave = d.add("square")
    ends = [d.add("use", "A", d.add("gain", 0.5 + 0.01 * i, wave)) for i in range(100)]
    d.add("sum", "+" * len(ends), *ends)
    return Model("nested", "euler", d, check=40, parts={"Leaf": leaf, "B": b, "A": a})


def vector() -> Model:
    d = Draft()
    c, x = d.add("constant", [1 + 0.001 * i for i in range(1000)]), d.add("integrate", 0.0)
    d.wire(d.add("gain", 2.0, d.add("sum", "+-", c, d.add("gain", 0.5, x))), x)
    d.output = x
    return Model("vector", "euler", d, check=50, width=1000)


def tap(i: int) -> float:
    """The weight of tap i."""
    return (1 if i % 2 == 0 else -0.5) / (i + 1)


def fir() -> Model:
    d = Draft()
    last = d.add("sine", 20.0)
    taps = [d.add("gain", tap(0), last)]
    for i in range(1, 64):
        last = d.add("delay", 0.0, last)
        taps.append(d.add("gain", tap(i), last))
    d.add("sum", "+" * 64, *taps)
    return Model("fir", "euler", d, check=300)


MODELS = {make.__name__: make for make in (pid, lorenz, chain, wide, nested, vector, fir)}


def flat(model: Model) -> Draft:
    """The model without parts: each use replaced by its blocks, entries by what drives them."""
    out = Draft()

    def inline(part: Draft, entry: int | None) -> int:
        number: dict[int, int] = {}
        late = []
        for old, block in enumerate(part.blocks):
            if block.kind == "entry":
                number[old] = entry
            elif block.kind == "use":
                number[old] = inline(model.parts[block.value], number[block.inputs[0]])
            elif block.kind in ("integrate", "delay"):
                number[old] = out.add(block.kind, block.value)
                late.append(old)
            else:
                number[old] = out.add(block.kind, block.value, *(number[i] for i in block.inputs))
        for old in late:
            out.wire(number[part.blocks[old].inputs[0]], number[old])
        return number[part.output]

    out.output = inline(model.main, None)
    return out
