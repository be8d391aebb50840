"""Writes discrete.json: the blocks of the group Discrete but for delays and samples, by SciPy, by rational arithmetic,
and by their difference equations in NumPy."""

from fractions import Fraction

import numpy as np
from scipy import signal

from trace import CONTROL, Table, edges

table = Table(__file__, 2024)
noise, trace, response = table.noise, table.trace, table.response

# --- Filters ----------------------------------------------------------------------------------------------------------

for name, (b, a) in {
    "butter": signal.butter(4, 0.3),
    "ellip": signal.ellip(5, 0.5, 40, 0.2, "high"),
    "notch": signal.iirnotch(0.4, 8),
}.items():
    u = noise(80)
    trace(
        "Discrete/Discrete Filter",
        f"scipy.signal.lfilter, {name}",
        [u],
        [signal.lfilter(b, a, u)],
        tolerance=1e-11,
        Numerator=b,
        Denominator=a,
    )
    trace(
        "Discrete/Discrete Transfer Function",
        f"scipy.signal.lfilter, {name}",
        [u],
        [signal.lfilter(b, a, u)],
        tolerance=1e-11,
        Numerator=b,
        Denominator=a,
    )
u = noise(80)
b, a = np.array([2.0, 1.0]), np.array([4.0, -1.0, 0.5, 0.25])
trace(
    "Discrete/Discrete Transfer Function",
    "scipy.signal.lfilter, of lower power",
    [u],
    [signal.lfilter(np.concatenate([[0, 0], b]), a, u)],
    Numerator=b,
    Denominator=a,
)
b, a, state = [1.0, 0.5, 0.25], [1.0, -0.3, 0.2], [0.7, -0.4]
for block in ["Discrete/Discrete Filter", "Discrete/Discrete Transfer Function"]:
    trace(
        block,
        "scipy.signal.lfilter, zi",
        [u],
        [signal.lfilter(b, a, u, zi=state)[0]],
        Numerator=b,
        Denominator=a,
        Initial_State=state,
    )
taps = signal.firwin(21, 0.3)
trace(
    "Discrete/Discrete FIR Filter", "scipy.signal.lfilter, firwin", [u], [signal.lfilter(taps, 1, u)], Coefficients=taps
)
trace(
    "Discrete/Discrete FIR Filter",
    "scipy.signal.lfilter, a moving average of every third step",
    [u],
    [
        np.repeat(signal.lfilter([0.25] * 4, 1, u[1::3]), 3)[:79][np.maximum(np.arange(80) - 1, 0)]
        * (np.arange(80) >= 1)
    ],
    {"Coefficients": [0.25] * 4, "Sample Time": 3, "Sample Offset": 1},
)
b, a = signal.zpk2tf([0.3, -0.5 + 0.2j, -0.5 - 0.2j], [0.9, 0.6 + 0.3j, 0.6 - 0.3j], 0.7)
trace(
    "Discrete/Discrete Zero-Pole",
    "scipy.signal.zpk2tf, lfilter",
    [u],
    [signal.lfilter(b, a, u)],
    tolerance=1e-11,
    Zeros="0.3 -0.5±0.2i",
    Poles="0.9, 0.6+0.3i, 0.6-0.3i",
    Gain=0.7,
)


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
        y.append(sum(n[: k + 1]) - sum(d[i] * y[k - i] for i in range(1, min(k, len(d) - 1) + 1)))
    return [float(value) for value in y]


# Multiplied out, twelve such poles are unstable.
for count, zeros in [(8, []), (12, []), (12, ["0.5", "-0.25", "0.99"])]:
    poles = [str(Fraction(900 + 5 * i, 1000).limit_denominator(1000)) for i in range(count)]
    decimals = [repr((900 + 5 * i) / 1000) for i in range(count)]
    trace(
        "Discrete/Discrete Zero-Pole",
        f"rational arithmetic, {count} poles, {len(zeros)} zeros",
        [np.ones(300)],
        [exact(zeros, poles, "1/10000000000", 300)],
        tolerance=1e-11,
        Zeros=" ".join(zeros),
        Poles=" ".join(decimals),
        Gain=1e-10,
    )

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
trace(
    "Discrete/Discrete State Space",
    "scipy.signal.cont2discrete zoh, dlsim",
    [u2],
    [y],
    {"Given As": "continuous", "A": Ac, "B": B, "C": C, "D": D},
    delta=0.25,
    tolerance=1e-11,
)

