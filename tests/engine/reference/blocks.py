"""Writes blocks.json beside it: what blocks must give, computed by NumPy 2 and SciPy 1.17, never by the program.

Run with `python3 blocks.py`. A trace has the inputs and outputs of each step; the lanes of a vector stand in a list.
"""

import json
import pathlib
from fractions import Fraction

import numpy as np
from scipy import interpolate, signal

rng = np.random.default_rng(2024)
traces = []
responses = []


def text(values):
    values = values if isinstance(values, (list, tuple, np.ndarray)) else [values]
    return [value if isinstance(value, str) else repr(float(value)) for value in np.ravel(np.array(values, dtype=object))]


def trace(block, origin, inputs, outputs, delta=1.0, tolerance=1e-12, **options):
    """Inputs and outputs: for each port a row of steps."""
    rows = lambda ports: [np.asarray(port, dtype=float).tolist() for port in ports]
    traces.append({
        "block": block, "origin": origin, "delta": delta, "tolerance": tolerance,
        "options": {name.replace("_", " "): text(value) for name, value in options.items()},
        "inputs": rows(inputs), "outputs": rows(outputs),
    })


def named(block, origin, inputs, outputs, options, **more):
    """Options whose names are no Python words."""
    trace(block, origin, inputs, outputs, **more)
    traces[-1]["options"] = {name: text(value) for name, value in options.items()}


def noise(steps=80):
    return np.round(rng.normal(size=steps), 3)


# --- Discrete ---------------------------------------------------------------------------------------------------------

for name, (b, a) in {
    "butter": signal.butter(4, 0.3), "ellip": signal.ellip(5, 0.5, 40, 0.2, "high"), "notch": signal.iirnotch(0.4, 8),
}.items():
    u = noise()
    trace("Discrete/Discrete Filter", f"scipy.signal.lfilter, {name}", [u], [signal.lfilter(b, a, u)],
          tolerance=1e-11, Numerator=b, Denominator=a)
    trace("Discrete/Discrete Transfer Function", f"scipy.signal.lfilter, {name}", [u], [signal.lfilter(b, a, u)],
          tolerance=1e-11, Numerator=b, Denominator=a)
u = noise()
b = np.array([2.0, 1.0])
a = np.array([4.0, -1.0, 0.5, 0.25])
trace("Discrete/Discrete Transfer Function", "scipy.signal.lfilter, of lower power", [u],
      [signal.lfilter(np.concatenate([[0, 0], b]), a, u)], Numerator=b, Denominator=a)
taps = signal.firwin(21, 0.3)
trace("Discrete/Discrete FIR Filter", "scipy.signal.lfilter, firwin", [u], [signal.lfilter(taps, 1, u)], Coefficients=taps)
b, a = signal.zpk2tf([0.3, -0.5 + 0.2j, -0.5 - 0.2j], [0.9, 0.6 + 0.3j, 0.6 - 0.3j], 0.7)
trace("Discrete/Discrete Zero-Pole", "scipy.signal.zpk2tf, lfilter", [u], [signal.lfilter(b, a, u)],
      tolerance=1e-11, Zeros="0.3 -0.5±0.2i", Poles="0.9, 0.6+0.3i, 0.6-0.3i", Gain=0.7)


def exact(zeros, poles, gain, steps):
    """The step response in rational arithmetic, without any rounding before the last; all roots are real decimals."""
    def product(roots):
        polynomial = [Fraction(1)]
        for root in map(Fraction, roots):
            polynomial = [a - root * b for a, b in zip(polynomial + [0], [0] + polynomial)]
        return polynomial
    n, d = product(zeros), product(poles)
    n = [Fraction(0)] * (len(d) - len(n)) + [Fraction(gain) * value for value in n]
    y = []
    for k in range(steps):
        y.append(sum(n[:k + 1]) - sum(d[i] * y[k - i] for i in range(1, min(k, len(d) - 1) + 1)))
    return [float(value) for value in y]


# Multiplied out, twelve such poles are unstable.
for count, zeros in [(8, []), (12, []), (12, ["0.5", "-0.25", "0.99"])]:
    poles = [str(Fraction(900 + 5 * i, 1000).limit_denominator(1000)) for i in range(count)]
    decimals = [repr((900 + 5 * i) / 1000) for i in range(count)]
    trace("Discrete/Discrete Zero-Pole", f"rational arithmetic, {count} poles, {len(zeros)} zeros", [np.ones(300)],
          [exact(zeros, poles, "1/10000000000", 300)], tolerance=1e-11, Zeros=" ".join(zeros), Poles=" ".join(decimals), Gain=1e-10)

