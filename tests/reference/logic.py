"""Writes logic.json: the blocks of the group Logic, by truth tables, by Python's whole numbers, and by NumPy."""

import itertools

import numpy as np

from trace import CONTROL, CORNERS, Table, edges

table = Table(__file__, 7004)
noise, rng = table.noise, table.rng


def exact(block, origin, inputs, outputs, **options):
    table.trace(block, origin, inputs, outputs, tolerance=0, **options)


def bits(steps=40):
    return rng.integers(0, 2, steps).astype(float)


def at_once(block, origin, inputs, outputs, **options):
    table.at_once(block, origin, inputs, outputs, tolerance=0, **options)


# --- Gates, all combinations; any number but 0 is true ----------------------------------------------------------------

rows = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
ones = rows.sum(axis=1)
gates = {
    "AND": ones == 3,
    "OR": ones > 0,
    "NAND": ones < 3,
    "NOR": ones == 0,
    "XOR": ones % 2 == 1,
    "NXOR": ones % 2 == 0,
}
for operator, want in gates.items():
    exact("Logic/Gate", "truth table", list((rows * [2.0, -0.5, 1.0]).T), [want], Operator=operator, Inputs=3)
    exact("Logic/Gate", "truth table, over the elements of one input", [rows], [want], Operator=operator, Inputs=1)
exact("Logic/Gate", "truth table", [[0.0, 1.0, -3.0]], [[1.0, 0.0, 0.0]], Operator="NOT")
exact(
    "Logic/Combinatorial Logic",
    "truth table of a full adder: carry and sum",
    [rows],
    [np.stack([ones >= 2, ones % 2], axis=1)],
    Table=np.stack([ones >= 2, ones % 2], axis=1).astype(float),
)

# --- Relations --------------------------------------------------------------------------------------------------------

u = np.concatenate([CORNERS, noise(20), [np.inf, -np.inf, np.nan, 0.5]])
v = np.concatenate([rng.permutation(CORNERS), noise(20), [np.inf, 1.0, np.nan, np.nan]])
v[:6] = u[:6]
relations = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
for operator, function in relations.items():
    at_once("Logic/Compare", f"numpy.{function.__name__}", [u, v], [function(u, v)], Operator=operator)
    at_once(
        "Logic/Compare To Constant",
        f"numpy.{function.__name__}",
        [u],
        [function(u, 0.5)],
        Operator=operator,
        Constant=0.5,
    )
    at_once("Logic/Compare To Zero", f"numpy.{function.__name__}", [u], [function(u, 0.0)], Operator=operator)
for left, right in itertools.product([0, 1], repeat=2):
    low, high = [np.less_equal if end else np.less for end in (left, right)]
    at_once(
        "Logic/Interval Test",
        "numpy.less, numpy.less_equal",
        [u],
        [low(-0.5, u) & high(u, 1.5)],
        Lower_Limit=-0.5,
        Upper_Limit=1.5,
        Closed_Left=left,
        Closed_Right=right,
    )
    ends = np.where(np.isnan(v), 0.0, v)
    at_once(
        "Logic/Interval Test Dynamic",
        "numpy.less, numpy.less_equal",
        [np.maximum(ends, 1.0), u, np.minimum(ends, 0.0)],
        [low(np.minimum(ends, 0.0), u) & high(u, np.maximum(ends, 1.0))],
        Closed_Left=left,
        Closed_Right=right,
    )
for name in ["isNaN", "isInf", "isFinite"]:
    at_once("Logic/Number Test", f"numpy.{name.lower()}", [u], [getattr(np, name.lower())(u)], Function=name)

# --- Whole numbers ----------------------------------------------------------------------------------------------------

a, b = rng.integers(0, 1 << 16, 30), rng.integers(0, 1 << 16, 30)
full = (1 << 16) - 1
both = {"AND": a & b, "OR": a | b, "XOR": a ^ b, "NAND": full - (a & b), "NOR": full - (a | b)}
masked = {"AND": a & 0xF0F, "OR": a | 0xF0F, "XOR": a ^ 0xF0F, "NAND": full - (a & 0xF0F), "NOR": full - (a | 0xF0F)}
for operator in both:
    at_once("Logic/Bitwise Operator", "Python's whole numbers", [a, b], [both[operator]], Operator=operator)
    at_once(
        "Logic/Bitwise Operator",
        "Python's whole numbers",
        [a],
        [masked[operator]],
        Operator=operator,
        With="mask",
        Mask=0xF0F,
    )
