"""Writes sources.json: the blocks of the group Sources (Var in files), by SciPy and by rational times, so that what
changes on a step changes there. Random blocks are compared with their distributions, in tests/block/random_statistics.rs."""

from fractions import Fraction

import numpy as np
from scipy import interpolate, signal

from trace import Table

table = Table(__file__, 7008)
trace = table.trace


def times(delta, steps=61):
    return np.arange(steps) * delta


def rational(delta, steps=61):
    return [Fraction(delta) * n for n in range(steps)]


t = times(0.05)
trace("Var/Static", "the value itself", [], [np.tile([3.0, -1.5], (5, 1))], tolerance=0, Value=[3, -1.5])
trace("Var/Ground", "zero", [], [np.zeros(5)], tolerance=0)
trace("Var/Clock", "multiples of the step", [], [t], tolerance=0, delta=0.05)
trace("Var/Digital Clock", "multiples of the sample time", [], [np.arange(61) // 4 * 0.2], delta=0.05, Sample_Time=0.2)
trace(
    "Var/Digital Clock",
    "multiples of the sample time",
    [],
    [np.concatenate([[0.0], np.arange(60) // 4 * 0.2 + 0.05])],
    delta=0.05,
    Sample_Time=0.2,
    Sample_Offset=0.05,
)
trace("Var/Counter", "numpy modulo", [], [np.arange(61) // 2 % 8], tolerance=0, delta=0.05, Sample_Time=0.1)
trace("Var/Counter", "numpy modulo", [], [np.arange(61) % 5], tolerance=0, delta=0.05, Upper_Limit=4)
trace("Var/Counter", "numpy modulo", [], [np.arange(61) % 16], tolerance=0, delta=0.05, Limit_By="bits", Bits=4)
trace(
    "Var/Line",
    "numpy.maximum",
    [],
    [2.0 - 0.75 * np.maximum(t - 1.1, 0)],
    delta=0.05,
    Slope=-0.75,
    Start_Time=1.1,
    Initial_Value=2,
)
trace(
    "Var/Sine",
    "numpy.sin",
    [],
    [2.5 * np.sin(7 * t + 0.4) - 1],
    delta=0.05,
    Amplitude=2.5,
    Frequency=7,
    Phase=0.4,
    Bias=-1,
)
trace(
    "Var/Gaussian Pulse",
    "numpy.exp",
    [],
    [3 * np.exp(-((t - 1.2) ** 2) / (2 * 0.3**2))],
    delta=0.05,
    Amplitude=3,
    Centre=1.2,
    Width=0.3,
)
for start in ["0.3", "0.7", "1.15", "0.01"]:
    jumps = [2.0 if moment < Fraction(start) else -5.0 for moment in rational("0.1", 16)]
    trace(
        "Var/Step",
        "rational times",
        [],
        [jumps],
        tolerance=0,
        delta=0.1,
        Step_Time=float(start),
        Initial_Value=2,
        Final_Value=-5,
    )
for period, width, delay in [("0.7", 30, "0.2"), ("1", 50, "0"), ("0.3", 100, "0.1"), ("0.6", 0, "0")]:
    since = [moment - Fraction(delay) for moment in rational("0.1")]
    on = [s >= 0 and s % Fraction(period) / Fraction(period) < Fraction(width, 100) for s in since]
    trace(
        "Var/Pulse",
        "rational times",
        [],
        [[4.0 * is_on for is_on in on]],
        tolerance=0,
        delta=0.1,
        Amplitude=4,
        Period=float(period),
        Width=width,
        Delay=float(delay),
    )
for rise, fall, low, high, start in [
    ("2", "0.5", "-1", "1", "0.25"),
    ("-1", "3", "0", "1", "0"),
    ("0.7", "0.7", "2", "5", "4"),
]:
    rise, fall, low, high, start = map(Fraction, (rise, fall, low, high, start))
    up, down = (high - low) / abs(rise), (high - low) / abs(fall)
    phase = [(moment + (start - low) / abs(rise)) % (up + down) for moment in rational("0.13")]
    wave = [low + abs(rise) * p if p < up else high - abs(fall) * (p - up) for p in phase]
    trace(
        "Var/Ramp",
        "rational times",
        [],
        [[float(value) for value in wave]],
        delta=0.13,
        Positive_Slope=float(rise),
        Negative_Slope=float(fall),
        Low_Value=float(low),
        High_Value=float(high),
        Starting_Value=float(start),
    )
stairs = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
trace("Var/Repeating Stair", "numpy modulo", [], [stairs[np.arange(61) % 5]], tolerance=0, Values=stairs)
trace(
    "Var/Repeating Stair",
    "numpy modulo",
    [],
    [stairs[np.arange(61) // 3 % 5]],
    tolerance=0,
    delta=0.1,
    Values=stairs,
    Sample_Time=0.3,
)

knots = ["0.5", "0.9", "1.5", "1.7"]
x, y = np.array(list(map(float, knots))), np.array([1.0, -2.0, 0.5, 3.0])
# Half a period after a breakpoint nothing jumps, but on it: the value of the new period, or of the new interval.
places = [Fraction("0.5") + moment % Fraction("1.2") for moment in rational("0.07", 80)]
within = np.array([float(place) for place in places])
below = [max(i for i, knot in enumerate(knots) if Fraction(knot) <= place) for place in places]
near = [min(range(4), key=lambda i: (abs(Fraction(knots[i]) - place), -i)) for place in places]
for kind, origin, want in [
    ("linear", "numpy.interp", np.interp(within, x, y)),
    ("flat", "rational times", y[below]),
    ("nearest", "rational times", y[near]),
    ("spline", "scipy CubicSpline", interpolate.CubicSpline(x, y)(within)),
]:
    trace(
        "Var/Repeating Sequence", origin, [], [want], delta=0.07, tolerance=1e-11, Times=x, Values=y, Interpolation=kind
    )
x, y = np.array([0.2, 0.5, 0.9, 1.4, 2.0, 2.3]), np.array([1.0, 1.0, -2.0, 0.5, 3.0, 2.0])
t, inside = times(0.07, 45), np.clip(times(0.07, 45), 0.2, 2.3)
spline, line = interpolate.CubicSpline(x, y), interpolate.interp1d(x, y, fill_value="extrapolate")
# No step is in the middle of two points.
near = np.argmin(np.abs(x[:, None] - inside[None, :]), axis=0)
for kind, outside, origin, want in [
    ("linear", "clip", "numpy.interp", np.interp(t, x, y)),
    ("linear", "extrapolate", "scipy interp1d", line(t)),
    ("spline", "clip", "scipy CubicSpline", spline(inside)),
    ("spline", "extrapolate", "scipy CubicSpline", spline(t)),
    ("akima", "clip", "scipy Akima1DInterpolator", interpolate.Akima1DInterpolator(x, y)(inside)),
    (
        "makima",
        "clip",
        "scipy Akima1DInterpolator makima",
        interpolate.Akima1DInterpolator(x, y, method="makima")(inside),
    ),
    ("flat", "clip", "numpy.searchsorted", y[np.clip(np.searchsorted(x, t, "right") - 1, 0, 5)]),
    ("nearest", "clip", "numpy.argmin", y[near]),
]:
    trace(
        "Var/Piecewise",
        origin,
        [],
        [want],
        delta=0.07,
        tolerance=1e-11,
        Times=x,
        Values=y,
        Interpolation=kind,
        Extrapolation=outside,
    )

time = np.arange(101) * 0.05
trace(
    "Var/Chirp",
    "scipy.signal.chirp",
    [],
    [2 * signal.chirp(time, 0.2, 4.0, 3.0, phi=-90)],
    delta=0.05,
    tolerance=1e-11,
    Initial_Frequency=0.2,
    Target_Time=4.0,
    Target_Frequency=3.0,
    Amplitude=2,
)
# Away from the edges, where rounding decides.
time = np.arange(101) * 0.013
near = 2 * np.pi * 1.7 * time + 2 * np.pi * 1e-9
trace(
    "Var/Signal Generator", "scipy.signal.square", [], [-signal.square(near)], delta=0.013, Wave="square", Frequency=1.7
)
trace(
    "Var/Signal Generator",
    "scipy.signal.sawtooth",
    [],
    [signal.sawtooth(near)],
    delta=0.013,
    tolerance=1e-8,
    Wave="sawtooth",
    Frequency=1.7,
)
trace(
    "Var/Signal Generator",
    "scipy.signal.sawtooth",
    [],
    [signal.sawtooth(near, 0.5)],
    delta=0.013,
    tolerance=1e-8,
    Wave="triangle",
    Frequency=1.7,
)
turn = [Fraction("0.1") * n * Fraction("1.25") % 1 for n in range(61)]
for wave, want in [
    ("square", [-3.0 if phase < Fraction(1, 2) else 3.0 for phase in turn]),
    ("sawtooth", [float(3 * (2 * phase - 1)) for phase in turn]),
    ("triangle", [float(3 * (1 - abs(4 * phase - 2))) for phase in turn]),
]:
    trace(
        "Var/Signal Generator",
        "rational times, with edges on steps",
        [],
        [want],
        delta=0.1,
        tolerance=1e-11,
        Wave=wave,
        Frequency=1.25,
        Amplitude=3,
    )
trace(
    "Var/Signal Generator",
    "numpy.sin",
    [],
    [3 * np.sin(1.7 * time)],
    delta=0.013,
    Wave="sine",
    Frequency=1.7,
    Amplitude=3,
    Unit="rad/s",
)
trace(
    "Var/Signal Generator",
    "numpy.sin",
    [],
    [3 * np.sin(2 * np.pi * 1.7 * time)],
    delta=0.013,
    Wave="sine",
    Frequency=1.7,
    Amplitude=3,
    Unit="Hz",
)
trace(
    "Var/Waveform",
    "numpy",
    [],
    [np.sin(2 * np.pi * time) + time**2, np.exp(-time) * np.cos(3 * time) + 0.013],
    delta=0.013,
    Formula="_e = exp(-t); y = sin(2*pi*t) + t^2; z = _e*cos(3*t) + dt",
)

table.write()
