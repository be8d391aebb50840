"""Writes matrix.json: the blocks of the group Matrix, by NumPy; a matrix is a vector, row after row."""

import numpy as np

from trace import Table

table = Table(__file__, 7006)
rng, trace = table.rng, table.trace
m = np.round(rng.normal(size=(10, 5, 5)), 2)
m[3, 0, 0] = 0.0
v = np.round(rng.normal(size=(10, 5, 3)), 2)
flat = lambda values: values.reshape(len(values), -1)
T = lambda values: np.swapaxes(values, 1, 2)
trace("Matrix/Determinant", "numpy.linalg.det", [flat(m)], [np.linalg.det(m)], tolerance=1e-10)
trace("Matrix/Inverse", "numpy.linalg.inv", [flat(m)], [flat(np.linalg.inv(m))], tolerance=1e-9)
trace("Matrix/Solve", "numpy.linalg.solve", [flat(m), flat(v)], [flat(np.linalg.solve(m, v))], tolerance=1e-9)
trace("Matrix/Matrix Multiply", "numpy matmul", [flat(m), flat(v)], [flat(m @ v)], Rows=5, Columns=3)
trace("Matrix/Matrix Square", "numpy matmul", [flat(v)], [flat(T(v) @ v)], Rows=5)
trace("Matrix/Cross Product", "numpy.cross", [v[:, 0], v[:, 1]], [np.cross(v[:, 0], v[:, 1])])
for kind, order in [("2", 2), ("1", 1), ("inf", np.inf)]:
    trace("Matrix/Norm", "numpy.linalg.norm", [flat(v)], [np.linalg.norm(flat(v), order, axis=1)], Norm=kind)
trace(
    "Matrix/Norm",
    "numpy.linalg.norm, scaled by hand",
    [[[3e200, 4e200], [3e-200, 4e-200]]],
    [[5e200, 5e-200]],
    Norm="2",
)
K = np.round(rng.normal(size=(4, 5)), 2)
trace("Matrix/Matrix Gain", "numpy matmul", [flat(v)], [flat(K @ v)], Gain=K, Order="K·u", Columns=3)
trace("Matrix/Matrix Gain", "numpy matmul", [flat(T(v))], [flat(T(v) @ K.T)], Gain=K.T, Order="u·K", Rows=3)
trace("Matrix/Transpose", "numpy.swapaxes", [flat(v)], [flat(T(v))], tolerance=0, Rows=5)
trace(
    "Matrix/Matrix Concatenate",
    "numpy.concatenate",
    [flat(m), flat(v), flat(v)],
    [flat(np.concatenate([m, v, v], axis=2))],
    tolerance=0,
    Rows=5,
    Inputs=3,
    Direction="horizontal",
)
trace(
    "Matrix/Matrix Concatenate",
    "numpy.concatenate",
    [flat(m), flat(m[::-1])],
    [flat(np.concatenate([m, m[::-1]], axis=1))],
    tolerance=0,
    Rows=5,
    Direction="vertical",
)
trace(
    "Matrix/Create Diagonal Matrix",
    "numpy.diag",
    [v[:, 0]],
    [np.stack([np.diag(row).ravel() for row in v[:, 0]])],
    tolerance=0,
)
trace("Matrix/Extract Diagonal", "numpy.diagonal", [flat(m)], [np.diagonal(m, axis1=1, axis2=2)], tolerance=0, Rows=5)
trace("Matrix/Extract Diagonal", "numpy.diagonal", [flat(v)], [np.diagonal(v, axis1=1, axis2=2)], tolerance=0, Rows=5)
trace("Matrix/Expand Scalar", "numpy.tile", [v[:, 0, 0]], [np.tile(v[:, :1, 0], 4)], tolerance=0, Width=4)
trace("Matrix/Identity Matrix", "numpy.eye", [], [np.tile(np.eye(4).ravel(), (2, 1))], tolerance=0, Size=4)
order = rng.permuted(np.tile(np.arange(5), (10, 1)), axis=1)
for first in [0, 1]:
    trace(
        "Matrix/Permute Matrix",
        "numpy.take_along_axis",
        [flat(v), order + first],
        [flat(np.take_along_axis(v, order[:, :, None], 1))],
        {"Rows": 5, "Direction": "rows", "First Index": first},
        tolerance=0,
    )
    trace(
        "Matrix/Permute Matrix",
        "numpy.take_along_axis",
        [flat(m), order + first],
        [flat(np.take_along_axis(m, order[:, None, :], 2))],
        {"Rows": 5, "Direction": "columns", "First Index": first},
        tolerance=0,
    )
    trace(
        "Matrix/Submatrix",
        "numpy slicing",
        [flat(m)],
        [flat(m[:, 1:4, 2:4])],
        {
            "Rows": 5,
            "First Index": first,
            "From Row": 1 + first,
            "Row Count": 3,
            "From Column": 2 + first,
            "Column Count": 2,
        },
        tolerance=0,
    )
shapes = np.stack(
    [
        m[0],
        m[0] + m[0].T,
        np.triu(m[0]),
        np.tril(m[0]),
        np.diag(np.diag(m[0])),
        np.triu(m[0]) + 1e-3 * np.tril(m[1], -1),
    ]
)
for form, holds in [
    ("symmetric", lambda a, t: np.all(np.abs(a - a.T) <= t)),
    ("upper triangular", lambda a, t: np.all(np.abs(np.tril(a, -1)) <= t)),
    ("lower triangular", lambda a, t: np.all(np.abs(np.triu(a, 1)) <= t)),
    ("diagonal", lambda a, t: np.all(np.abs(a - np.diag(np.diag(a))) <= t)),
]:
    for within in [0.0, 0.01]:
        trace(
            "Matrix/Matrix Test",
            "numpy.triu, numpy.tril",
            [flat(shapes)],
            [[float(holds(a, within)) for a in shapes]],
            tolerance=0,
            Form=form,
            Tolerance=within,
        )

table.write()