at_once("Logic/Bitwise Operator", "Python's whole numbers", [a], [full - a], Operator="NOT")
wide = np.array([-1.0, -5.5, 3.9, 255.0, 256.0, 1000.0])
at_once(
    "Logic/Bitwise Operator",
    "Python's whole numbers, modulo 2^8",
    [wide],
    [[255 - int(np.floor(x)) % 256 for x in wide]],
    Operator="NOT",
    Bits=8,
)
large = [int(x) for x in rng.integers(0, 1 << 53, 10)]
at_once(
    "Logic/Bitwise Operator",
    "Python's whole numbers, 53 bits",
    [large, large[::-1]],
    [[x ^ y for x, y in zip(large, large[::-1])]],
    Operator="XOR",
    Bits=53,
)
numbers = np.array([0, 1, 5, -1, -6, 1023, -1024, 77])
for count in [0, 1, 3, 7]:
    at_once(
        "Logic/Shift Arithmetic",
        "Python's whole numbers",
        [numbers],
        [[int(x) << count for x in numbers]],
        Direction="left",
        Bits=count,
    )
    at_once(
        "Logic/Shift Arithmetic",
        "Python's whole numbers",
        [numbers],
        [[int(x) >> count for x in numbers]],
        Direction="right",
        Bits=count,
    )
values = [0, 1, 2, 5, 37, 100, 255]
digits = np.array([[int(digit) for digit in f"{x:08b}"] for x in values], float)
for order, want in [("highest first", digits), ("lowest first", digits[:, ::-1])]:
    exact("Logic/Integer To Bits", "Python's format", [values], [want], Bits=8, Order=order)
    exact("Logic/Bits To Integer", "Python's int", [want * 3], [values], Order=order)

# --- Edges and counts -------------------------------------------------------------------------------------------------

steps = np.round(rng.normal(size=60)) / 2
before = np.concatenate([[0.5], steps[:-1]])
for change, want in [("any", steps != before), ("increase", steps > before), ("decrease", steps < before)]:
    exact("Logic/Detect Change", "numpy", [steps], [want], Change=change, Initial_Value=0.5)
conditions = {
    "rise positive": steps > 0,
    "rise nonnegative": steps >= 0,
    "fall negative": steps < 0,
    "fall nonpositive": steps <= 0,
}
for edge, is_met in conditions.items():
    for initially in [0, 1]:
        was = np.concatenate([[bool(initially)], is_met[:-1]])
        exact("Logic/Detect Edge", "numpy", [steps], [is_met & ~was], Edge=edge, Initially_Met=initially)
was = np.concatenate([[False], (steps > 0)[:-1]])
exact("Logic/Detect Edge", "numpy", [steps], [(steps > 0) != was], Edge="either")
reset = (rng.integers(0, 9, 60) == 0).astype(float)
for direction, sign in [("up", 1), ("down", -1)]:
    for kind in ["rising", "falling", "either"]:
        passed = edges(kind, steps - 0.5)
        count, want = 3, []
        for hit, again in zip(passed, reset):
            count = 3 if again else count + sign * int(hit)
            want.append(count)
        exact(
            "Logic/Event Counter",
            f"counted by hand of the edges, {kind}",
            [steps, reset],
            [want],
            Direction=direction,
            Edge=kind,
            Threshold=0.5,
            Initial_Value=3,
        )
clock = np.concatenate([[0.0], bits(59)])
count = np.cumsum(edges("rising", clock))
for ratio in [1, 2, 5]:
    exact(
        "Logic/Frequency Divider",
        "numpy.cumsum of the edges",
        [clock],
        [edges("rising", clock) & (count % ratio == 0)],
        Ratio=ratio,
    )

# --- Memories ---------------------------------------------------------------------------------------------------------

d, enable, clear = bits(60), bits(60), (rng.integers(0, 6, 60) > 0).astype(float)
j, k = bits(60), bits(60)
for initial in [0, 1]:
    held, want = initial, []
    for value, on in zip(d, enable):
        held = value if on else held
        want.append(held)
    want = np.array(want)
    exact("Logic/D Latch", "truth table", [d, enable], [want, 1 - want], Initial_State=initial)
    held, want = initial, []
    for value, rises, keeps in zip(d, edges("rising", clock), clear):
        held = 0.0 if not keeps else value if rises else held
        want.append(held)
    want = np.array(want)
    exact("Logic/D Flip-Flop", "truth table", [d, clock, clear], [want, 1 - want], Initial_State=initial)
    for kind in ["rising", "falling"]:
        held, want = initial, []
        for sets, clears, acts in zip(j, k, edges(kind, clock)):
            if acts:
                held = {(0, 0): held, (1, 0): 1, (0, 1): 0, (1, 1): 1 - held}[(int(sets), int(clears))]
            want.append(held)
        want = np.array(want)
        exact("Logic/JK Flip-Flop", "truth table", [j, clock, k], [want, 1 - want], Edge=kind, Initial_State=initial)
    held, q, inverse = initial, [], []
    for sets, clears in zip(j, k):
        held = {(0, 0): held, (1, 0): 1, (0, 1): 0, (1, 1): 0}[(int(sets), int(clears))]
        q.append(held)
        inverse.append(0 if sets and clears else 1 - held)
    exact("Logic/SR Flip-Flop", "truth table", [j, k], [q, inverse], Initial_State=initial)

table.write()