b_rows = np.stack([noise(40), noise(40), noise(40)], axis=1)
a_rows = np.stack([1.0 + np.abs(noise(40)), 0.3 * noise(40), 0.2 * noise(40)], axis=1)
u, w, y = noise(40), [0.0, 0.0], []
for uk, bk, ak in zip(u, b_rows, a_rows):
    now = (uk - ak[1] * w[0] - ak[2] * w[1]) / ak[0]
    y.append(bk @ [now, *w])
    w = [now, w[0]]
trace(
    "Discrete/Time-Varying Filter", "direct form II in numpy, with coefficients that change", [u, b_rows, a_rows], [y]
)
b, a = signal.butter(2, 0.3)
trace(
    "Discrete/Time-Varying Filter",
    "scipy.signal.lfilter, with coefficients at rest",
    [u, np.tile(b, (40, 1)), np.tile(a, (40, 1))],
    [signal.lfilter(b, a, u)],
)
trace(
    "Discrete/Transfer Function First Order",
    "scipy.signal.lfilter",
    [u],
    [signal.lfilter([0.2], [1, -0.8], u)],
    Pole=0.8,
)
trace(
    "Discrete/Transfer Function First Order",
    "scipy.signal.lfilter, zi",
    [u],
    [signal.lfilter([0.2], [1, -0.8], u, zi=[0.8 * 3.0])[0]],
    Pole=0.8,
    Initial_Value=3,
)
trace(
    "Discrete/Transfer Function Lead or Lag",
    "scipy.signal.lfilter",
    [u],
    [signal.lfilter([1, -0.75], [1, -0.95], u)],
    tolerance=1e-11,
)
trace(
    "Discrete/Transfer Function Lead or Lag",
    "scipy.signal.lfilter, zi",
    [u],
    [signal.lfilter([1, -0.2], [1, 0.6], u, zi=[-0.6 * 2.0 - 0.2 * 5.0])[0]],
    Pole=-0.6,
    Zero=0.2,
    Initial_Output=2,
    Initial_Input=5,
)

# --- Integrators and controllers --------------------------------------------------------------------------------------

h = 0.1
F = {
    "forward": ([0.0, h], [1.0, -1.0]),
    "backward": ([h, 0.0], [1.0, -1.0]),
    "trapezoidal": ([h / 2, h / 2], [1.0, -1.0]),
}
u = noise(60)
for method, (b, a) in F.items():
    trace(
        "Discrete/Discrete-Time Integrator",
        f"scipy.signal.lfilter, {method}",
        [u],
        [signal.lfilter(np.array(b) * 2.5, a, u)],
        delta=h,
        Method=method,
        Gain=2.5,
    )
    trace(
        "Discrete/Discrete-Time Integrator",
        f"scipy.signal.lfilter, {method}, sums",
        [u],
        [3.0 + signal.lfilter(np.array(b) * 2.5 / h, a, u)],
        delta=h,
        Method=method,
        Gain=2.5,
        Accumulate=1,
        Initial_Value=3,
    )
trace(
    "Discrete/Discrete-Time Integrator",
    "numpy.cumsum of every second step",
    [u],
    [np.repeat(np.concatenate([[0.0], np.cumsum(u[::2])[:-1]]) * 0.2, 2)],
    delta=h,
    Sample_Time=0.2,
)


def integral(u, method, gain, initial, low=-np.inf, high=np.inf, acts=None, of_output=False):
    """The outputs, saturated at each sample, so that they do not wind up (Astrom, Wittenmark, section 8.5), and the
    states before a reset.
    """
    x, y, states = initial, [], []
    for k, value in enumerate(u):
        states.append(x)
        restarts = acts is not None and acts[k]
        x = initial if restarts else x
        added = gain * h * value
        now = x + {"forward": 0.0, "backward": added, "trapezoidal": added / 2}[method]
        now = initial if of_output and (restarts or k == 0) else now
        now = np.clip(now, low, high)
        y.append(now)
        x = np.clip(now + {"forward": added, "backward": 0.0, "trapezoidal": added / 2}[method], low, high)
    return y, states


