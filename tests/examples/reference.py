"""Independent solutions of the examples by SciPy at tolerances of 1e-12; writes the CSV files beside it.

Continuous models by DOP853, stiff ones by Radau, sampled linear ones by the matrix exponential. Run by hand with SciPy
1.x and NumPy; the tests read the files only.
"""

import csv
import pathlib

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, solve_discrete_are, solve_discrete_lyapunov

HERE = pathlib.Path(__file__).parent


def solve(f, x0, times, breaks=()):
    """The solution at `times`, begun anew at each of `breaks`, where the right-hand side jumps."""
    times = np.asarray(times, float)
    edges = [0.0, *breaks, times[-1]]
    x, out = np.asarray(x0, float), {0.0: np.asarray(x0, float)}
    for start, end in zip(edges, edges[1:]):
        inside = times[(times > start) & (times <= end)]
        at = np.unique(np.append(inside, end))
        middle = (start + end) / 2
        got = solve_ivp(lambda t, x: f(t, x, middle), (start, end), x, "DOP853", at, rtol=1e-12, atol=1e-14)
        assert got.success
        out.update(zip(got.t, got.y.T))
        x = got.y[:, -1]
    return [out[t] for t in times]


def write(name, header, times, rows):
    with open(HERE / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *header])
        for t, row in zip(times, rows):
            writer.writerow([repr(float(t)), *(repr(float(value)) for value in row)])


def dc_motor():
    J, b, K, R, L, P, I, D, N = 0.01, 0.1, 0.01, 1.0, 0.5, 100.0, 200.0, 10.0, 100.0

    def f(t, x, middle):
        current, speed, integral, filtered = x
        error = (1.0 if middle > 0.1 else 0.0) - speed
        rate = N * (D * error - filtered)
        voltage = P * error + I * integral + rate
        return [(voltage - R * current - K * speed) / L, (K * current - b * speed) / J, error, rate]

    times = [0.2, 0.5, 1.0, 2.0, 2.9]
    write("dc_motor", ["speed"], times, [x[1:2] for x in solve(f, [0, 0, 0, 0], times, [0.1])])


def lorenz():
    def f(t, x, _):
        return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]

    times = [0.5, 1.0, 2.0, 5.0]
    write("lorenz", ["x", "y", "z"], times, solve(f, [1, 1, 1], times))


def predator_prey():
    def f(t, x, _):
        return [1.1 * x[0] - 0.4 * x[0] * x[1], 0.1 * x[0] * x[1] - 0.4 * x[1]]

    times = [1.0, 5.0, 10.0, 50.0, 99.0]
    write("predator_prey", ["prey", "predators"], times, solve(f, [10, 10], times))


def epidemic():
    def town(s, i, visitors):
        new = 0.5 * s * (i + visitors)
        return [-new, new - 0.2 * i, 0.2 * i]

    def f(t, x, middle):
        visitor = 0.001 if 1 < middle < 2 else 0.0
        return town(x[0], x[1], visitor + 0.01 * x[4]) + town(x[3], x[4], 0.01 * x[1])

    times = [1.5, 10.0, 30.0, 50.0, 149.0]
    rows = solve(f, [1, 0, 0, 1, 0, 0], times, [1.0, 2.0])
    write("epidemic", ["infected A", "infected B", "recovered B"], times, [[x[1], x[4], x[5]] for x in rows])


def mass_spring_chain():
    count = 10

    def f(t, x, _):
        position, velocity = x[:count], x[count:]
        left = np.concatenate([[0.1 * np.sin(t)], position[:-1]])
        right = np.concatenate([position[1:], [0.0]])
        return np.concatenate([velocity, 4 * (left + right - 2 * position)])

    times = [1.0, 5.0, 10.0, 30.0, 59.0]
    write("mass_spring_chain", ["last"], times, [[x[count - 1]] for x in solve(f, np.zeros(2 * count), times)])


def zero_order_hold(A, B, h):
    """The discrete matrices of x' = A·x + B·u with u constant during h (van Loan)."""
    n, m = B.shape
    block = expm(np.block([[A, B], [np.zeros((m, n + m))]]) * h)
    return block[:n, :n], block[:n, n:]


