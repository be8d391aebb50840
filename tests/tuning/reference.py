"""Computes the reference values of loops with PID controllers by python-control and SciPy, and writes loops.json.

pip install control scipy
"""

import json
import pathlib

import control
import numpy as np
import scipy.optimize

S = control.tf([1, 0], [1])


def pid(p, i, d, n, period, integral, filtering):
    """The controller as the help of the blocks defines it."""
    if period is None:
        return control.tf([p], [1]) + control.tf([i], [1, 0]) + control.tf([d * n, 0], [1, n])
    z = control.tf([1, 0], [1], period)
    one = control.tf([1], [1], period)
    integrator = {
        "forward": control.tf([period], [1, -1], period),
        "backward": control.tf([period, 0], [1, -1], period),
        "trapezoidal": control.tf([period / 2, period / 2], [1, -1], period),
    }
    derivative = control.feedback(n * one, integrator[filtering])
    return control.minreal(p * one + i * integrator[integral] + d * derivative, verbose=False)


def figures(case):
    num, den, delay = case["num"], case["den"], case["delay"]
    p, i, d, n = case["gains"]
    period = case["period"]
    controller = pid(p, i, d, n, period, case["integral"], case["filter"])
    plant = control.tf(num, den)
    if period is not None:
        plant = control.c2d(plant, period, "zoh")
        steps = round(delay / period)
        assert abs(steps * period - delay) < 1e-12
        plant = plant * control.tf([1], [1] + [0] * steps, period)

    def open_loop(w):
        at = 1j * w if period is None else np.exp(1j * w * period)
        value = plant(at) * controller(at)
        return value * np.exp(-1j * w * delay) if period is None else value

    top = np.pi / period if period else 1e4
    grid = np.geomspace(1e-4, top * (1 - 1e-12), 200_000)
    values = np.array(open_loop(grid))
    gain = np.abs(values)
    phase_margin, phase_at = np.inf, None
    for k in np.nonzero((gain[:-1] > 1) != (gain[1:] > 1))[0]:
        w = scipy.optimize.brentq(lambda w: abs(open_loop(w)) - 1, grid[k], grid[k + 1], xtol=1e-14)
        margin = np.degrees(np.angle(-open_loop(w)))
        if abs(margin) < abs(phase_margin):
            phase_margin, phase_at = margin, w
    gain_margin, gain_at = np.inf, None
    for k in np.nonzero((values.imag[:-1] > 0) != (values.imag[1:] > 0))[0]:
        if values.real[k] > 0:
            continue
        w = scipy.optimize.brentq(lambda w: open_loop(w).imag, grid[k], grid[k + 1], xtol=1e-14)
        margin = 1 / abs(open_loop(w))
        if gain_at is None or abs(np.log(margin)) < abs(np.log(gain_margin)):
            gain_margin, gain_at = margin, w
    if period is not None:
        # The Nyquist frequency itself, where the response is real.
        value = (plant(-1) * controller(-1)).real
        if value < 0 and (gain_at is None or abs(np.log(-1 / value)) < abs(np.log(gain_margin))):
            gain_margin, gain_at = -1 / value, np.pi / period
    k = np.argmin(np.abs(1 + values))
    w = scipy.optimize.minimize_scalar(
        lambda w: abs(1 + open_loop(w)), bounds=(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)]), method="bounded",
        options={"xatol": 1e-12},
    )
    peak = 1 / w.fun
    times = np.array(case["times"])
    if delay and period is None:
        plant = plant * control.tf(*control.pade(delay, 9))
    # The loops in state space: a polynomial of many states is badly conditioned.
    plant_ss, controller_ss = control.ss(plant), control.ss(controller)
    by_set_point = control.feedback(plant_ss * controller_ss, 1)
    by_load = control.feedback(plant_ss, controller_ss)
    effort = control.feedback(controller_ss, plant_ss)

    def response(system):
        if period is None:
            fine = np.linspace(0, times[-1], 20_001)
            _, y = control.step_response(system, fine)
            return list(np.interp(times, fine, y))
        count = int(round(times[-1] / period)) + 1
        _, y = control.step_response(system, np.arange(count) * period)
        return [float(y[int(round(t / period))]) for t in times]

    return {
        "gain_margin": None if gain_at is None else gain_margin,
        "gain_at": gain_at,
        "phase_margin": None if phase_at is None else phase_margin,
        "phase_at": phase_at,
        "peak": peak,
        "output": response(by_set_point),
        "disturbance": response(by_load),
        "control": response(effort) if d == 0 or n < 1e3 or period else None,
    }


def case(name, num, den, gains, delay=0.0, period=None, integral="forward", filtering="forward", until=20.0):
    # Away from the jumps that delays make.
    times = [round(until * k / 8 + (0.03 if period is None else 0), 6) for k in range(1, 9)]
    if period is not None:
        times = [round(round(t / period) * period, 9) for t in times]
    made = dict(name=name, num=num, den=den, gains=gains, delay=delay, period=period, integral=integral, times=times)
    made["filter"] = filtering
    made |= figures(made)
    return made


LAG = [1.0, 4.0, 6.0, 4.0, 1.0]
CASES = [
    case("four lags, PI", [1.0], LAG, [0.5, 0.25, 0.0, 100.0], until=40.0),
    case("four lags, PID", [1.0], LAG, [1.2, 0.5, 0.8, 20.0], until=40.0),
    case("integrator and lag, PD", [2.0], [0.5, 1.0, 0.0], [3.0, 0.0, 0.4, 50.0], until=8.0),
    case("first order with dead time, PI", [2.0], [3.0, 1.0], [0.75, 0.25, 0.0, 100.0], delay=0.8, until=20.0),
    case("oscillator with dead time, PID", [4.0], [1.0, 0.8, 4.0], [0.3, 0.8, 0.2, 30.0], delay=0.2, until=16.0),
    case("unstable, PD", [1.0], [1.0, 0.0, -1.0], [5.0, 0.0, 2.0, 40.0], until=8.0),
]
for integral in ["forward", "backward", "trapezoidal"]:
    for filtering in ["forward", "backward", "trapezoidal"]:
        name = f"two lags, sampled, {integral} and {filtering}"
        CASES.append(
            case(name, [1.0], [0.6, 1.6, 1.0], [2.0, 1.3, 0.4, 6.0], period=0.1, integral=integral, filtering=filtering,
                 until=8.0)
        )
CASES.append(
    case("first order with dead time, sampled, PI", [2.0], [3.0, 1.0], [0.6, 0.2, 0.0, 100.0], delay=0.6, period=0.2,
         integral="backward", until=20.0)
)

if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("loops.json")
    path.write_text(json.dumps(CASES, indent=1) + "\n")