for method in F:
    trace(
        "Discrete/Discrete-Time Integrator",
        f"saturated sums in numpy, {method}",
        [u],
        [integral(u, method, 2.0, 0.1, -0.3, 0.4)[0]],
        delta=h,
        Method=method,
        Gain=2,
        Initial_Value=0.1,
        Limited=1,
        Lower_Limit=-0.3,
        Upper_Limit=0.4,
    )
    trace(
        "Discrete/Discrete-Time Integrator",
        f"sums in numpy, {method}, from an output",
        [u],
        [integral(u, method, 2.0, 0.5, of_output=True)[0]],
        delta=h,
        Method=method,
        Gain=2,
        Initial_Value=0.5,
        Initial_Value_Of="output",
    )
u15 = noise(15)
for kind in ["rising", "falling", "either", "level"]:
    acts = edges(kind, CONTROL)
    trace(
        "Discrete/Discrete-Time Integrator",
        f"sums in numpy between resets, {kind}",
        [u15, CONTROL],
        [*integral(u15, "trapezoidal", 1.0, 0.5, acts=acts)],
        delta=h,
        Method="trapezoidal",
        Initial_Value=0.5,
        Reset=kind,
        Show_State=1,
    )

for first, (ib, ia) in F.items():
    for second, (fb, fa) in F.items():
        p, i, d, n = 2.0, 1.5, 0.3, 5.0
        derivative = signal.lfilter(d * n * np.array(fa), np.array(fa) + n * np.array(fb), u)
        y = p * u + i * signal.lfilter(ib, ia, u) + derivative
        trace(
            "Discrete/Discrete PID Controller",
            f"scipy.signal.lfilter, {first}, {second}",
            [u],
            [y],
            {"P": p, "I": i, "D": d, "Filter Coefficient": n, "Integral Method": first, "Filter Method": second},
            delta=h,
            tolerance=1e-11,
        )
r, y = noise(60), noise(60)
ib, ia = F["forward"]
fb, fa = F["backward"]
want = (
    2.0 * (0.6 * r - y)
    + 1.5 * signal.lfilter(ib, ia, r - y)
    + signal.lfilter(0.3 * 5.0 * np.array(fa), np.array(fa) + 5.0 * np.array(fb), 0.2 * r - y)
)
trace(
    "Discrete/Discrete PID Controller 2DOF",
    "scipy.signal.lfilter",
    [r, y],
    [want],
    {
        "P": 2,
        "I": 1.5,
        "D": 0.3,
        "Filter Coefficient": 5,
        "Weight b": 0.6,
        "Weight c": 0.2,
        "Filter Method": "backward",
    },
    delta=h,
    tolerance=1e-11,
)


def controller(
    ep,
    ei,
    ed,
    gains,
    form="parallel",
    initial=0.0,
    low=-np.inf,
    high=np.inf,
    windup="none",
    back=1.0,
    tracked=None,
    acts=None,
    tracking=1.0,
    integral="forward",
    filtered="forward",
):
    """A sampled PID controller after Astrom, Hagglund: PID Controllers, 1995, section 3.5, with the states of integral
    and filter: what saturation and tracking add to the integral acts from the next sample on. Gains are four numbers, or
    four for each sample."""
    shares = {"forward": 0.0, "backward": 1.0, "trapezoidal": 0.5}
    held, lag, out = initial, 0.0, []
    for k in range(len(ep)):
        p, i, d, n = gains if np.ndim(gains) == 1 else gains[k]
        if acts is not None and acts[k]:
            held, lag = initial, 0.0
        # The filter's output v = N (D e - z) with z[k] = lag + share h v, which is solved for v.
        v = n * (d * ed[k] - lag) / (1 + n * h * shares[filtered])
        lag += h * v
        total = held + shares[integral] * h * i * ei[k]
        wanted = p * (ep[k] + total + v) if form == "ideal" else p * ep[k] + total + v
        got = min(max(wanted, low), high)
        out.append(got)
        grows = i * ei[k]
        if windup == "back-calculation":
            grows += back * (got - wanted)
        elif windup == "clamping" and (wanted - got) * grows > 0:
            grows = 0.0
        if tracked is not None:
            grows += tracking * (tracked[k] - got)
        held += h * grows
    return out


