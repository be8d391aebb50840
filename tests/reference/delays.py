"""Writes delays.json: delays and samples of the groups Discrete and Continuous, by indexing and by interpolation."""

import numpy as np
from scipy.interpolate import lagrange

from trace import CONTROL, Table, edges

table = Table(__file__, 7011)
noise, trace = table.noise, table.trace

u, u15 = noise(60), noise(15)

# --- Delays and samples -----------------------------------------------------------------------------------------------

trace(
    "Discrete/Delay",
    "numpy.concatenate",
    [u],
    [np.concatenate([[9.0] * 7, u[:-7]])],
    tolerance=0,
    Length=7,
    Initial_Value=9,
)
trace("Discrete/Delay", "numpy.concatenate, of no length", [u], [u], tolerance=0, Length=0)
trace(
    "Discrete/Delay",
    "numpy.concatenate, of every third step",
    [u],
    [np.repeat(np.concatenate([[0.0] * 2, u[::3][:-2]]), 3)],
    tolerance=0,
    Sample_Time=3,
)
initial = noise(15)
for kind in ["none", "rising", "falling", "either", "level"]:
    acts = edges(kind, CONTROL) if kind != "none" else np.zeros(15, bool)
    acts[0] = True
    # The last start or reset at or before each step, and how long ago it was.
    last = np.maximum.accumulate(np.where(acts, np.arange(15), 0))
    for source in ["option", "input"]:
        begin = initial[last] if source == "input" else np.full(15, 4.0)
        want = [u15[k - 3] if k - last[k] >= 3 else begin[k] for k in range(15)]
        ports = [u15] + [CONTROL] * (kind != "none") + [initial] * (source == "input")
        trace(
            "Discrete/Delay",
            f"indexing since the last reset, {kind}, {source}",
            ports,
            [want],
            tolerance=0,
            Length=3,
            Initial_Value=4,
            Reset=kind,
            Initial_Source=source,
        )
delays = table.rng.integers(0, 6, 60).astype(float)
trace(
    "Discrete/Variable Integer Delay",
    "indexing",
    [u, delays],
    [[u[k - int(d)] if k >= d else 0.0 for k, d in enumerate(delays)]],
    tolerance=0,
)
delays = np.round(table.rng.uniform(-2, 8, 60), 2)
at = np.arange(60) - np.clip(np.floor(np.abs(delays) + 0.5) * np.sign(delays), 0, 5).astype(int)
trace(
    "Discrete/Variable Integer Delay",
    "indexing, limited",
    [u, delays],
    [np.where(at >= 0, u[at], -7.0)],
    tolerance=0,
    Longest_Delay=5,
    Initial_Value=-7,
)
windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.zeros(3), u]), 3)[:-1]
trace("Discrete/Tapped Delay", "numpy sliding_window_view", [u], [windows], tolerance=0, Taps=3)
trace(
    "Discrete/Tapped Delay",
    "numpy sliding_window_view",
    [u],
    [windows[:, ::-1]],
    tolerance=0,
    Taps=3,
    Order="newest first",
)
windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([[8.0, 8.0], u]), 3)
trace(
    "Discrete/Tapped Delay",
    "numpy sliding_window_view",
    [u],
    [windows],
    tolerance=0,
    Taps=2,
    Include_Current=1,
    Initial_Value=8,
)
trace(
    "Discrete/Tapped Delay",
    "numpy sliding_window_view",
    [u],
    [windows[:, ::-1]],
    tolerance=0,
    Taps=2,
    Include_Current=1,
    Initial_Value=8,
    Order="newest first",
)
for block in ["Discrete/Memory", "Discrete/Unit Delay"]:
    trace(block, "numpy.concatenate", [u], [np.concatenate([[2.5], u[:-1]])], tolerance=0, Initial_Value=2.5)
every = np.arange(60) // 4 * 4
trace(
    "Discrete/Unit Delay",
    "numpy.repeat",
    [u],
    [np.where(every >= 4, u[every - 4], 2.5)],
    tolerance=0,
    delta=0.25,
    Sample_Time=1,
    Initial_Value=2.5,
)
trace("Discrete/Zero-Order Hold", "indexing", [u], [u[every]], tolerance=0, delta=0.25, Sample_Time=1)
at = (np.arange(60) - 3) // 4 * 4 + 3
trace(
    "Discrete/Zero-Order Hold",
    "indexing",
    [u[:40]],
    [np.where(at >= 0, u[at], 0.0)[:40]],
    tolerance=0,
    delta=0.25,
    Sample_Time=1,
    Sample_Offset=0.75,
)
trace("Discrete/Rate Transition", "indexing", [u], [u[every]], tolerance=0, delta=0.25, Sample_Time=1)
trace(
    "Discrete/Rate Transition",
    "indexing",
    [u],
    [np.where(every >= 4, u[every - 4], 2.5)],
    tolerance=0,
    delta=0.25,
    Sample_Time=1,
    Delayed=1,
    Initial_Value=2.5,
)
for kind in ["rising", "falling", "either"]:
    last = np.maximum.accumulate(np.where(edges(kind, CONTROL), np.arange(15), -1))
    trace(
        "Discrete/Sample and Hold",
        f"indexing of the last edge, {kind}",
        [u15, CONTROL],
        [np.where(last >= 0, u15[last], -6.0)],
        tolerance=0,
        Edge=kind,
        Initial_Value=-6,
    )
last = np.maximum.accumulate(np.where(CONTROL > 0, np.arange(15), -1))
trace(
    "Discrete/Sample and Hold",
    "indexing of the last step on",
    [u15, CONTROL],
    [np.where(last >= 0, u15[last], -6.0)],
    tolerance=0,
    Edge="track",
    Initial_Value=-6,
)

