"""Sweeps on this machine and by executors: the same bits, also if a worker is killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import simulate as sim
from conftest import EXAMPLES, make_decay, make_loop

POINTS = {"PI.P": sim.linspace(1, 5, 9), "PI.I": [0.5, 1.0, 2.0]}


def local() -> sim.Sweep:
    return make_loop().sweep(POINTS, steps=200)


def same(one: sim.Sweep, other: sim.Sweep) -> None:
    assert list(one) == list(other) and one.shape == other.shape and one.failures == other.failures
    for name in one:
        assert one[name].tobytes() == other[name].tobytes()


def test_a_sweep_has_the_bits_of_single_runs() -> None:
    m = make_loop()
    found = m.sweep(POINTS, steps=200, every=50)
    assert found.shape == (9, 3) and found.runs == 27
    assert found.steps.tolist() == [0, 50, 100, 150, 199]
    for run in (0, 1, 13, 26):
        values = {name: found.values_of[name][run] for name in POINTS}
        assert np.array_equal(found["y"][run], m.run(steps=200, set=values)["y"][found.steps])
    assert found.grid("y").shape == (9, 3, 5)


def test_values_are_those_of_the_command() -> None:
    assert sim.linspace(50, 150, 201)[[0, 1, 200]].tolist() == [50, 50.5, 150]
    assert sim.geomspace(1, 1000, 4) == pytest.approx([1, 10, 100, 1000], rel=1e-15)
    m = make_decay()
    drawn = m.sweep({"rate.Gain": sim.normal(-2, 0.1), "x.Initial Value": sim.uniform(1, 2)}, draws=300, seed=7)
    gains, initial = drawn.values_of["rate.Gain"], drawn.values_of["x.Initial Value"]
    assert drawn.shape == (300,) and abs(gains.mean() + 2) < 0.03 and 0.07 < gains.std() < 0.13
    assert ((1 <= initial) & (initial <= 2)).all()
    again = m.sweep({"rate.Gain": sim.normal(-2, 0.1), "x.Initial Value": sim.uniform(1, 2)}, draws=300, seed=7)
    same(drawn, again)


def test_points_of_ones_own() -> None:
    m = make_decay()
    found = m.sweep([{"rate.Gain": -1.0}, {"rate.Gain": -3.0}])
    assert found["y"].tolist() == [m.run(set={"rate.Gain": gain})["y"][-1] for gain in (-1, -3)]


def test_a_failure_is_of_its_run_alone() -> None:
    m = make_decay()
    m.add("Var/Clock") >> m.add("Check/Upper Bound", "limit", Bound=0.5, Action="stop", Message="over")
    found = m.sweep({"limit.Bound": [0.2, 9.0]}, every=1)
    assert list(found.failures) == [0] and "over" in found.failures[0]
    assert np.isnan(found["y"][0, -1]) and not np.isnan(found["y"][1]).any()
    with pytest.raises(sim.PathError):
        m.sweep({"limit.Nothing": [1.0]})


def test_data_sets() -> None:
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    found = make_loop().sweep(POINTS, steps=200, every=100)
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 27 * 3
    assert frame[(frame["PI.P"] == 1) & (frame["PI.I"] == 2)]["y"].tolist() == found["y"][2].tolist()
    data = found.to_xarray()
    assert isinstance(data, xarray.Dataset) and data["y"].dims == ("PI.P", "PI.I", "time")
    assert float(data["y"].sel({"PI.P": 1, "PI.I": 2})[-1]) == found["y"][2, -1]


def test_threads_and_processes() -> None:
    wanted = local()
    with ThreadPoolExecutor(2) as threads:
        same(make_loop().sweep(POINTS, steps=200, executor=threads), wanted)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        seen: list[tuple[int, int]] = []
        told = lambda done, count: seen.append((done, count))  # noqa: E731
        same(make_loop().sweep(POINTS, steps=200, executor=processes, chunk=4, progress=told), wanted)
        assert seen[-1] == (27, 27) and len(seen) == 7


def test_a_killed_process_is_survived() -> None:
    """The pool is broken for good then; this process computes the rest."""
    m = make_loop()
    points = {"PI.P": sim.linspace(1, 5, 16)}
    wanted = m.sweep(points, steps=300_000)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        processes.submit(os.getpid).result()
        killed = []

        def kill(done: int, count: int) -> None:
            if not killed:
                killed.append(next(iter(processes._processes)))
                os.kill(killed[0], signal.SIGKILL)

        with pytest.warns(RuntimeWarning, match="the executor is broken"):
            found = m.sweep(points, steps=300_000, executor=processes, chunk=1, progress=kill)
    assert killed
    same(found, wanted)


class Killer:
    """An executor around another one. The first time that a worker is found at a task, it is stopped, and killed if it still
    holds the task then: the task is lost for certain.

    A worker notes its process in a file with the chunk's name while it computes; a second one for the same chunk proves
    that the lost task was given again.
    """

    def __init__(self, inner: object, folder: Path) -> None:
        self.inner = inner
        self.folder = folder
        self.lost: list[str] = []

    def submit(self, function: object, *arguments: object) -> object:
        folder = str(self.folder)

        # Within a function, so that it is pickled by value: workers do not find the module of this test.
        def noted(function, task, rows):  # type: ignore[no-untyped-def]
            import os
            import time

            name = f"{folder}/{rows[0][0]:.6f}.{os.getpid()}"
            open(name, "w").close()
            # Long enough to be found at it.
            time.sleep(0.1)
            found = function(task, rows)
            os.rename(name, f"{name}.done")
            return found

        return self.inner.submit(noted, function, *arguments)  # type: ignore[attr-defined]

    def kill(self, done: int, count: int) -> None:
        if self.lost:
            return
        for held in self.folder.iterdir():
            if held.suffix != ".done":
                pid = int(held.name.rsplit(".", 1)[1])
                os.kill(pid, signal.SIGSTOP)
                if held.exists():
                    os.kill(pid, signal.SIGKILL)
                    self.lost.append(held.name.rsplit(".", 1)[0])
                    return
                os.kill(pid, signal.SIGCONT)

    def check(self) -> None:
        """Check that the lost chunk was begun twice, and completed by another process."""
        assert len(self.lost) == 1
        tried = sorted(file.name for file in self.folder.iterdir() if file.name.startswith(self.lost[0]))
        assert len(tried) >= 2 and sum(name.endswith(".done") for name in tried) == 1


class Flaky:
    """An executor whose first tasks fail, and whose futures are its own, as those of other libraries are."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, function: object, *arguments: object) -> object:
        self.calls += 1
        future: Future[object] = Future()
        if self.calls % 3 == 1:
            future.set_exception(ConnectionError("the worker is gone"))
        else:
            future.set_result(function(*arguments))  # type: ignore[operator]

        class Other:
            def done(self) -> bool:
                return True

            def result(self) -> object:
                return future.result()

            def cancel(self) -> bool:
                return False

        return Other()