e, gains = np.round(np.cumsum(noise(60)) * 0.3, 3), (2.0, 1.5, 0.3, 5.0)
base = {"P": 2, "I": 1.5, "D": 0.3, "Filter Coefficient": 5}
limits = {"Limited": 1, "Lower Limit": -1.0, "Upper Limit": 1.25}
for block, weights, ports, errors in [
    ("Discrete/Discrete PID Controller", {}, [e], (e, e, e)),
    (
        "Discrete/Discrete PID Controller 2DOF",
        {"Weight b": 0.6, "Weight c": 0.2},
        [r, y],
        (0.6 * r - y, r - y, 0.2 * r - y),
    ),
]:
    base_of = {**base, **weights}
    trace(
        block,
        "difference equations in numpy, ideal form",
        ports,
        [controller(*errors, gains, form="ideal", initial=0.4)],
        {**base_of, "Form": "ideal", "Initial Integral": 0.4},
        delta=h,
        tolerance=1e-11,
    )
    for windup in ["none", "back-calculation", "clamping"]:
        for method in ["forward", "trapezoidal"]:
            want = controller(
                *errors, gains, low=-1.0, high=1.25, windup=windup, back=2.5, integral=method, filtered=method
            )
            trace(
                block,
                f"difference equations in numpy, {windup}, {method}",
                ports,
                [want],
                {
                    **base_of,
                    **limits,
                    "Anti-Windup": windup,
                    "Back-Calculation": 2.5,
                    "Integral Method": method,
                    "Filter Method": method,
                },
                delta=h,
                tolerance=1e-11,
            )
    backward = {"Integral Method": "backward", "Filter Method": "backward"}
    trace(
        block,
        "difference equations in numpy, tracking",
        [*ports, u],
        [controller(*errors, gains, tracked=u, tracking=0.8, integral="backward", filtered="backward")],
        {**base_of, **backward, "Tracking": 1, "Tracking Gain": 0.8},
        delta=h,
        tolerance=1e-11,
    )
    for kind in ["rising", "falling", "either", "level"]:
        short = [port[:15] for port in ports]
        want = controller(*[error[:15] for error in errors], gains, initial=0.4, acts=edges(kind, CONTROL))
        trace(
            block,
            f"difference equations in numpy, reset {kind}",
            [*short, CONTROL],
            [want],
            {**base_of, "Initial Integral": 0.4, "Reset": kind},
            delta=h,
            tolerance=1e-11,
        )

trace("Discrete/Difference", "numpy.diff", [u], [np.diff(u, prepend=0.0)])
trace("Discrete/Difference", "numpy.diff", [u], [np.diff(u, prepend=2.0)], Initial_Value=2)
trace("Discrete/Discrete Derivative", "numpy.diff", [u], [np.diff(u, prepend=0.0) / h], delta=h, tolerance=1e-11)
trace(
    "Discrete/Discrete Derivative",
    "numpy.diff",
    [u],
    [3.0 * np.diff(u, prepend=5.0 * h / 3.0) / h],
    delta=h,
    tolerance=1e-11,
    Gain=3,
    Initial_Value=5,
)

# --- Kalman filter ----------------------------------------------------------------------------------------------------

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
trace(
    "Discrete/Kalman Filter",
    "the textbook's update in numpy",
    [inputs, measured],
    [np.array(estimates)],
    {"A": Ak, "B": Bk, "C": Ck, "Q": Q, "R": R, "Initial State": [0.5, -1.0], "Initial Covariance": 2.0},
    tolerance=1e-11,
)

# --- Frequency responses: sines of so many samples a period -----------------------------------------------------------

for steps in [5, 16, 100]:
    w = 2 * np.pi / steps
    for name, (b, a) in {"butter": signal.butter(4, 0.3), "cheby2": signal.cheby2(3, 40, 0.4, "high")}.items():
        response(
            "Discrete/Discrete Filter", [w], signal.freqz(b, a, [w])[1], 400, {"Numerator": b, "Denominator": a}, steps
        )
    taps = signal.firwin(31, 0.25)
    response("Discrete/Discrete FIR Filter", [w], signal.freqz(taps, 1, [w])[1], 40, {"Coefficients": taps}, steps)
    zpk = ([-1.0, 0.2], [0.5 + 0.3j, 0.5 - 0.3j], 0.8)
    response(
        "Discrete/Discrete Zero-Pole",
        [w],
        signal.freqz_zpk(*zpk, [w])[1],
        100,
        {"Zeros": "-1 0.2", "Poles": "0.5±0.3i", "Gain": 0.8},
        steps,
    )

