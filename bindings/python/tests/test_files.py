"""Data in and out: NumPy, SciPy, pandas, Arrow and Parquet, in both directions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.io

import simulate as sim
from conftest import EXAMPLES


def vector_model() -> sim.Model:
    m = sim.Model("Vectors", steps=4, delta=0.5)
    clock = m.add("Var/Clock", "clock")
    clock >> m.exit("t")
    clock >> m.add("Math/Gain", "k", Gain=[1, -2, 1e300]) >> m.exit("v/w #1")
    return m


def test_numpy_and_scipy_read_what_is_written(tmp_path: Path) -> None:
    r = vector_model().run()
    for extension in ("npz", "mat", "csv", "parquet"):
        r.save(tmp_path / f"r.{extension}")
    with np.load(tmp_path / "r.npz") as arrays:
        assert arrays["step"].dtype == np.int64 and arrays["step"].tolist() == [0, 1, 2, 3]
        assert arrays["time"].tobytes() == r.time.tobytes()
        assert np.array_equal(arrays["v/w #1[2]"], r["v/w #1"][:, 2])
    found = scipy.io.loadmat(tmp_path / "r.mat")
    assert np.array_equal(found["time"][:, 0], r.time)
    names = {str(path[0]): str(name[0]) for name, path in found["paths"]}
    assert np.array_equal(found[names["v/w #1[1]"]][:, 0], r["v/w #1"][:, 1])


def test_the_command_writes_matrices(tmp_path: Path) -> None:
    m = vector_model()
    m.save(tmp_path / "m.simx")
    r = m.run()
    for extension in ("npz", "mat"):
        command = [sys.executable, "-m", "simulate", "run", str(tmp_path / "m.simx"), "--out", str(tmp_path / f"o.{extension}")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "o.npz") as arrays:
        assert arrays["v/w #1"].shape == (4, 3) and np.array_equal(arrays["v/w #1"], r["v/w #1"])
    found = scipy.io.loadmat(tmp_path / "o.mat")
    assert np.array_equal(found["v_w__1"], r["v/w #1"])
    assert found["step"].dtype == np.int64
    assert scipy.io.whosmat(tmp_path / "o.mat")[-1][0] == "paths"


@pytest.mark.parametrize("kind", ["npz", "npz compressed", "npy", "npy fortran", "mat", "mat compressed", "mat big", "own npz", "own mat"])
def test_a_block_reads_arrays(tmp_path: Path, kind: str) -> None:
    time = np.array([0, 0.5, 1.0, 1.5])
    speed = np.array([1.0, -2.0, 1e-300, 7.5])
    pose = np.arange(8, dtype=np.float32).reshape(4, 2)
    file = tmp_path / f"data.{'mat' if 'mat' in kind else 'npy' if 'npy' in kind else 'npz'}"
    columns = "speed,pose[1]"
    match kind:
        case "npz":
            np.savez(file, time=time, speed=speed, pose=pose, other=np.arange(3))
        case "npz compressed":
            np.savez_compressed(file, time=time.astype(">f8"), speed=speed, pose=pose.astype(np.int16), text="x")
        case "npy":
            np.save(file, np.column_stack([time, speed, pose]))
            columns = "2,4"
        case "npy fortran":
            np.save(file, np.asfortranarray(np.column_stack([time, speed, pose])))
            columns = "2,4"
        case "mat" | "mat compressed":
            content = {"time": time, "speed": speed, "pose": pose, "text": "x", "s": {"a": 1}, "z": 1j * time}
            scipy.io.savemat(file, content, do_compression="compressed" in kind)
        case "mat big":
            write_big_endian(file, {"time": time, "speed": speed, "pose": pose.astype(float)})
        case _:
            m = sim.Model(steps=4, delta=0.5)
            np.savez(tmp_path / "first.npz", time=time, speed=speed, pose=pose)
            m.save(tmp_path / "first.simx")
            source = m.add("Var/From File", File="first.npz", Columns="speed")
            source >> m.exit("speed")
            m.add("Var/From File", File="first.npz", Columns="pose[1]") >> m.exit("pose[1]")
            m.run().save(file)
    m = sim.Model(steps=4, delta=0.5)
    m.save(tmp_path / "m.simx")
    m.add("Var/From File", File=file.name, Columns=columns) >> m.exit("y")
    y = m.run()["y"]
    assert np.array_equal(y, np.column_stack([speed, pose[:, 1]])), kind


def write_big_endian(file: Path, arrays: dict[str, np.ndarray]) -> None:  # type: ignore[type-arg]
    """A MAT-file as a program on a big-endian machine writes it, after the description of the format."""
    def element(kind: int, data: bytes) -> bytes:
        head = kind.to_bytes(4, "big") + len(data).to_bytes(4, "big")
        return head + data + bytes(-len(data) % 8)

    content = b"MATLAB 5.0 MAT-file".ljust(124) + (0x0100).to_bytes(2, "big") + b"MI"
    for name, array in arrays.items():
        matrix = np.atleast_2d(array.T).T
        parts = element(6, (6).to_bytes(4, "big") + bytes(4))
        parts += element(5, b"".join(size.to_bytes(4, "big") for size in matrix.shape))
        parts += element(1, name.encode())
        parts += element(9, matrix.astype(">f8").tobytes(order="F"))
        content += element(14, parts)
    file.write_bytes(content)


def test_broken_files_are_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "ok.npz", time=np.arange(3.0), u=np.arange(3.0))
    m = sim.Model(steps=1)
    m.save(tmp_path / "m.simx")
    source = m.add("Var/From File", "data", File="bad.npz")
    source >> m.exit("y")
    whole = (tmp_path / "ok.npz").read_bytes()
    scipy.io.savemat(tmp_path / "ok.mat", {"time": np.arange(3.0), "u": np.arange(3.0)})
    matrix = (tmp_path / "ok.mat").read_bytes()
    for bad, expected in (
        (whole[: len(whole) // 2], "arrays cannot be read"),
        (matrix[:200], "ends within a variable"),
        (b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400), "version 7.3"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8'}", "has no order"),
    ):
        (tmp_path / "bad.npz").write_bytes(bad)
        with pytest.raises(sim.InvalidModelError, match=expected):
            m.copy().run()


def test_pandas_xarray_and_arrow(tmp_path: Path) -> None:
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    r = vector_model().run()
    frame = r.to_pandas()
    assert list(frame.columns) == ["t", "v/w #1[0]", "v/w #1[1]", "v/w #1[2]"]
    assert frame.index.tolist() == r.time.tolist() and frame["v/w #1[1]"].tolist() == r["v/w #1"][:, 1].tolist()
    data = r.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["v/w #1"].shape == (4, 3)
    table = r.to_arrow()
    assert table["t"].to_pylist() == r["t"].tolist()
    # Whatever takes Arrow takes a result.
    assert pyarrow.table(r).equals(table)
    r.save(tmp_path / "r.parquet")
    again = parquet.read_table(tmp_path / "r.parquet").to_pandas()
    assert isinstance(again, pandas.DataFrame)
    for name in frame:
        assert again[name].tolist() == frame[name].tolist()


def test_a_wrong_extension_is_named(tmp_path: Path) -> None:
    with pytest.raises(sim.FileError, match=".csv, .parquet, .npz or .mat"):
        vector_model().run(steps=1).save(tmp_path / "r.xlsx")


def test_a_plot_has_a_line_for_each_element() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = vector_model().run()
    ax = r.plot()
    assert [line.get_label() for line in ax.lines] == ["t", "v/w #1[0]", "v/w #1[1]", "v/w #1[2]"]
    assert ax.lines[1].get_ydata().tolist() == r["v/w #1"][:, 0].tolist()
    sim.load(EXAMPLES / "dc_motor.simx").linearize("PID.control", "Motor.speed", open=True).plot()
