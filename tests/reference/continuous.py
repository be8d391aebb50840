"""Writes continuous.json: the blocks of the group Continuous but for delays, by SciPy's exact discretization of an
input that is held in each step, by closed forms, and where a limit acts by the method of Runge and Kutta in NumPy."""

import numpy as np
from scipy import signal

from trace import CONTROL, Table, edges

table = Table(__file__, 7001)
noise, trace, response = table.noise, table.trace, table.response

# --- Linear systems, by Runge-Kutta of order 4 with an input that is held in each step --------------------------------

h = 0.002
u = np.repeat(noise(16), 10)


def held(system, u=u, x0=None, h=h):
    system = signal.StateSpace(*system) if len(system) == 4 else signal.lti(*system).to_ss()
    Ad, Bd, C, D, _ = signal.cont2discrete((system.A, system.B, system.C, system.D), h, "zoh")
    return signal.dlsim((Ad, Bd, C, D, h), u, x0=x0)[1]


def continuous(block, system, **options):
    # The error of the solver, of order h^5, and that of the discretization by SciPy.
    trace(
        block, "scipy.signal.cont2discrete zoh, dlsim", [u], [held(system).ravel()], delta=h, tolerance=1e-9, **options
    )


continuous("Continuous/Transfer Function", ([2.0, 1.0], [1.0, 0.8, 9.0]), Numerator=[2, 1], Denominator=[1, 0.8, 9])
continuous(
    "Continuous/Transfer Function", ([1.0, 0.0, 4.0], [2.0, 3.0, 5.0]), Numerator=[1, 0, 4], Denominator=[2, 3, 5]
)
b, a = signal.zpk2tf([-2.0], [-1 + 3j, -1 - 3j, -4], 5.0)
continuous("Continuous/Zero-Pole", (b, a), Zeros="-2", Poles="-1±3i -4", Gain=5)
# From an output and slope that are not 0: the response of the observer form, whose first state is the output.
for block, options, (n, d) in [
    ("Continuous/Transfer Function", {"Numerator": [2, 1], "Denominator": [1, 0.8, 9]}, ([2.0, 1.0], [1.0, 0.8, 9.0])),
    ("Continuous/Zero-Pole", {"Zeros": "-0.5", "Poles": "-1 -4", "Gain": 5}, ([5.0, 2.5], [1.0, 5.0, 4.0])),
]:
    system = (np.array([[-d[1], 1.0], [-d[2], 0.0]]), np.array([[n[0]], [n[1]]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))
    y = held(system, x0=[0.7, -4.0 + d[1] * 0.7]).ravel()
    trace(
        block,
        "scipy.signal.cont2discrete zoh, dlsim",
        [u],
        [y],
        delta=h,
        tolerance=1e-9,
        Initial_Output=[0.7, -4.0],
        **options,
    )
continuous("Continuous/PT1", ([3.0], [0.5, 1.0]), Gain=3, Time_Constant=0.5)
continuous("Continuous/PT2", ([3.0], [0.25, 2 * 0.2 * 0.5, 1.0]), Gain=3, Time_Constant=0.5, Damping=0.2)
continuous("Continuous/Lead-Lag", ([2 * 0.7, 2.0], [0.3, 1.0]), Gain=2, Lead_Time=0.7, Lag_Time=0.3)
w = 2 * np.pi * 0.4
continuous("Continuous/All-Pass Filter", (np.poly([w, w]), np.poly([-w, -w])), Frequency=0.4, Order=2)
for kind, wanted in [
    ("low pass", "lowpass"),
    ("high pass", "highpass"),
    ("band pass", "bandpass"),
    ("band stop", "bandstop"),
]:
    for order in [1, 2, 3, 4]:
        ends = [0.3, 0.9] if "band" in kind else 0.5
        b, a = signal.butter(order, 2 * np.pi * np.array(ends), wanted, analog=True)
        options = {"Type": kind, "Order": order, "Frequency": np.ravel(ends)[0], "Upper_Frequency": 0.9}
        continuous("Continuous/Butterworth Filter", (b, a), **options)
Ac = np.array([[-1.0, 3.0], [-2.0, -0.5]])
uc = np.stack([u, -0.5 * u[::-1]], axis=1)
Bc, Cc, Dc = np.array([[1.0, 0.0], [0.5, -1.0]]), np.array([[1.0, 2.0]]), np.array([[0.0, 0.25]])
for x0 in [[0.0, 0.0], [1.5, -0.5]]:
    trace(
        "Continuous/State Space",
        "scipy.signal.cont2discrete zoh, dlsim",
        [uc],
        [held((Ac, Bc, Cc, Dc), uc, x0).ravel()],
        delta=h,
        tolerance=1e-9,
        A=Ac,
        B=Bc,
        C=Cc,
        D=Dc,
        Initial_State=x0,
    )
x = held((np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]]), np.eye(2), np.zeros((2, 1))), x0=[1.0, -2.0])
trace(
    "Continuous/Second-Order Integrator",
    "scipy.signal.cont2discrete zoh, dlsim",
    [u],
    [x[:, 0], x[:, 1]],
    delta=h,
    Initial_Position=1,
    Initial_Speed=-2,
)
# T dy/dt + y = K u, from an output that is not 0.
y = held((np.array([[-2.0]]), np.array([[6.0]]), np.eye(1), np.zeros((1, 1))), x0=[0.7]).ravel()
trace(
    "Continuous/PT1",
    "scipy.signal.cont2discrete zoh, dlsim",
    [u],
    [y],
    delta=h,
    tolerance=1e-9,
    Gain=3,
    Time_Constant=0.5,
    Initial_Value=0.7,
)