# --- Coefficients of continuous systems -------------------------------------------------------------------------------

n, d = [1.0, 2.0], [1.0, 0.4, 4.0]
for method, name in {"zoh": "zero-order hold", "foh": "first-order hold", "impulse": "impulse", "bilinear": "tustin"}.items():
    u = noise(40)
    bz, az, _ = signal.cont2discrete((n, d), 0.25, method)
    trace(
        "Discrete/Discrete Transfer Function",
        f"scipy.signal.cont2discrete {method}, lfilter",
        [u],
        [signal.lfilter(bz[0], az, u)],
        {"Given As": "continuous", "Method": name, "Numerator": n, "Denominator": d},
        delta=0.25,
        tolerance=1e-11,
    )
    if method == "zoh":
        continue
    u2 = np.stack([noise(40), noise(40)], axis=1)
    feed = 0 * D if method == "impulse" else D
    y = signal.dlsim((*signal.cont2discrete((Ac, B, C, feed), 0.25, method)[:4], 0.25), u2)[1]
    trace(
        "Discrete/Discrete State Space",
        f"scipy.signal.cont2discrete {method}, dlsim",
        [u2],
        [y],
        {"Given As": "continuous", "Method": name, "A": Ac, "B": B, "C": C, "D": feed},
        delta=0.25,
        tolerance=1e-11,
    )
# Prewarped at 3 rad/s: SciPy discretizes with the time that keeps this frequency.
u = noise(40)
bz, az, _ = signal.cont2discrete((n, d), 2 * np.tan(3 * 0.25 / 2) / 3, "bilinear")
trace(
    "Discrete/Discrete Transfer Function",
    "scipy.signal.cont2discrete bilinear, prewarped, lfilter",
    [u],
    [signal.lfilter(bz[0], az, u)],
    {"Given As": "continuous", "Method": "tustin", "Prewarp Frequency": 3.0, "Numerator": n, "Denominator": d},
    delta=0.25,
    tolerance=1e-11,
)
# Matched: one of the two zeros at infinity becomes -1, and the gain at 0 is kept.
u = noise(40)
poles = np.exp(np.roots(d) * 0.25)
az = np.poly(poles).real
bz = np.array([0.0, 1.0, 1.0]) / 2 * np.sum(az) / d[-1]
trace(
    "Discrete/Discrete Transfer Function",
    "numpy.roots, poly, scipy.signal.lfilter, matched",
    [u],
    [signal.lfilter(bz, az, u)],
    {"Given As": "continuous", "Method": "matched", "Numerator": [1.0], "Denominator": d},
    delta=0.25,
    tolerance=1e-11,
)

# --- Gains from inputs ------------------------------------------------------------------------------------------------

schedule = np.round(np.abs([noise(60), noise(60), 0.3 * noise(60), 2 * noise(60)]) + 0.2, 3)
wanted, measured = noise(60), noise(60)
for block, weights, ports, errors in [
    ("Discrete/Discrete PID Controller", {}, [e], (e, e, e)),
    (
        "Discrete/Discrete PID Controller 2DOF",
        {"Weight b": 0.6, "Weight c": 0.2},
        [wanted, measured],
        (0.6 * wanted - measured, wanted - measured, 0.2 * wanted - measured),
    ),
]:
    follow = noise(60)
    for form, windup, method in [
        ("parallel", "clamping", "forward"),
        ("ideal", "back-calculation", "trapezoidal"),
        ("parallel", "none", "backward"),
    ]:
        want = controller(
            *errors,
            schedule.T,
            form=form,
            low=-1.0,
            high=1.25,
            windup=windup,
            back=2.5,
            tracked=follow,
            tracking=0.8,
            integral=method,
            filtered=method,
        )
        trace(
            block,
            f"difference equations in numpy, gains from inputs, {form}, {windup}",
            [*ports, *schedule, follow],
            [want],
            {
                **weights,
                **limits,
                "Gains": "inputs",
                "Form": form,
                "Anti-Windup": windup,
                "Back-Calculation": 2.5,
                "Tracking": 1,
                "Tracking Gain": 0.8,
                "Integral Method": method,
                "Filter Method": method,
            },
            delta=h,
            tolerance=1e-11,
        )

table.write()
