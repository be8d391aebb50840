"""Eigenvalues and singular values: NumPy's LAPACK, and mpmath where LAPACK loses the small ones."""

import mpmath as mp
import numpy as np
from trace import Table

table = Table(__file__, 2033)
flat = lambda matrices: np.reshape(matrices, (len(matrices), -1))


def eigenvalues(origin, matrices, tolerance=1e-11):
    values = np.linalg.eigvals(matrices)
    order = np.lexsort((values.imag, values.real))
    values = np.take_along_axis(values, order, axis=1)
    table.trace("Matrix/Eigenvalues", origin, [flat(matrices)], [values.real, values.imag], tolerance=tolerance)


def normal(count, rows, columns):
    return np.round(table.rng.normal(size=(count, rows, columns)), 3)


for size, count in [(1, 3), (2, 8), (3, 8), (5, 5), (10, 3), (30, 1)]:
    eigenvalues("numpy.linalg.eigvals", normal(count, size, size))
symmetric = normal(5, 6, 6)
eigenvalues("numpy.linalg.eigvals, symmetric", symmetric + symmetric.transpose(0, 2, 1))
# The companion matrix of a polynomial, triangular matrices, a graded matrix that only balancing saves, and extremes.
eigenvalues("numpy.linalg.eigvals, companion", np.array([np.diag(np.ones(5), -1) + np.outer(np.eye(6)[0], c) for c in normal(3, 1, 6)[:, 0]]))
eigenvalues("numpy.linalg.eigvals, triangular", np.triu(normal(3, 5, 5)))
scale = np.diag(10.0 ** np.arange(-6, 7, 3))
eigenvalues("numpy.linalg.eigvals, badly scaled", np.linalg.inv(scale) @ normal(3, 5, 5) @ scale, 1e-9)
for size in [1e300, 1e-300]:
    m = normal(2, 4, 4)
    values = np.linalg.eigvals(m)
    values = np.take_along_axis(values, np.lexsort((values.imag, values.real)), axis=1)
    if size > 1:
        table.trace("Matrix/Eigenvalues", "numpy.linalg.eigvals, scaled", [flat(m) * size], [values.real * size, values.imag * size], tolerance=1e-11)
rotation = lambda angle: np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
angles = np.array([0.1, 1.0, 2.0, 3.0])
table.trace("Matrix/Eigenvalues", "closed form: a rotation", [flat(np.array([rotation(a) for a in angles]))],
            [np.cos(angles)[:, None] * [1, 1], np.sin(angles)[:, None] * [-1, 1]], tolerance=1e-14)


def singular_values(origin, matrices, values=None, tolerance=1e-12):
    values = np.linalg.svd(matrices, compute_uv=False) if values is None else values
    table.trace("Matrix/Singular Values", origin, [flat(matrices)], [values], tolerance=tolerance, Rows=str(matrices.shape[1]))


for rows, columns, count in [(1, 1, 3), (1, 5, 3), (5, 1, 3), (2, 2, 8), (3, 3, 5), (4, 7, 3), (7, 4, 3), (20, 20, 1), (40, 6, 1)]:
    singular_values("numpy.linalg.svd", normal(count, rows, columns))
singular = normal(3, 4, 2)
singular_values("numpy.linalg.svd, rank 2", singular @ normal(3, 2, 4))
# Columns of very different lengths: every singular value has all its digits, beside 10¹² as beside 1. Large, so that
# the tolerance is relative for all of them.
mp.mp.dps = 50
graded = normal(3, 5, 5) * 10.0 ** np.array([15, 11, 7, 4, 3])
exact = [[float(value) for value in mp.svd_r(mp.matrix(m.tolist()), compute_uv=False)] for m in graded]
singular_values("mpmath.svd_r with 50 digits, graded", graded, exact, 1e-13)

table.write()
