"""Computes the reference values of state feedback and observers by python-control and SciPy, and writes feedback.json.

pip install control scipy
"""

import json
import pathlib

import control
import numpy as np
import scipy.linalg

CASES = [
    dict(name="cart and pendulum", a=[[0, 1, 0, 0], [0, -0.1, 3, 0], [0, 0, 0, 1], [0, -0.5, 30, 0]], b=[[0], [2], [0], [5]],
         c=[[1, 0, 0, 0], [0, 0, 1, 0]], q=[[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 10, 0], [0, 0, 0, 0]], r=[[0.5]]),
    dict(name="two inputs", a=[[-1, 0.2, 0], [0, 2, 1], [0.3, -1, 0.5]], b=[[1, 0], [0, 1], [0.5, 0.5]], c=[[1, 1, 0]],
         q=[[2, 0.1, 0], [0.1, 1, 0], [0, 0, 0.5]], r=[[1, 0.2], [0.2, 2]]),
    dict(name="with a cross term", a=[[0, 1], [-2, -0.3]], b=[[0], [1]], c=[[1, 0]], q=[[3, 0], [0, 1]], r=[[1]],
         n=[[0.2], [0.4]]),
    dict(name="badly scaled", a=[[0, 1, 0], [0, -20, 5000], [0, -3, -400]], b=[[0], [0], [1e4]], c=[[1, 0, 0]],
         q=[[100, 0, 0], [0, 1e-4, 0], [0, 0, 0]], r=[[1e-2]]),
    dict(name="growing without weight", a=[[2.0, 1], [0, -1]], b=[[1], [1]], c=[[1, 0]], q=[[0, 0], [0, 0]], r=[[1]]),
    dict(name="sampled double integrator", a=[[1, 0.1], [0, 1]], b=[[0.005], [0.1]], c=[[1, 0]], q=[[1, 0], [0, 0.1]],
         r=[[0.2]], period=0.1),
    dict(name="sampled, two inputs", a=[[0.9, 0.2, 0], [0, 1.1, 0.1], [0.05, 0, 0.7]], b=[[0.1, 0], [0, 0.3], [0.2, 0.1]],
         c=[[1, 0, 0], [0, 1, 1]], q=[[1, 0, 0], [0, 2, 0.3], [0, 0.3, 1]], r=[[1, 0], [0, 0.5]],
         n=[[0.1, 0], [0, 0.1], [0, 0]], period=1.0),
    dict(name="sampled with a delay", a=[[0, 0, 0], [1, 0, 0], [0, 0.4, 1.2]], b=[[1], [0], [0]], c=[[0, 0, 1]],
         q=[[0, 0, 0], [0, 0, 0], [0, 0, 1]], r=[[0.3]], period=0.5),
    dict(name="sampled, growing without weight", a=[[2.0]], b=[[1.0]], c=[[1.0]], q=[[0.0]], r=[[1.0]], period=1.0),
]


def sorted_pairs(values):
    return sorted([float(v.real), float(v.imag)] for v in np.asarray(values, dtype=complex))


def chain(count):
    """Masses on springs in a row: a large system of which the first mass is pushed."""
    a = np.zeros((2 * count, 2 * count))
    a[:count, count:] = np.eye(count)
    a[count:, :count] = -2 * np.eye(count) + np.eye(count, k=1) + np.eye(count, k=-1)
    a[count:, count:] = -0.02 * np.eye(count)
    b = np.zeros((2 * count, 1))
    b[count, 0] = 1
    c = np.zeros((1, 2 * count))
    c[0, count - 1] = 1
    return dict(name="chain of springs", a=a.tolist(), b=b.tolist(), c=c.tolist(), q=np.eye(2 * count).tolist(), r=[[0.1]])


def solved(case):
    a, b, c, q, r = (np.array(case[key], dtype=float) for key in "abcqr")
    n = np.array(case.get("n", np.zeros(b.shape)), dtype=float)
    period = case.get("period")
    if period is None:
        x = scipy.linalg.solve_continuous_are(a, b, q, r, s=n)
        k, _, poles = control.lqr(a, b, q, r, n)
    else:
        x = scipy.linalg.solve_discrete_are(a, b, q, r, s=n)
        k, _, poles = control.dlqr(a, b, q, r, n)
    result = dict(case, period=period, n=n.tolist(), x=x.tolist(), k=np.asarray(k).tolist(), poles=sorted_pairs(poles))
    if "without weight" not in case["name"]:
        noise, measured = q + 0.1 * np.eye(len(q)), np.eye(len(c)) * 0.4
        estimate = control.lqe if period is None else control.dlqe
        l, p, observer = estimate(a, np.eye(len(a)), c, noise, measured)
        result |= dict(noise=noise.tolist(), measured=measured.tolist(), l=np.asarray(l).tolist(),
                       p=np.asarray(p).tolist(), observer=sorted_pairs(observer))
    return result


if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent
    cases = [solved(case) for case in CASES + [chain(10)]]
    (folder / "feedback.json").write_text(json.dumps(cases, indent=None, separators=(",", ":")).replace("},{", "},\n{") + "\n")