A = np.array([[0.5, 0.2, 0.0], [-0.1, 0.7, 0.3], [0.0, -0.4, 0.6]])
B = np.array([[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]])
C = np.array([[1.0, 0.0, 1.0], [0.0, 2.0, -1.0]])
D = np.array([[0.0, 0.5], [0.25, 0.0]])
u2 = np.stack([noise(40), noise(40)], axis=1)
_, y, _ = signal.dlsim((A, B, C, D, 1.0), u2, x0=[1.0, -1.0, 0.5])
trace("Discrete/Discrete State Space", "scipy.signal.dlsim", [u2], [y], A=A, B=B, C=C, D=D, Initial_State=[1, -1, 0.5])
Ac = np.array([[-1.0, 3.0, 0.0], [-2.0, -0.5, 1.0], [0.0, -4.0, -8.0]])
Ad, Bd, _, _, _ = signal.cont2discrete((Ac, B, C, D), 0.25, "zoh")
_, y, _ = signal.dlsim((Ad, Bd, C, D, 0.25), u2)
named("Discrete/Discrete State Space", "scipy.signal.cont2discrete zoh, dlsim", [u2], [y],
      {"Given As": "continuous", "A": Ac, "B": B, "C": C, "D": D}, delta=0.25, tolerance=1e-11)

h = 0.1
F = {"forward": ([0.0, h], [1.0, -1.0]), "backward": ([h, 0.0], [1.0, -1.0]), "trapezoidal": ([h / 2, h / 2], [1.0, -1.0])}
u = noise(60)
for method, (b, a) in F.items():
    trace("Discrete/Discrete-Time Integrator", f"scipy.signal.lfilter, {method}", [u],
          [signal.lfilter(np.array(b) * 2.5, a, u)], delta=h, Method=method, Gain=2.5)
for first, (ib, ia) in F.items():
    for second, (fb, fa) in F.items():
        p, i, d, n = 2.0, 1.5, 0.3, 5.0
        derivative = signal.lfilter(d * n * np.array(fa), np.array(fa) + n * np.array(fb), u)
        y = p * u + i * signal.lfilter(ib, ia, u) + derivative
        named("Discrete/Discrete PID Controller", f"scipy.signal.lfilter, {first}, {second}", [u], [y],
              {"P": p, "I": i, "D": d, "Filter Coefficient": n, "Integral Method": first, "Filter Method": second},
              delta=h, tolerance=1e-11)
r, y = noise(60), noise(60)
ib, ia = F["forward"]
fb, fa = F["backward"]
want = 2.0 * (0.6 * r - y) + 1.5 * signal.lfilter(ib, ia, r - y) + signal.lfilter(
    0.3 * 5.0 * np.array(fa), np.array(fa) + 5.0 * np.array(fb), 0.2 * r - y)
named("Discrete/Discrete PID Controller 2DOF", "scipy.signal.lfilter", [r, y], [want],
      {"P": 2, "I": 1.5, "D": 0.3, "Filter Coefficient": 5, "Weight b": 0.6, "Weight c": 0.2, "Filter Method": "backward"},
      delta=h, tolerance=1e-11)
trace("Discrete/Transfer Function First Order", "scipy.signal.lfilter", [u], [signal.lfilter([0.2], [1, -0.8], u)], Pole=0.8)
trace("Discrete/Transfer Function Lead or Lag", "scipy.signal.lfilter", [u], [signal.lfilter([1, -0.75], [1, -0.95], u)],
      tolerance=1e-11)
trace("Discrete/Difference", "numpy.diff", [u], [np.diff(u, prepend=0.0)])
trace("Discrete/Discrete Derivative", "numpy.diff", [u], [np.diff(u, prepend=0.0) / h], delta=h, tolerance=1e-11)
trace("Discrete/Delay", "numpy.concatenate", [u], [np.concatenate([[9.0] * 7, u[:-7]])], Length=7, Initial_Value=9.0)
delays = rng.integers(0, 6, 60).astype(float)
trace("Discrete/Variable Integer Delay", "indexing", [u, delays],
      [[u[k - int(d)] if k >= d else 0.0 for k, d in enumerate(delays)]])
windows = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.zeros(3), u]), 3)[:-1]
trace("Discrete/Tapped Delay", "numpy sliding_window_view", [u], [windows], Taps=3)

