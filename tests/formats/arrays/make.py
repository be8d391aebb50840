"""Writes the arrays of this folder with NumPy and SciPy: python3 make.py."""

import numpy as np
import scipy.io

time = np.array([0, 0.25, 0.5])
content = {
    "time": time,
    "speed": np.array([1.5, -0.0, 1e-310]),
    "pose": np.array([[1, 2], [3, 4], [5, 6]], dtype=np.int16),
    "row": np.array([[7.0, 8.0, 9.0]]),
    "other": np.arange(5.0),
}
np.savez("numpy.npz", **content, text="left out")
np.savez_compressed("compressed.npz", **content)
np.save("fortran.npy", np.asfortranarray(np.array([[0, 1.5], [0.25, 2.5], [0.5, 3.5]], dtype=">f4")))
kinds = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
# The ends of each kind, beyond 2^53 the nearest number that a double has.
ends = lambda kind: [np.finfo(kind).min, np.finfo(kind).max] if kind[0] == "f" else [np.iinfo(kind).min, np.iinfo(kind).max]
scipy.io.savemat("kinds.mat", {kind: np.array(ends(kind), dtype=kind).reshape(2, 1) for kind in kinds})
for name, is_compressed in (("scipy.mat", False), ("compressed.mat", True)):
    scipy.io.savemat(name, {**content, "text": "left out", "s": {"a": 1.0}, "z": 1j * time}, do_compression=is_compressed)