def inverted_pendulum():
    """Without noise: the nonlinear cart between samples, the filter of Kalman and the feedback at samples of 10 ms."""
    M, m, b, I, l, g, T = 0.5, 0.2, 0.1, 0.006, 0.3, 9.8, 0.01
    J, p = I + m * l**2, I * (M + m) + M * m * l**2
    A = np.array([[0, 1, 0, 0], [0, -J * b / p, m**2 * g * l**2 / p, 0], [0, 0, 0, 1],
                  [0, -m * l * b / p, m * g * l * (M + m) / p, 0]])
    B = np.array([[0], [J / p], [0], [m * l / p]])
    Ad, Bd = zero_order_hold(A, B, T)
    C, Q, R = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]]), 0.25 * Bd @ Bd.T, np.diag([1e-6, 4e-6])
    K = np.array([-61.9933, -33.504, 95.06, 18.83])

    def f(t, x, force):
        # Lagrange's equations as a linear system for both accelerations.
        _, v, a, w = x
        mass = np.array([[M + m, -m * l * np.cos(a)], [-m * l * np.cos(a), J]])
        forces = [force - b * v - m * l * w**2 * np.sin(a), m * g * l * np.sin(a)]
        dv, dw = np.linalg.solve(mass, forces)
        return [v, dv, w, dw]

    x, prior, P, delayed = np.zeros(4), np.zeros(4), 0.01 * np.eye(4), 0.0
    times, rows = [1.5, 2.0, 3.0, 6.0, 6.5, 7.0, 9.0], []
    for step in range(901):
        t = step * T
        if any(abs(t - time) < 1e-9 for time in times):
            rows.append([x[0], x[2]])
        S = C @ P @ C.T + R
        gain = P @ C.T @ np.linalg.inv(S)
        estimate = prior + gain @ (C @ x - C @ prior)
        P = Ad @ (P - gain @ S @ gain.T) @ Ad.T + Q
        prior = Ad @ estimate + Bd[:, 0] * delayed
        # Computing takes a sample; the push of 2 N begins at 6 s and lasts 0.2 s.
        push = 2.0 if 599.5 < step < 619.5 else 0.0
        x = solve_ivp(f, (0, T), x, "DOP853", rtol=1e-12, atol=1e-14, args=(delayed + push,)).y[:, -1]
        delayed = -61.9933 * (0.2 if step >= 100 else 0.0) - K @ estimate
    write("inverted_pendulum", ["position", "angle"], times, rows)
    # The deviation of the estimated angle: the gain is that of the filter, but the force has no noise.
    predicted = solve_discrete_are(Ad.T, C.T, Q, R)
    gain = predicted @ C.T @ np.linalg.inv(C @ predicted @ C.T + R)
    rest = np.eye(4) - gain @ C
    error = solve_discrete_lyapunov(rest @ Ad, gain @ R @ gain.T)
    write("inverted_pendulum_noise", ["angle"], [0.0], [[np.sqrt(error[2, 2])]])


def antiwindup():
    m, Cr, Cd, A, rho, Tm, wm, beta, gear, g = 1600, 0.01, 0.32, 2.4, 1.3, 190, 420, 0.4, 12, 9.8

    def engine(v):
        return gear * Tm * (1 - beta * (gear * v / wm - 1) ** 2)

    def drag(v):
        return m * g * Cr + rho * Cd * A * v**2 / 2

    def f(t, x, middle):
        slope = np.radians(8.0) if 5 < middle < 25 else 0.0
        out = []
        for (v, integral), back in (((x[0], x[1]), 0.0), ((x[2], x[3]), 2.0)):
            error = 20 - v
            wanted = 0.5 * error + integral
            throttle = min(max(wanted, 0.0), 1.0)
            force = engine(v) * throttle - drag(v) - m * g * np.sin(slope)
            out += [force / m, 0.1 * error + back * (throttle - wanted)]
        return out

    start = drag(20) / engine(20)
    times = [8.0, 15.0, 25.0, 30.0, 35.0, 45.0, 58.0]
    # Many breaks, since the throttle has corners.
    rows = solve(f, [20, start, 20, start], times, np.arange(100, 1180) * 0.05)
    write("antiwindup", ["speed", "anti-windup speed"], times, [[x[0], x[2]] for x in rows])