x, cov = np.array([0.5, -1.0]), 2.0 * np.eye(2)
Ak, Bk, Ck = np.array([[1.0, 0.1], [-0.2, 0.9]]), np.array([[0.0], [0.1]]), np.array([[1.0, 0.0], [0.3, 1.0]])
Q, R = np.array([[0.02, 0.005], [0.005, 0.03]]), np.array([[0.5, 0.1], [0.1, 0.8]])
inputs, measured, estimates = noise(30)[:, None], np.stack([noise(30), noise(30)], axis=1), []
for uk, yk in zip(inputs, measured):
    gain = cov @ Ck.T @ np.linalg.inv(Ck @ cov @ Ck.T + R)
    x = x + gain @ (yk - Ck @ x)
    cov = (np.eye(2) - gain @ Ck) @ cov
    estimates.append(x)
    x, cov = Ak @ x + Bk @ uk, Ak @ cov @ Ak.T + Q
named("Discrete/Kalman Filter", "the textbook's update in numpy", [inputs, measured], [np.array(estimates)],
      {"A": Ak, "B": Bk, "C": Ck, "Q": Q, "R": R, "Initial State": [0.5, -1.0], "Initial Covariance": 2.0}, tolerance=1e-11)

# --- Continuous, by Runge-Kutta of order 4 with an input that is held in each step ------------------------------------

h = 0.002
u = np.repeat(noise(16), 10)


def held(system, u=u):
    system = signal.StateSpace(*system) if len(system) == 4 else signal.lti(*system).to_ss()
    Ad, Bd, C, D, _ = signal.cont2discrete((system.A, system.B, system.C, system.D), h, "zoh")
    return signal.dlsim((Ad, Bd, C, D, h), u)[1]


def continuous(block, system, **options):
    trace(block, "scipy.signal.cont2discrete zoh, dlsim", [u], [held(system).ravel()], delta=h, tolerance=1e-9, **options)


continuous("Continuous/Transfer Function", ([2.0, 1.0], [1.0, 0.8, 9.0]), Numerator=[2, 1], Denominator=[1, 0.8, 9])
continuous("Continuous/Transfer Function", ([1.0, 0.0, 4.0], [2.0, 3.0, 5.0]), Numerator=[1, 0, 4], Denominator=[2, 3, 5])
b, a = signal.zpk2tf([-2.0], [-1 + 3j, -1 - 3j, -4], 5.0)
continuous("Continuous/Zero-Pole", (b, a), Zeros="-2", Poles="-1±3i -4", Gain=5)
continuous("Continuous/PT1", ([3.0], [0.5, 1.0]), Gain=3, Time_Constant=0.5)
continuous("Continuous/PT2", ([3.0], [0.25, 2 * 0.2 * 0.5, 1.0]), Gain=3, Time_Constant=0.5, Damping=0.2)
continuous("Continuous/Lead-Lag", ([2 * 0.7, 2.0], [0.3, 1.0]), Gain=2, Lead_Time=0.7, Lag_Time=0.3)
w = 2 * np.pi * 0.4
continuous("Continuous/All-Pass Filter", (np.poly([w, w]), np.poly([-w, -w])), Frequency=0.4, Order=2)
for kind, wanted in [("low pass", "lowpass"), ("high pass", "highpass"), ("band pass", "bandpass"), ("band stop", "bandstop")]:
    for order in [1, 2, 3, 4]:
        edges = [0.3, 0.9] if "band" in kind else 0.5
        b, a = signal.butter(order, 2 * np.pi * np.array(edges), wanted, analog=True)
        options = {"Type": kind, "Order": order, "Frequency": np.ravel(edges)[0], "Upper_Frequency": 0.9}
        continuous("Continuous/Butterworth Filter", (b, a), **options)
Ac = np.array([[-1.0, 3.0], [-2.0, -0.5]])
uc = np.stack([u, -0.5 * u[::-1]], axis=1)
Bc, Cc, Dc = np.array([[1.0, 0.0], [0.5, -1.0]]), np.array([[1.0, 2.0]]), np.array([[0.0, 0.25]])
trace("Continuous/State Space", "scipy.signal.cont2discrete zoh, dlsim", [uc], [held((Ac, Bc, Cc, Dc), uc).ravel()], delta=h,
      tolerance=1e-9, A=Ac, B=Bc, C=Cc, D=Dc)
