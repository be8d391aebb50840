"""Writes nonlinear.json: the blocks of the group Nonlinear, by NumPy and by rational times."""

from fractions import Fraction

import numpy as np

from trace import Table, half_away

table = Table(__file__, 7005)
noise, trace = table.noise, table.trace
rng = table.rng

u = np.cumsum(noise(120))
trace("Nonlinear/Dead Zone", "numpy.clip", [u], [u - np.clip(u, -0.75, 0.5)], Start=-0.75, End=0.5)
trace("Nonlinear/Quantizer", "numpy.floor", [u], [half_away(u / 0.3) * 0.3], Interval=0.3)
trace("Nonlinear/Friction", "numpy", [u], [np.sign(u) * (0.4 * np.abs(u) + 1.25)], Gain=0.4, Offset=1.25)
trace(
    "Nonlinear/Friction",
    "numpy.clip",
    [u],
    [np.clip(u / 0.8, -1, 1) * (0.4 * np.abs(u) + 1.25)],
    Gain=0.4,
    Offset=1.25,
    Width=0.8,
)
trace(
    "Nonlinear/Saturate", "numpy.clip", [u], [np.clip(u, -0.75, 1.5)], tolerance=0, Lower_Limit=-0.75, Upper_Limit=1.5
)
trace("Nonlinear/Wrap To Zero", "numpy.where", [u], [np.where(u > 0.25, 0.0, u)], tolerance=0, Threshold=0.25)
low, high = -np.abs(noise(120)), np.abs(noise(120))
trace("Nonlinear/Saturate Dynamic", "numpy.clip", [high, u, low], [np.clip(u, low, high)], tolerance=0)
trace("Nonlinear/Dead Zone Dynamic", "numpy.clip", [high, u, low], [u - np.clip(u, low, high)])
play = [0.5]
for value in u:
    # The output is pushed along by either end of the play.
    play.append(min(max(play[-1], value - 0.6), value + 0.6))
trace("Nonlinear/Backlash", "clamped to the play", [u], [play[1:]], Width=1.2, Initial_Value=0.5)


def slow(first, rising, falling):
    """The change of each step of 0.5 s is limited."""
    y, want = first, []
    for value, up, down in zip(u, np.broadcast_to(rising, 120), np.broadcast_to(falling, 120)):
        y = value if y is None else y + np.clip(value - y, down * 0.5, up * 0.5)
        want.append(y)
    return want


up, down = np.abs(noise(120)), -np.abs(noise(120))
for begin, first in [("input", None), ("value", -2.0)]:
    options = {"Begin With": begin, "Initial Value": -2}
    trace(
        "Nonlinear/Rate Limiter",
        "numpy.clip of the change",
        [u],
        [slow(first, 1.2, -0.7)],
        {**options, "Rising Slope": 1.2, "Falling Slope": -0.7},
        delta=0.5,
    )
    trace(
        "Nonlinear/Rate Limiter Dynamic",
        "numpy.clip of the change",
        [up, u, down],
        [slow(first, up, down)],
        options,
        delta=0.5,
    )
stairs = np.round(u)
for values, level in [(u, 1.0), (stairs, 0.0)]:
    before, now = values[:-1], values[1:]
    rising, falling = (before < level) & (now >= level), (before > level) & (now <= level)
    for direction, hits in [("rising", rising), ("falling", falling), ("either", rising | falling | (now == level))]:
        # The first step has no other before it.
        trace(
            "Nonlinear/Hit Crossing",
            "numpy",
            [values[1:]],
            (
                [np.concatenate([[0.0], hits[1:]])]
                if values[1] != level
                else [np.concatenate([[float(direction == "either")], hits[1:]])]
            ),
            tolerance=0,
            Value=level,
            Direction=direction,
        )
on, want = False, []
for value in u:
    on = True if value >= 0.5 else False if value <= -0.75 else on
    want.append(7.0 if on else -3.0)
trace(
    "Nonlinear/Relay",
    "the rule of the switch, step by step",
    [u],
    [want],
    tolerance=0,
    Switch_On=0.5,
    Switch_Off=-0.75,
    On_Value=7,
    Off_Value=-3,
)

# Times as fractions, so that an edge on a step is there.
duty = np.round(rng.uniform(0, 1, 60), 2)
want, taken = [], 0.0
for n in range(60):
    since = Fraction(n, 10) - Fraction(1, 5)
    within = since % Fraction(4, 5)
    taken = duty[n] if within < Fraction(1, 10) else taken
    want.append(since >= 0 and within / Fraction(4, 5) < Fraction(str(taken)))
trace("Nonlinear/PWM", "rational times", [duty], [want], tolerance=0, delta=0.1, Period=0.8, Delay=0.2)
lengths, steps, want = np.round(rng.integers(2, 9, 60) * 0.1, 1), Fraction(0), []
length = share = None
for n in range(60):
    if length is None or steps >= length:
        steps, length, share = Fraction(0), Fraction(str(lengths[n])), Fraction(str(duty[n]))
    want.append(steps / length < share)
    steps += Fraction(1, 10)
trace("Nonlinear/Variable Pulse", "rational times", [duty, lengths], [want], tolerance=0, delta=0.1)

table.write()