def servo():
    """The motor by the matrix exponential over 0.1 ms, in which its voltage is constant."""
    R, L, k, J = 0.299, 8.2e-5, 0.0302, 5e-5
    A = np.array([[-R / L, -k / L, 0], [k / J, 0, 0], [0, 1, 0]])
    Ad, Bd = zero_order_hold(A, np.array([[1 / L], [0], [0]]), 1e-4)

    class Pi:
        def __init__(self, P, I, T, limit):
            self.P, self.I, self.T, self.limit, self.integral = P, I, T, limit, 0.0

        def step(self, error):
            wanted = self.P * error + self.integral
            limited = min(max(wanted, -self.limit), self.limit)
            if not (wanted - limited) * error > 0:
                self.integral += self.T * self.I * error
            return limited

    speed = Pi(J * 2 * np.pi * 50 / k, J * (2 * np.pi * 50) * (2 * np.pi * 5) / k, 1e-3, 15)
    current = Pi(L * 2 * np.pi * 500, R * 2 * np.pi * 500, 1e-4, 24)
    x, rows, times = np.zeros(3), [], [0.015, 0.03, 0.05, 0.08, 0.12, 0.2, 0.29]
    for step in range(2901):
        if any(abs(step * 1e-4 - time) < 1e-9 for time in times):
            rows.append([x[2]])
        if step % 100 == 0:
            wanted_speed = min(max(50 * ((1.0 if step >= 100 else 0.0) - x[2]), -30), 30)
        if step % 10 == 0:
            wanted_current = speed.step(wanted_speed - x[1])
        voltage = current.step(wanted_current - x[0])
        x = Ad @ x + Bd[:, 0] * voltage
    write("servo", ["angle"], times, rows)


def quarter_car():
    ms, mu, ks, bs, kt, h, length, speed = 250, 45, 16000, 1000, 160000, 0.08, 4, 10

    def f(t, x, middle):
        way = speed * (t - 0.2)
        road = h / 2 * (1 - np.cos(2 * np.pi * way / length)) if 0.2 < middle < 0.6 else 0.0
        body, body_speed, wheel, wheel_speed = x
        force = ks * (wheel - body) + bs * (wheel_speed - body_speed)
        return [body_speed, force / ms, wheel_speed, (kt * (road - wheel) - force) / mu]

    times = [0.3, 0.4, 0.5, 0.7, 1.0, 2.0]
    rows = solve(f, np.zeros(4), times, [0.2, 0.6])
    force = [ks * (x[2] - x[0]) + bs * (x[3] - x[1]) for x in rows]
    write("quarter_car", ["body", "wheel", "acceleration"], times,
          [[x[0], x[2], F / ms] for x, F in zip(rows, force)])


def robertson():
    def f(t, x):
        a, b, c = x
        return [-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b]

    def slopes(t, x):
        a, b, c = x
        return [[-0.04, 1e4 * c, 1e4 * b], [0.04, -1e4 * c - 6e7 * b, -1e4 * b], [0, 6e7 * b, 0]]

    times = [4.0, 40.0, 400.0, 3996.0]
    got = solve_ivp(f, (0, 3996), [1, 0, 0], "Radau", times, rtol=1e-12, atol=1e-18, jac=slopes)
    assert got.success
    # SUNDIALS prints for cvRoberts_dns: 0.7158 at 40 s and 0.4505 at 400 s.
    assert abs(got.y[0, 2] - 0.4505) < 1e-4 and abs(got.y[0, 1] - 0.7158) < 1e-4
    write("robertson", ["A", "B", "C"], times, got.y.T)


def buck_converter():
    L, C, R, VM, Gm = 50e-6, 500e-6, 3.0, 4.0, 3.7
    wL, wz, wp = 2 * np.pi * 500, 2 * np.pi * 1700, 2 * np.pi * 14500

    # The compensator in partial fractions: direct, integral and a pole at -wp.
    direct = Gm * wp / wz
    integral = Gm * wL
    residue = Gm * (wL - wp) * (wz - wp) / (-wp) * wp / wz

    def f(t, x, middle):
        current, voltage, first, second = x
        reference = 5 * t / 4e-3 if middle < 4e-3 else 5.0
        error = reference - voltage / 3
        control = direct * error + first + second
        duty = min(max(control / VM, 0.0), 1.0)
        source = 28.0 if middle < 0.015 else 24.0
        load = R if middle < 0.01 else 2 * R
        return [(duty * source - voltage) / L, (current - voltage / load) / C, integral * error,
                residue * error - wp * second]

    times = [0.001, 0.003, 0.006, 0.0101, 0.0103, 0.0151, 0.0153, 0.019]
    rows = solve(f, np.zeros(4), times, [0.004, 0.01, 0.015])
    write("buck_converter", ["voltage", "current"], times, [[x[1], x[0]] for x in rows])