# --- Integrators ------------------------------------------------------------------------------------------------------

for block in ["Math/Integrate", "Continuous/Integrator"]:
    trace(
        block,
        "closed form: the sum of u h",
        [u],
        [0.25 + h * np.concatenate([[0.0], np.cumsum(u)[:-1]])],
        delta=h,
        Initial_Value=0.25,
    )
h15, u15, source = 0.1, noise(15), noise(15)
for kind in ["rising", "falling", "either", "level"]:
    acts = edges(kind, CONTROL)
    for initial in ["option", "input"]:
        y, want, states = 0.25, [], []
        for k in range(15):
            states.append(y)
            begin = source[k] if initial == "input" else 0.25
            y = begin if k == 0 or acts[k] else y
            want.append(y)
            y += h15 * u15[k]
        trace(
            "Continuous/Integrator",
            f"closed form: the sum of u h since the last reset, {kind}, {initial}",
            [u15, CONTROL] + [source] * (initial == "input"),
            [want, states],
            delta=h15,
            Initial_Value=0.25,
            Reset=kind,
            Initial_Source=initial,
            Show_State=1,
        )
y, want = source[0], []
for k in range(15):
    want.append(y)
    y += h15 * u15[k]
trace("Continuous/Integrator", "closed form: the sum of u h", [u15, source], [want], delta=h15, Initial_Source="input")
# An input that is held moves straight on to a limit, and rests there.
drive = np.repeat([1.0, -2.0, 3.0, 0.5, -1.0], 8)
y, want, side = 0.25, [], []
for value in drive:
    want.append(y)
    side.append((y >= 1.1) - float(y <= -0.4))
    y = min(max(y + 0.25 * value, -0.4), 1.1)
trace(
    "Continuous/Integrator",
    "closed form: straight lines between the limits",
    [drive],
    [want, side],
    delta=0.25,
    Initial_Value=0.25,
    Limited=1,
    Lower_Limit=-0.4,
    Upper_Limit=1.1,
    Show_Saturation=1,
)

# An angle that wraps around.
drive = np.repeat([1.0, -2.0, 3.0, 0.5, -1.0], 8)
angle = 0.25 + 0.25 * np.concatenate([[0.0], np.cumsum(drive)[:-1]])
trace(
    "Continuous/Integrator",
    "closed form: straight lines modulo 1.5",
    [drive],
    [np.mod(angle + 0.7, 1.5) - 0.7],
    delta=0.25,
    Initial_Value=0.25,
    Wrapped=1,
    Lower_Limit=-0.7,
    Upper_Limit=0.8,
)

# Parabolas to a limit, at which the speed is lost; then away from it.
drive = np.concatenate([np.repeat([1.0, -1.0, 2.0], [20, 24, 20])])
x, v, xs, vs = 0.0, 0.0, [], []
for value in drive:
    xs.append(x)
    vs.append(v)
    is_pressed = (x >= 1.9 and value > 0) or (x <= -0.6 and value < 0)
    x, v = (x, 0.0) if is_pressed else (x + 0.125 * v + 0.125**2 / 2 * value, v + 0.125 * value)
    if x >= 1.9 or x <= -0.6:
        x, v = min(max(x, -0.6), 1.9), 0.0
trace(
    "Continuous/Second-Order Integrator",
    "closed form: parabolas between the limits",
    [drive],
    [xs, vs],
    delta=0.125,
    Limited=1,
    Lower_Limit=-0.6,
    Upper_Limit=1.9,
)
# The speed grows to its limit within whole steps, then the position grows straight on.
drive = np.repeat([2.0, -2.0], [12, 28])
x, v, xs, vs = 0.0, 0.0, [], []
for value in drive:
    xs.append(x)
    vs.append(v)
    reached = min(max(v + 0.25 * value, -1.0), 1.5)
    x, v = x + 0.25 * (v + reached) / 2, reached