enable = table.rng.integers(0, 2, 40).astype(float)
reset = (table.rng.integers(0, 6, 40) == 0).astype(float)
first, u40 = noise(40), noise(40)
for has_enable in [0, 1]:
    for has_reset in [0, 1]:
        for has_initial in [0, 1]:
            x, want = 1.5, []
            for k in range(40):
                start = first[k] if has_initial else 1.5
                resets = has_reset and reset[k]
                y = start if resets or (has_initial and k == 0) else x
                want.append(y)
                x = y if resets or (has_enable and not enable[k]) else u40[k]
            ports = [u40] + [enable] * has_enable + [reset] * has_reset + [first] * has_initial
            trace(
                "Discrete/Unit Delay Enabled Resettable",
                "the rule of the states, step by step",
                ports,
                [want],
                tolerance=0,
                Initial_Value=1.5,
                Enable_Input=has_enable,
                Reset_Input=has_reset,
                Initial_Input=has_initial,
            )

# --- Delays of a time, interpolated between steps ---------------------------------------------------------------------

NAME = "scipy.interpolate.lagrange where smooth, else numpy.interp"


def jumps_to(near, p, v):
    """Whether the signal jumps to the value of this number: its second difference there is a hundred times as large as the
    one before, the next is opposite, and that a hundred times as large as the one behind. The newest value of all is a
    jump if up to it the signal is straight, by a factor of 1e9. Less than a thousandth of the signal is not a jump."""
    if near < 3:
        return False
    slopes = np.diff(v) / np.diff(p)
    bend = lambda middle: (slopes[middle] - slopes[middle - 1]) / (p[middle + 1] - p[middle - 1])
    before, there = bend(near - 2), bend(near - 1)
    off = v[near] - v[near - 1] - (p[near] - p[near - 1]) * slopes[near - 2]
    if abs(off) <= 1e-3 * np.max(np.abs(v[near - 2 : near + 1])):
        return False
    if near + 1 == len(p):
        return abs(there) > 1e9 * abs(before)
    back = bend(near)
    turns = there * back < 0 and (near + 2 == len(p) or abs(back) > 100 * abs(bend(near + 1)))
    return abs(there) > 100 * abs(before) and turns


def past_at(at, positions, values):
    """The signal through `values` at increasing `positions`, at a position between the first and the last of them.

    A cubic through four neighbours of which two are those around `at`: one more on each side, else two newer, else two
    older ones. The first four are taken whose divided second differences have one sign and differ by no more than a
    factor of two; if there are none, a straight line. Before a jump the older values go on along a parabola.
    """
    near = int(np.clip(np.searchsorted(positions, at - 1e-9), 1, len(positions) - 1))
    if positions[near] - at > 1e-9 and jumps_to(near, positions, values):
        p, v = positions[near - 3 : near], values[near - 3 : near]
        return lagrange(p - p[0], v)(at - p[0])
    for first in [near - 2, near - 1, near - 3]:
        if first < 0 or first + 4 > len(positions):
            continue
        p, v = positions[first : first + 4], values[first : first + 4]
        bends = np.diff(np.diff(v) / np.diff(p)) / (p[2:] - p[:-2])
        if bends[0] * bends[1] > 0 and 0.5 <= bends[0] / bends[1] <= 2.0:
            return lagrange(p - p[0], v)(at - p[0])
    return np.interp(at, positions, values)


def delayed(positions, values, at, newest, begin):
    """The past at each step: `newest` is 0 if the step's own value is there, 1 if the one before it is the last."""
    steps = range(len(values))
    ends = [max(step + 1 - newest, 1) for step in steps]
    past = [past_at(at[k], positions[: ends[k]], values[: ends[k]]) if ends[k] > 1 else values[0] for k in steps]
    return np.where(at >= positions[0] - 1e-12, past, begin)


h, u = 0.2, noise(80)
time = np.arange(80) * h
smooth = np.sin(time) + 0.3 * time
for tau in [1.0, 0.37, 0.05]:
    for signal in [u, smooth]:
        past = delayed(time, signal, time - tau, 1 if tau >= h else 0, -3.0)
        trace("Continuous/Transport Delay", NAME, [signal], [past], delta=h, tolerance=1e-11, Delay=tau, Initial_Value=-3)
for signal in [u, smooth]:
    tau = np.abs(np.cumsum(noise(80)) * 0.1)
    past = delayed(time, signal, time - tau, 0, -3.0)
    trace("Continuous/Variable Time Delay", NAME, [signal, tau], [past], delta=h, tolerance=1e-11, Initial_Value=-3.0)
    tau = np.round(table.rng.uniform(0, 3, 80), 3)
    past = delayed(time, signal, time - np.minimum(tau, 1.5), 0, -3.0)
    trace(
        "Continuous/Variable Time Delay",
        f"{NAME}, limited",
        [signal, tau],
        [past],
        delta=h,
        tolerance=1e-11,
        Initial_Value=-3,
        Longest_Delay=1.5,
    )
    transit = 0.5 + np.abs(noise(80))
    moved = np.concatenate([[0.0], np.cumsum(h / transit)[:-1]])
    past = delayed(moved, signal, moved - 1, 0, -3.0)
    trace(
        "Continuous/Variable Transport Delay",
        f"{NAME}, over the pipe",
        [signal, transit],
        [past],
        delta=h,
        tolerance=1e-11,
        Initial_Value=-3.0,
    )

table.write()