# P + I/s + D N s/(s + N), over one denominator.
p, i, d, n = 2.0, 1.5, 0.3, 5.0
pid = (np.polyadd(np.polyadd(p * np.array([1, n, 0]), i * np.array([0, 1, n])), d * n * np.array([1, 0, 0])), [1, n, 0])
continuous("Continuous/PID Controller", pid, P=p, I=i, D=d, Filter_Coefficient=n)
x = held((np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), np.eye(2), np.zeros((2, 1))))
trace("Continuous/Second-Order Integrator", "scipy.signal.cont2discrete zoh, dlsim", [u], [x[:, 0], x[:, 1]], delta=h,
      tolerance=1e-12)

h, u = 0.2, noise(80)
time = np.arange(80) * h
tau = np.abs(np.cumsum(noise(80)) * 0.1)
past = np.where(tau <= time + 1e-12, np.interp(time - tau, time, u), -3.0)
trace("Continuous/Variable Time Delay", "numpy.interp", [u, tau], [past], delta=h, tolerance=1e-11, Initial_Value=-3.0)
transit = 0.5 + np.abs(noise(80))
moved = np.concatenate([[0.0], np.cumsum(h / transit)[:-1]])
past = np.where(moved >= 1 - 1e-12, np.interp(moved - 1, moved, u), -3.0)
trace("Continuous/Variable Transport Delay", "numpy.interp over the pipe", [u, transit], [past], delta=h, tolerance=1e-11,
      Initial_Value=-3.0)

# --- Lookup -----------------------------------------------------------------------------------------------------------

x = np.array([-2.0, -1.5, -0.25, 0.5, 1.0, 3.0, 3.5])
t = np.array([1.0, 4.0, 4.0, -2.0, 0.5, 0.5, 7.0])
u = np.concatenate([np.linspace(-3, 4.5, 61), x])
clipped = np.clip(u, x[0], x[-1])
grid = {"Breakpoints": x, "Table": t}
named("Lookup/1-D Lookup Table", "numpy.interp", [u], [np.interp(u, x, t)], grid)
line = interpolate.interp1d(x, t, fill_value="extrapolate")
named("Lookup/1-D Lookup Table", "scipy interp1d, extrapolated", [u], [line(u)], {**grid, "Extrapolation": "extrapolate"})
spline = interpolate.CubicSpline(x, t)
named("Lookup/1-D Lookup Table", "scipy CubicSpline", [u], [spline(clipped)], {**grid, "Interpolation": "spline"})
named("Lookup/1-D Lookup Table", "scipy CubicSpline, extrapolated", [u], [spline(u)],
      {**grid, "Interpolation": "spline", "Extrapolation": "extrapolate"}, tolerance=1e-11)
akima = interpolate.Akima1DInterpolator(x, t, method="makima")
named("Lookup/1-D Lookup Table", "scipy Akima1DInterpolator makima", [u], [akima(clipped)], {**grid, "Interpolation": "makima"})
akima = interpolate.Akima1DInterpolator(x, t)
named("Lookup/1-D Lookup Table", "scipy Akima1DInterpolator", [u], [akima(clipped)], {**grid, "Interpolation": "akima"})
for count in [2, 3, 4]:
    cut = {"Breakpoints": x[:count], "Table": t[:count], "Interpolation": "spline"}
    inside = np.clip(u, x[0], x[count - 1])
    short = interpolate.CubicSpline(x[:count], t[:count])
    named("Lookup/1-D Lookup Table", f"scipy CubicSpline of {count}", [u], [short(inside)], cut)
below = np.clip(np.searchsorted(x, u, "right") - 1, 0, len(x) - 1)
named("Lookup/1-D Lookup Table", "numpy.searchsorted", [u], [t[below]], {**grid, "Interpolation": "flat"})
nearest = [t[np.flatnonzero(np.abs(x - v) == np.min(np.abs(x - v)))[-1]] for v in clipped]
named("Lookup/1-D Lookup Table", "numpy.argmin", [u], [nearest], {**grid, "Interpolation": "nearest"})

x2 = np.array([0.0, 0.7, 1.0, 2.5, 4.0])
t2 = np.round(rng.normal(size=(len(x), len(x2))), 2)
u1, u2 = rng.uniform(-3, 4.5, 60), rng.uniform(-1, 5, 60)
c1, c2 = np.clip(u1, x[0], x[-1]), np.clip(u2, x2[0], x2[-1])
plane = {"Breakpoints 1": x, "Breakpoints 2": x2, "Table": t2}


def nested(axes, table, points, kind=interpolate.CubicSpline):
    """One dimension after the other."""
    values = []
    for point in zip(*points):
        cut = table
        for axis, at in zip(axes, point):
            cut = kind(axis, cut)(at)
        values.append(float(cut))
    return values