def test_a_chunk_that_failed_is_given_again() -> None:
    executor = Flaky()
    same(make_loop().sweep(POINTS, steps=200, executor=executor, chunk=2), local())
    assert executor.calls > 14


def test_an_error_of_the_model_is_raised_before_anything_is_sent() -> None:
    executor = Flaky()
    with pytest.raises(sim.PathError):
        make_loop().sweep({"PI.X": [1.0]}, executor=executor)
    assert executor.calls == 0


def test_dask(tmp_path: Path) -> None:
    """A worker that is killed is replaced by its nanny, and its tasks are computed again."""
    distributed = pytest.importorskip("distributed")
    m = make_loop()
    points = {"PI.P": sim.linspace(1, 5, 16)}
    wanted = m.sweep(points, steps=200)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:
        same(m.sweep(points, steps=200, executor=client.get_executor(pure=False), chunk=1), wanted)
        killer = Killer(client.get_executor(pure=False), tmp_path)
        same(m.sweep(points, steps=200, executor=killer, chunk=1, progress=killer.kill), wanted)
    killer.check()


@pytest.mark.skipif("SIMULATE_RAY" not in os.environ, reason="starting Ray takes long; SIMULATE_RAY=1 tries it")
def test_ray(tmp_path: Path) -> None:
    """Ray gives a task again whose worker died."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)

    @ray.remote(max_retries=3)
    def call(function, *arguments):  # type: ignore[no-untyped-def]
        return function(*arguments)

    class Executor:
        def submit(self, function: object, *arguments: object) -> Future[object]:
            future: Future[object] = call.remote(function, *arguments).future()
            return future

    try:
        m = make_loop()
        points = {"PI.P": sim.linspace(1, 5, 16)}
        killer = Killer(Executor(), tmp_path)
        found = m.sweep(points, steps=200, executor=killer, chunk=1, progress=killer.kill)
        killer.check()
        same(found, m.sweep(points, steps=200))
    finally:
        ray.shutdown()


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun")
def test_mpi() -> None:
    """The executor of mpi4py, with one process that gives tasks and two that compute them."""
    pytest.importorskip("mpi4py")
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
    # Open MPI refuses root and more processes than cores unless told otherwise; others do not know these options.
    options = ["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in version or "Open RTE" in version else []
    command = ["mpirun", *options, "-n", "3", sys.executable, "-m", "mpi4py.futures"]
    ran = subprocess.run([*command, str(Path(__file__).with_name("mpi_sweep.py"))], capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stderr.decode()
    values, processes = json.loads(ran.stdout)
    assert values == make_loop().sweep(POINTS, steps=200)["y"].tolist()
    assert len(processes) == 2


def test_files_beside_the_model_are_found_by_workers(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("time,u\n0,1\n1,3\n")
    m = sim.Model(steps=5, delta=0.25)
    m.save(tmp_path / "m.simx")
    gain = m.add("Math/Gain", "k")
    m.add("Var/From File", File="data.csv") >> gain >> m.exit("y")
    points = {"k.Gain": [1.0, 2.0]}
    wanted = m.sweep(points)
    assert wanted["y"].tolist() == [3, 6]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        same(m.sweep(points, executor=processes), wanted)


def test_models_of_files_are_swept() -> None:
    m = sim.load(EXAMPLES / "dc_motor.simx")
    found = m.sweep({"PID/P.Gain": sim.linspace(50, 150, 21)})
    assert found["speed"].shape == (21,)
    assert found["speed"][10] == m.run(set={"PID/P.Gain": 100})["speed"][-1]