def robot_arm():
    """The arm with PD control, by the matrices of the book."""
    a1, a2, a3, a4 = 3.34, 0.97, 2 * 0.6 * np.cos(np.radians(30)), 0.6
    amplitude = np.radians([30, 45])

    def f(t, x, _):
        q, w = x[:2], x[2:]
        c, s = np.cos(q[1]), np.sin(q[1])
        off = a2 + a3 * c + a4 * s
        H = np.array([[a1 + 2 * a3 * c + 2 * a4 * s, off], [off, a2]])
        h = a3 * s - a4 * c
        coriolis = np.array([[-h * w[1], -h * (w[0] + w[1])], [h * w[0], 0]])
        wanted = amplitude * (1 - np.cos(2 * np.pi * t))
        wanted_speed = amplitude * 2 * np.pi * np.sin(2 * np.pi * t)
        torque = -200 * (w - wanted_speed) - 2000 * (q - wanted)
        return np.concatenate([w, np.linalg.solve(H, torque - coriolis @ w)])

    times = [0.1, 0.5, 1.0, 2.3, 3.9]
    rows = solve(f, [0.3, -0.2, 0, 0], times)
    write("robot_arm", ["PD error"], times,
          [[x[0] - amplitude[0] * (1 - np.cos(2 * np.pi * t))] for t, x in zip(times, rows)])


def double_pendulum():
    """By Hamilton's equations in the momenta, another form than that of the example."""
    g = 9.81

    def f(t, x, _):
        a, b, p, q = x
        c, s = np.cos(a - b), np.sin(a - b)
        d = 1 + s * s
        u, v = (p - q * c) / d, (2 * q - p * c) / d
        return [u, v, -u * v * s - 2 * g * np.sin(a), u * v * s - g * np.sin(b)]

    times = [1.0, 3.0, 5.0, 8.0]
    rows = solve(f, [2, 2.5, 0, 0], times)
    write("double_pendulum", ["x", "y"], times,
          [[np.sin(x[0]) + np.sin(x[1]), -np.cos(x[0]) - np.cos(x[1])] for x in rows])


def phase_locked_loop():
    wn, zeta = 2 * np.pi * 1000, np.sqrt(0.5)

    def f(t, x, middle):
        error, integral = x
        offset = 2 * np.pi * 4000 if middle > 0.001 else 0.0
        detector = np.sin(error)
        return [offset - 2 * zeta * wn * detector - integral, wn**2 * detector]

    times = [0.0012, 0.0016, 0.002, 0.003, 0.005, 0.019]
    rows = solve(f, [0, 0], times, [0.001])
    write("phase_locked_loop", ["frequency", "phase error"], times,
          [[(2 * zeta * wn * np.sin(x[0]) + x[1]) / (2 * np.pi), x[0]] for x in rows])


def bicycle_computer():
    """The times of the pulses by solving the quadratic way of each piece of the ride."""
    times, speeds, wheel = [0, 10, 30, 35, 45, 50, 80, 90], [0, 8, 8, 0, 0, 6, 9, 0], 2.105
    pulses, way = [], 0.0
    for (t0, t1), (v0, v1) in zip(zip(times, times[1:]), zip(speeds, speeds[1:])):
        a, length = (v1 - v0) / (t1 - t0), (v0 + v1) / 2 * (t1 - t0)
        next_pulse = np.ceil(way / wheel - 0.5) + 0.5
        while wheel * next_pulse <= way + length:
            rest = wheel * next_pulse - way
            pulses.append(t0 + (rest / v0 if a == 0 else (-v0 + np.sqrt(max(v0**2 + 2 * a * rest, 0))) / a))
            next_pulse += 1
        way += length
    pulses = np.array(pulses)
    rows, at = [], [5.0, 20.0, 32.0, 44.0, 60.0, 89.9]
    for t in at:
        past = pulses[pulses <= t]
        turning = sum(min(end - start, 3.0) for start, end in zip(past, [*past[1:], t]))
        speed = wheel / (past[-1] - past[-2]) * 3.6 if t - past[-1] < 3 else 0.0
        rows.append([wheel * len(past), turning, speed])
    write("bicycle_computer", ["distance", "ride time", "speed"], at, rows)


if __name__ == "__main__":
    for example in (dc_motor, lorenz, predator_prey, epidemic, mass_spring_chain, inverted_pendulum, antiwindup, servo,
                    quarter_car, robertson, buck_converter, robot_arm, double_pendulum, phase_locked_loop,
                    bicycle_computer):
        example()