linear = interpolate.RegularGridInterpolator((x, x2), t2)
named("Lookup/2-D Lookup Table", "scipy RegularGridInterpolator", [u1, u2], [linear(np.stack([c1, c2], 1))], plane)
beyond = interpolate.RegularGridInterpolator((x, x2), t2, bounds_error=False, fill_value=None)
named("Lookup/2-D Lookup Table", "scipy RegularGridInterpolator, extrapolated", [u1, u2], [beyond(np.stack([u1, u2], 1))],
      {**plane, "Extrapolation": "extrapolate"})
named("Lookup/2-D Lookup Table", "scipy CubicSpline, nested", [u1, u2], [nested((x, x2), t2, (c1, c2))],
      {**plane, "Interpolation": "spline"}, tolerance=1e-11)
x3 = np.array([-1.0, 0.0, 2.0])
t3 = np.round(rng.normal(size=(len(x), len(x2), len(x3))), 2)
u3 = rng.uniform(-2, 3, 60)
c3 = np.clip(u3, x3[0], x3[-1])
space = {"Sizes": [len(x), len(x2), len(x3)], "Breakpoints": np.concatenate([x, x2, x3]), "Table": t3}
linear = interpolate.RegularGridInterpolator((x, x2, x3), t3)
named("Lookup/n-D Lookup Table", "scipy RegularGridInterpolator", [u1, u2, u3], [linear(np.stack([c1, c2, c3], 1))], space)
named("Lookup/n-D Lookup Table", "scipy CubicSpline, nested", [u1, u2, u3], [nested((x, x2, x3), t3, (c1, c2, c3))],
      {**space, "Interpolation": "spline"}, tolerance=1e-11)

# --- Nonlinear --------------------------------------------------------------------------------------------------------

u = np.cumsum(noise(120))
trace("Nonlinear/Dead Zone", "numpy.clip", [u], [u - np.clip(u, -0.75, 0.5)], Start=-0.75, End=0.5)
trace("Nonlinear/Quantizer", "numpy.floor", [u], [np.sign(u) * np.floor(np.abs(u) / 0.3 + 0.5) * 0.3], Interval=0.3)
trace("Nonlinear/Friction", "numpy", [u], [np.sign(u) * (0.4 * np.abs(u) + 1.25)], Gain=0.4, Offset=1.25)
play = [0.5]
for value in u:
    # The output is pushed along by either end of the play.
    play.append(min(max(play[-1], value - 0.6), value + 0.6))
trace("Nonlinear/Backlash", "clamped to the play", [u], [play[1:]], Width=1.2, Initial_Value=0.5)
slow = [u[0]]
for value in u[1:]:
    slow.append(slow[-1] + np.clip(value - slow[-1], -0.7 * 0.5, 1.2 * 0.5))
trace("Nonlinear/Rate Limiter", "numpy.clip of the change", [u], [slow], delta=0.5, Rising_Slope=1.2, Falling_Slope=-0.7)
side = np.sign(u - 1.0)
hits = np.concatenate([[0.0], (side[1:] > side[:-1]).astype(float)])
trace("Nonlinear/Hit Crossing", "numpy.sign", [u], [hits], Value=1.0, Direction="rising")

# --- Sources ----------------------------------------------------------------------------------------------------------

time = np.arange(101) * 0.05
trace("Var/Chirp", "scipy.signal.chirp", [], [signal.chirp(time, 0.2, 4.0, 3.0, phi=-90)], delta=0.05, tolerance=1e-11,
      Initial_Frequency=0.2, Target_Time=4.0, Target_Frequency=3.0)
# Away from the edges, where rounding decides.
time = np.arange(101) * 0.013
turns = 2 * np.pi * 1.7 * time
near = 2 * np.pi * 1.7 * time + 2 * np.pi * 1e-9
trace("Var/Signal Generator", "scipy.signal.square", [], [-signal.square(near)], delta=0.013, Wave="square", Frequency=1.7)
trace("Var/Signal Generator", "scipy.signal.sawtooth", [], [signal.sawtooth(near)], delta=0.013, tolerance=1e-8,
      Wave="sawtooth", Frequency=1.7)
trace("Var/Signal Generator", "scipy.signal.sawtooth", [], [signal.sawtooth(near, 0.5)], delta=0.013, tolerance=1e-8,
      Wave="triangle", Frequency=1.7)
trace("Var/Signal Generator", "numpy.sin", [], [3 * np.sin(1.7 * time)], delta=0.013, Frequency=1.7, Amplitude=3, Unit="rad/s")