trace(
    "Continuous/Second-Order Integrator",
    "closed form: parabolas up to the limits of the speed",
    [drive],
    [xs, vs],
    delta=0.25,
    Limited=1,
    Lowest_Speed=-1,
    Highest_Speed=1.5,
)

# --- Derivative -------------------------------------------------------------------------------------------------------

u40 = noise(40)
trace("Continuous/Derivative", "numpy.diff", [u40], [np.diff(u40, prepend=u40[0]) / h15], delta=h15, tolerance=1e-11)
# s/(c s + 1) is 1/c - (1/c)/(c s + 1), whose lag begins at the first input.
lag = held((np.array([[-20.0]]), np.array([[20.0]]), np.eye(1), np.zeros((1, 1))), x0=[u[0]]).ravel()
trace(
    "Continuous/Derivative",
    "scipy.signal.cont2discrete zoh, dlsim",
    [u],
    [(u - lag) / 0.05],
    delta=h,
    tolerance=1e-7,
    Filter_Time=0.05,
)

# --- Controllers ------------------------------------------------------------------------------------------------------

# P + I/s + D N s/(s + N), over one denominator.
p, i, d, n = 2.0, 1.5, 0.3, 5.0
base = {"P": p, "I": i, "D": d, "Filter Coefficient": n}


def transfer(p, i, d):
    # D = 0 in one input of the controller of two degrees of freedom leaves a system of the same order.
    return np.polyadd(np.polyadd(p * np.array([1, n, 0]), i * np.array([0, 1, n])), d * n * np.array([1, 0, 0])), [
        1,
        n,
        0,
    ]


trace(
    "Continuous/PID Controller",
    "scipy.signal.cont2discrete zoh, dlsim",
    [u],
    [held(transfer(p, i, d)).ravel()],
    base,
    delta=h,
    tolerance=1e-9,
)
trace(
    "Continuous/PID Controller",
    "scipy.signal.cont2discrete zoh, dlsim, ideal form",
    [u],
    [held(transfer(p, p * i, p * d)).ravel()],
    {**base, "Form": "ideal"},
    delta=h,
    tolerance=1e-9,
)
r, y = u, np.repeat(noise(16), 10)
two = held(transfer(0.6 * p, i, 0.2 * d), r) - held(transfer(p, i, d), y)
trace(
    "Continuous/PID Controller 2DOF",
    "scipy.signal.cont2discrete zoh, dlsim",
    [r, y],
    [two.ravel()],
    {**base, "Weight b": 0.6, "Weight c": 0.2},
    delta=h,
    tolerance=1e-9,
)
ideal = held(transfer(0.6 * p, p * i, 0.2 * p * d), r) - held(transfer(p, p * i, p * d), y)
trace(
    "Continuous/PID Controller 2DOF",
    "scipy.signal.cont2discrete zoh, dlsim, ideal form",
    [r, y],
    [ideal.ravel()],
    {**base, "Weight b": 0.6, "Weight c": 0.2, "Form": "ideal"},
    delta=h,
    tolerance=1e-9,
)


