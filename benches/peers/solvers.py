"""What SciPy's and SUNDIALS' solvers need for the problems of `benches/solvers.rs`: prints solvers.csv.

    pip install scipy scikit-sundae; python3 benches/peers/solvers.py > benches/peers/solvers.csv
"""
import time
import numpy as np
import scipy
from scipy.integrate import solve_ivp
import sksundae
from sksundae.cvode import CVODE

mu, period = 0.012277471, 17.065216560157963
mass = np.arange(1, 8)


def van_der_pol(t, y):
    return np.array([y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]])


def robertson(t, y):
    a, b = -0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
    return np.array([a, -a - b, b])


def hires(t, y):
    r = 280 * y[5] * y[7]
    return np.array([
        -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
        -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
        -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
        -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], r - 1.81 * y[6], -r + 1.81 * y[6]])


def oregonator(t, y):
    return np.array([77.27 * (y[1] + y[0] * (1 - 8.375e-6 * y[0] - y[1])),
                     (y[2] - (1 + y[0]) * y[1]) / 77.27, 0.161 * (y[0] - y[2])])


def arenstorf(t, u):
    x, y, vx, vy = u
    d1, d2 = ((x + mu) ** 2 + y * y) ** 1.5, ((x - (1 - mu)) ** 2 + y * y) ** 1.5
    return np.array([vx, vy, x + 2 * vy - (1 - mu) * (x + mu) / d1 - mu * (x - (1 - mu)) / d2,
                     y - 2 * vx - (1 - mu) * y / d1 - mu * y / d2])


def pleiades(t, u):
    x, y, vx, vy = u[:7], u[7:14], u[14:21], u[21:]
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]
    r = (dx ** 2 + dy ** 2) ** 1.5
    np.fill_diagonal(r, 1)
    return np.concatenate([vx, vy, (mass * dx / r).sum(1), (mass * dy / r).sum(1)])


stars = [3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4] + [0] * 5 + [1.75, -1.5] + [0, 0, 0, -1.25, 1, 0, 0]
problems = [
    ("arenstorf", arenstorf, [0.994, 0, 0, -2.0015851063790825], period, 1.0, False),
    ("pleiades", pleiades, stars, 3, 1.0, False),
    ("van der pol", van_der_pol, [2, 0], 2000, 1e-2, True),
    ("robertson", robertson, [1, 0, 0], 1e11, 1e-8, True),
    ("hires", hires, [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122, 1e-4, True),
    ("oregonator", oregonator, [1, 2, 3], 360, 1e-2, True),
]
# The first states at the end; the Test Set for IVP Solvers, and Hairer's orbit that closes.
want = {
    "arenstorf": [0.994], "pleiades": [0.3706139143970502, 3.237284092057233],
    "van der pol": [1.706167732170483, -0.8928097010247975e-3],
    "robertson": [0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050],
    "hires": [0.7371312573325668e-3, 0.1442485726316185e-3],
    "oregonator": [1.000814870318523, 1228.178521549917, 132.0554942846706],
}
print(f"# SciPy {scipy.__version__}, scikit-SUNDAE {sksundae.__version__} (CVODE); the rates in Python and NumPy")
print("problem,solver,rtol,evaluations,error,seconds")
for name, f, y0, end, atol, is_stiff in problems:
    for rtol in [1e-4, 1e-6, 1e-8]:
        for solver in ["Radau", "BDF", "LSODA", "CVODE BDF"] if is_stiff else ["RK45", "DOP853", "LSODA", "CVODE Adams"]:
            start = time.perf_counter()
            if solver.startswith("CVODE"):
                def rhs(t, y, dy):
                    dy[:] = f(t, y)
                made = CVODE(rhs, method=solver.split()[1], rtol=rtol, atol=rtol * atol, max_num_steps=1000000)
                s = made.solve(np.array([0, end]), np.array(y0, float))
                y, count = s.y[-1], s.nfev
            else:
                s = solve_ivp(f, (0, end), y0, method=solver, rtol=rtol, atol=rtol * atol)
                y, count = s.y[:, -1], s.nfev
            seconds = time.perf_counter() - start
            error = max(abs(g - w) / abs(w) for g, w in zip(y, want[name]))
            print(f"{name},{solver},{rtol:g},{count},{error:.2e},{seconds:.4f}", flush=True)