# --- Matrix -----------------------------------------------------------------------------------------------------------

m = np.round(rng.normal(size=(10, 5, 5)), 2)
m[3, 0, 0] = 0.0
v = np.round(rng.normal(size=(10, 5, 3)), 2)
flat = lambda values: values.reshape(len(values), -1)
trace("Matrix/Determinant", "numpy.linalg.det", [flat(m)], [np.linalg.det(m)], tolerance=1e-10)
trace("Matrix/Inverse", "numpy.linalg.inv", [flat(m)], [flat(np.linalg.inv(m))], tolerance=1e-9)
trace("Matrix/Solve", "numpy.linalg.solve", [flat(m), flat(v)], [flat(np.linalg.solve(m, v))], tolerance=1e-9)
trace("Matrix/Matrix Multiply", "numpy matmul", [flat(m), flat(v)], [flat(m @ v)], Rows=5, Columns=3)
trace("Matrix/Matrix Square", "numpy matmul", [flat(v)], [flat(v.transpose(0, 2, 1) @ v)], Rows=5)
trace("Matrix/Cross Product", "numpy.cross", [v[:, 0], v[:, 1]], [np.cross(v[:, 0], v[:, 1])])
trace("Matrix/Norm", "numpy.linalg.norm", [v[:, 0]], [np.linalg.norm(v[:, 0], axis=1)])

# --- Frequency responses ----------------------------------------------------------------------------------------------


def response(block, frequencies, values, settling, options):
    """Of a continuous system: radians a second, and how many seconds its transient lasts."""
    responses.append({"block": block, "frequencies": list(map(float, frequencies)), "settling": settling,
                      "re": np.real(values).tolist(), "im": np.imag(values).tolist(),
                      "options": {name: text(value) for name, value in options.items()}})


w = np.array([0.5, 1.0, 2.0, 5.0])
response("Continuous/Transfer Function", w, signal.freqs([1, 3], [1, 2, 5, 4], w)[1], 40,
         {"Numerator": [1, 3], "Denominator": [1, 2, 5, 4]})
response("Continuous/Zero-Pole", w, signal.freqs_zpk([-1, 2j, -2j], [-2, -1 + 3j, -1 - 3j], 2, w)[1], 40,
         {"Zeros": "-1 ±2i", "Poles": "-2 -1±3i", "Gain": 2})
for kind, wanted in [("low pass", "lowpass"), ("high pass", "highpass"), ("band pass", "bandpass"), ("band stop", "bandstop")]:
    # Beyond order 20 only where the poles are not faster than the sine: there the solver is exact enough.
    for order in [1, 3, 4] + [30] * (kind == "low pass"):
        edges = [1.0, 2.0] if "band" in kind else [1.5]
        z, p, k = signal.butter(order, np.squeeze(edges), wanted, analog=True, output="zpk")
        response("Continuous/Butterworth Filter", w, signal.freqs_zpk(z, p, k, w)[1], 32 / np.min(-np.real(p)),
                 {"Type": kind, "Order": order, "Frequency": edges[0] / (2 * np.pi), "Upper Frequency": edges[-1] / (2 * np.pi)})

# Discrete ones: sines of so many samples a period.
for steps in [5, 16, 100]:
    for name, (b, a) in {"butter": signal.butter(4, 0.3), "cheby2": signal.cheby2(3, 40, 0.4, "high")}.items():
        w = 2 * np.pi / steps
        value = signal.freqz(b, a, [w])[1]
        response("Discrete/Discrete Filter", [w], value, 400, {"Numerator": b, "Denominator": a})
        responses[-1]["steps"] = steps
    taps = signal.firwin(31, 0.25)
    response("Discrete/Discrete FIR Filter", [w], signal.freqz(taps, 1, [w])[1], 40, {"Coefficients": taps})
    responses[-1]["steps"] = steps
    zpk = ([-1.0, 0.2], [0.5 + 0.3j, 0.5 - 0.3j], 0.8)
    response("Discrete/Discrete Zero-Pole", [w], signal.freqz_zpk(*zpk, [w])[1], 100,
             {"Zeros": "-1 0.2", "Poles": "0.5±0.3i", "Gain": 0.8})
    responses[-1]["steps"] = steps

path = pathlib.Path(__file__).with_name("blocks.json")
lines = lambda items: ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
path.write_text(f'{{"traces": [\n{lines(traces)}\n],\n"responses": [\n{lines(responses)}\n]}}\n')