def controller(
    errors,
    initial=0.4,
    low=-np.inf,
    high=np.inf,
    windup="none",
    back=1.0,
    tracked=None,
    tracking=1.0,
    acts=None,
    h=h,
    gains=None,
    form="parallel",
):
    """The controller's differential equations by the method of Runge and Kutta of order 4: the limits make kinks, at
    which the order is lost, so that only the same method has the same numbers. Gains are four numbers for each step."""
    gains = [(p, i, d, n)] * len(errors[0]) if gains is None else gains
    state, out = np.array([initial, 0.0]), []
    for k, ((ep, ei, ed), (kp, ki, kd, kn)) in enumerate(zip(zip(*errors), gains)):
        state = np.array([initial, 0.0]) if acts is not None and acts[k] else state

        def output(state):
            slope = kn * (kd * ed - state[1])
            wanted = kp * (ep + state[0] + slope) if form == "ideal" else kp * ep + state[0] + slope
            return wanted, min(max(wanted, low), high)

        def rates(state):
            wanted, got = output(state)
            grows = ki * ei
            if windup == "back-calculation":
                grows += back * (got - wanted)
            elif windup == "clamping" and (wanted - got) * grows > 0:
                grows = 0.0
            if tracked is not None:
                grows += tracking * (tracked[k] - got)
            return np.array([grows, kn * (kd * ed - state[1])])

        out.append(output(state)[1])
        k1 = rates(state)
        k2 = rates(state + h / 2 * k1)
        k3 = rates(state + h / 2 * k2)
        k4 = rates(state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return out


limits = {"Limited": 1, "Lower Limit": -1.0, "Upper Limit": 1.25, "Initial Integral": 0.4, **base}
for block, weights, ports, errors in [
    ("Continuous/PID Controller", {}, [u], (u, u, u)),
    ("Continuous/PID Controller 2DOF", {"Weight b": 0.6, "Weight c": 0.2}, [r, y], (0.6 * r - y, r - y, 0.2 * r - y)),
]:
    for windup in ["none", "back-calculation", "clamping"]:
        want = controller(errors, low=-1.0, high=1.25, windup=windup, back=2.5)
        trace(
            block,
            f"Runge-Kutta in numpy, {windup}",
            ports,
            [want],
            {**limits, **weights, "Anti-Windup": windup, "Back-Calculation": 2.5},
            delta=h,
        )
    follow = np.repeat(noise(16), 10)
    trace(
        block,
        "Runge-Kutta in numpy, tracking",
        [*ports, follow],
        [controller(errors, tracked=follow, tracking=0.8)],
        {**base, **weights, "Initial Integral": 0.4, "Tracking": 1, "Tracking Gain": 0.8},
        delta=h,
    )
    for kind in ["rising", "falling", "either", "level"]:
        want = controller([error[:150:10] for error in errors], acts=edges(kind, CONTROL), h=0.1)
        trace(
            block,
            f"Runge-Kutta in numpy, reset {kind}",
            [port[:150:10] for port in ports] + [CONTROL],
            [want],
            {**base, **weights, "Initial Integral": 0.4, "Reset": kind},
            delta=0.1,
        )

# --- Frequency responses ----------------------------------------------------------------------------------------------

w = np.array([0.5, 1.0, 2.0, 5.0])
response(
    "Continuous/Transfer Function",
    w,
    signal.freqs([1, 3], [1, 2, 5, 4], w)[1],
    40,
    {"Numerator": [1, 3], "Denominator": [1, 2, 5, 4]},
)
response(
    "Continuous/Zero-Pole",
    w,
    signal.freqs_zpk([-1, 2j, -2j], [-2, -1 + 3j, -1 - 3j], 2, w)[1],
    40,
    {"Zeros": "-1 ±2i", "Poles": "-2 -1±3i", "Gain": 2},
)
for kind, wanted in [
    ("low pass", "lowpass"),
    ("high pass", "highpass"),
    ("band pass", "bandpass"),
    ("band stop", "bandstop"),
]:
    # Beyond order 20 only where the poles are not faster than the sine: there the solver is exact enough.
    for order in [1, 3, 4] + [30] * (kind == "low pass"):
        ends = [1.0, 2.0] if "band" in kind else [1.5]
        z, p, k = signal.butter(order, np.squeeze(ends), wanted, analog=True, output="zpk")
        response(
            "Continuous/Butterworth Filter",
            w,
            signal.freqs_zpk(z, p, k, w)[1],
            32 / np.min(-np.real(p)),
            {
                "Type": kind,
                "Order": order,
                "Frequency": ends[0] / (2 * np.pi),
                "Upper Frequency": ends[-1] / (2 * np.pi),
            },
        )

# --- Gains from inputs ------------------------------------------------------------------------------------------------

steps = len(u)
schedule = np.round(np.abs([noise(steps), noise(steps), 0.3 * noise(steps), 2 * noise(steps)]) + 0.2, 3)
for block, weights, ports, errors in [
    ("Continuous/PID Controller", {}, [u], (u, u, u)),
    ("Continuous/PID Controller 2DOF", {"Weight b": 0.6, "Weight c": 0.2}, [r, y], (0.6 * r - y, r - y, 0.2 * r - y)),
]:
    follow = noise(steps)
    for form, windup in [("parallel", "clamping"), ("ideal", "back-calculation"), ("parallel", "none")]:
        want = controller(
            errors,
            low=-1.0,
            high=1.25,
            windup=windup,
            back=2.5,
            tracked=follow,
            tracking=0.8,
            gains=schedule.T,
            form=form,
        )
        trace(
            block,
            f"Runge-Kutta in numpy, gains from inputs, {form}, {windup}",
            [*ports, *schedule, follow],
            [want],
            {
                **weights,
                "Gains": "inputs",
                "Form": form,
                "Limited": 1,
                "Lower Limit": -1.0,
                "Upper Limit": 1.25,
                "Initial Integral": 0.4,
                "Anti-Windup": windup,
                "Back-Calculation": 2.5,
                "Tracking": 1,
                "Tracking Gain": 0.8,
            },
            delta=h,
            tolerance=1e-11,
        )

table.write()
