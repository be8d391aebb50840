"""Many runs of a model, on this machine or by an executor.

A run depends on its values alone: who computes it, and when, does not change a bit. A chunk of runs is a task for an
executor: the model as a file, the values, and the function :func:`compute`, which keeps the last models in its process.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._values import Array, array, overrides
from .errors import PathError, SimulateError

if TYPE_CHECKING:
    import pandas
    import xarray

    from .model import Model

__all__ = ["Sweep", "geomspace", "linspace", "normal", "uniform"]


def linspace(start: float, stop: float, count: int) -> Array:
    """Return equally spaced values with both ends, with the bits of ``simulate sweep --vary X=start:stop:count``."""
    return np.array(_native.spaced(f"{start!r}:{stop!r}:{count}"))


def geomspace(start: float, stop: float, count: int) -> Array:
    """Return logarithmically spaced values with both ends, with the bits of ``simulate sweep``."""
    return np.array(_native.spaced(f"{start!r}:{stop!r}:{count}:log"))


def uniform(low: float, high: float) -> str:
    """Return the text of a value that is drawn uniformly between two limits for each run."""
    return f"uniform({low!r},{high!r})"


def normal(mean: float, deviation: float) -> str:
    """Return the text of a value that is drawn from a normal distribution for each run."""
    return f"normal({mean!r},{deviation!r})"


class Sweep(Mapping[str, Array]):
    """The results of a sweep.

    ``sweep["y"]`` has a row for each run: its last value, or with ``every`` the values of the kept steps. Rows of runs
    that ended early are filled with not-a-number.

    Attributes
    ----------
    values_of : dict
        For each varied parameter its value in each run.
    axes : dict
        The values of each parameter once, if every combination was run once.
    shape : tuple of int
        The number of values of each parameter, if every combination was run once; else the number of runs.
    steps : numpy.ndarray
        The kept steps.
    delta : float
        The length of a step in seconds.
    failures : dict
        The failure of each run that failed, by its number.
    """

    def __init__(
        self,
        values: dict[str, Array],
        shape: tuple[int, ...],
        axes: dict[str, Array],
        steps: npt.NDArray[np.int64],
        delta: float,
        failures: dict[int, str],
        arrays: dict[str, Array],
    ) -> None:
        self.values_of = values
        self.shape = shape
        self.axes = axes
        self.steps = steps
        self.delta = delta
        self.failures = failures
        self._arrays = arrays

    @property
    def time(self) -> Array:
        """The times of the kept steps in seconds."""
        return np.asarray(self.steps * self.delta, dtype=np.float64)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return self.shape[0] if len(self.shape) == 1 else int(np.prod(self.shape))

    def __getitem__(self, name: str) -> Array:
        if name in self._arrays:
            return self._arrays[name]
        if name in self.values_of:
            return self.values_of[name]
        raise PathError(f"“{name}” was not kept; the signals are: {', '.join(self._arrays)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def grid(self, name: str) -> Array:
        """Return a signal with an axis for each varied parameter."""
        values = self[name]
        return values.reshape(*self.shape, *values.shape[1:])

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<Sweep: {self.runs} runs of {', '.join(self.values_of)}{failed}: {', '.join(self._arrays)}>"

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each kept step of each run."""
        import pandas

        kept = len(self.steps)
        columns: dict[str, Any] = {"run": np.repeat(np.arange(self.runs), kept)}
        columns.update({name: np.repeat(values, kept) for name, values in self.values_of.items()})
        columns["time"] = np.tile(self.time, self.runs)
        for name, values in self._arrays.items():
            rows = values.reshape(self.runs * kept, -1)
            for k in range(rows.shape[1]):
                columns[name if rows.shape[1] == 1 else f"{name}[{k}]"] = rows[:, k]
        return pandas.DataFrame(columns)

    def to_xarray(self) -> xarray.Dataset:
        """Return a data set with a dimension for each varied parameter, or ``run`` where they do not form a grid."""
        import xarray

        is_grid = len(self.axes) == len(self.shape) and bool(self.axes)
        dims = tuple(self.axes) if is_grid else ("run",)
        coords: dict[str, Any] = dict(self.axes) if is_grid else {k: ("run", v) for k, v in self.values_of.items()}
        shape = self.shape if is_grid else (self.runs,)
        kept = len(self.steps)
        variables: dict[str, Any] = {}
        for name, values in self._arrays.items():
            rest = values.shape[1:]
            names: tuple[str, ...] = dims
            if kept > 1:
                names += ("time",)
                coords["time"] = self.time
            if len(rest) > (1 if kept > 1 else 0):
                names += (f"{name} element",)
            variables[name] = (names, values.reshape(*shape, *rest))
        return xarray.Dataset(variables, coords=coords)


@dataclass
class _Task:
    """What all chunks of a sweep have in common."""

    model: bytes
    paths: list[str]
    options: dict[str, Any]


@dataclass
class _Chunk:
    failures: list[str | None]
    counts: list[int]
    steps: npt.NDArray[np.int64]
    signals: list[tuple[str, int]]
    columns: list[Array]
    delta: float


# The models of the last sweeps, by the hash of their pickled form.
_MODELS: OrderedDict[bytes, Model] = OrderedDict()
_MAX_MODELS = 4


def compute(task: _Task, rows: list[list[float]]) -> _Chunk:
    """Compute a chunk of runs, in whatever process."""
    key = hashlib.sha256(task.model).digest()
    model = _MODELS.get(key)
    if model is None:
        model = _MODELS[key] = pickle.loads(task.model)
        if len(_MODELS) > _MAX_MODELS:
            _MODELS.popitem(last=False)
    return _computed(model, task.paths, rows, {**task.options, "workers": 1})


def _computed(
    model: Model,
    paths: list[str],
    rows: list[list[float]],
    options: dict[str, Any],
    progress: Callable[[int, int], object] | None = None,
) -> _Chunk:
    part = _native.sweep(model._core, paths, rows, progress=progress, **options)
    columns = [np.array(array(column)) for column in part.columns]
    return _Chunk(part.failures, part.counts, np.array(part.steps, dtype=np.int64), part.signals, columns, part.delta)


def run_sweep(
    model: Model,
    vary: Mapping[str, Iterable[float] | str] | Sequence[Mapping[str, float]],
    *,
    executor: Any,
    steps: int,
    signals: str | Sequence[str],
    every: int | None,
    set: Mapping[str, Any] | None,
    draws: int,
    seed: int,
    engine: str,
    workers: int | None,
    chunk: int | None,
    progress: Callable[[int, int], object] | None,
) -> Sweep:
    """Run a sweep; see ``Model.sweep``."""
    axes: dict[str, Array] = {}
    if isinstance(vary, Mapping):
        paths = list(vary)
        varied: list[tuple[str, str | list[float]]] = []
        for path, values in vary.items():
            if isinstance(values, str):
                varied.append((path, values))
            else:
                listed = [float(value) for value in values]
                axes[path] = np.array(listed)
                varied.append((path, listed))
            if isinstance(values, str) and "(" not in values:
                axes[path] = np.array(_native.spaced(values))
        rows = _native.rows_of(varied, draws, seed)
        is_grid = draws == 1 and len(axes) == len(paths)
        shape = tuple(len(axis) for axis in axes.values()) if is_grid else (len(rows),)
        axes = axes if is_grid else {}
    else:
        paths = list(vary[0]) if vary else []
        if any(list(point) != paths for point in vary):
            raise ValueError("each run needs values of the same parameters, in the same order")
        rows = [[float(value) for value in point.values()] for point in vary]
        shape = (len(rows),)
    names = [signals] if isinstance(signals, str) else list(signals)
    options: dict[str, Any] = {
        "signals": names,
        "steps": steps,
        "set": overrides(set),
        "every": every,
        "engine": engine,
    }
    if steps == 0:
        raise ValueError("0 steps: set the number of steps, or until")
    if executor is None:
        chunks = [_computed(model, paths, rows, {**options, "workers": workers}, progress)]
    else:
        # Faults of the model are found before anything is sent.
        _computed(model, paths, [], options)
        chunks = _distributed(executor, model, paths, rows, options, chunk, progress)
    return _joined(chunks, paths, rows, shape, axes)


def _joined(
    chunks: list[_Chunk], paths: list[str], rows: list[list[float]], shape: tuple[int, ...], axes: dict[str, Array]
) -> Sweep:
    counts = [count for part in chunks for count in part.counts]
    failures = [failure for part in chunks for failure in part.failures]
    kept = max(counts, default=0)
    steps = np.zeros(kept, dtype=np.int64)
    first = chunks[0] if chunks else _Chunk([], [], steps, [], [], 1.0)
    arrays: dict[str, Array] = {}
    for k, (name, width) in enumerate(first.signals):
        values = np.full((len(counts), kept, width), np.nan)
        run = 0
        for part in chunks:
            at = 0
            for count in part.counts:
                values[run, :count] = part.columns[k].reshape(-1, width)[at : at + count]
                if count == kept:
                    steps = part.steps[at : at + count]
                at += count
                run += 1
        # One kept step and one element need no axes of their own.
        if width == 1:
            values = values[:, :, 0]
        arrays[name] = values[:, 0] if kept == 1 else values
    numbers = np.array(rows, dtype=float).reshape(len(rows), len(paths))
    return Sweep(
        values={path: numbers[:, k] for k, path in enumerate(paths)},
        shape=shape,
        axes=axes,
        steps=steps,
        delta=first.delta,
        failures={run: failure for run, failure in enumerate(failures) if failure is not None},
        arrays=arrays,
    )


# The number of times that a chunk is given to an executor before its error is raised.
_ATTEMPTS = 4


def _distributed(
    executor: Any,
    model: Model,
    paths: list[str],
    rows: list[list[float]],
    options: dict[str, Any],
    size: int | None,
    progress: Callable[[int, int], object] | None,
) -> list[_Chunk]:
    """Compute chunks by an executor. A chunk whose worker died is given again; where the executor itself is broken, this
    process computes what is missing."""
    task = _Task(pickle.dumps(model), paths, options)
    workers = _workers(executor)
    # Some chunks for each worker, so that a slow or dead one holds few of them.
    size = size or max(1, min(1000, -(-len(rows) // (workers * 8))))
    starts = list(range(0, len(rows), size))
    found: dict[int, _Chunk] = {}
    attempts = dict.fromkeys(starts, 0)
    futures: dict[Future[_Chunk], int] = {}
    done = 0

    def submit(start: int) -> None:
        attempts[start] += 1
        futures[executor.submit(compute, task, rows[start : start + size])] = start

    def take(start: int, part: _Chunk) -> None:
        nonlocal done
        found[start] = part
        done += len(part.counts)
        if progress:
            progress(done, len(rows))

    try:
        for start in starts:
            submit(start)
        while futures:
            for future in _first(futures):
                start = futures.pop(future)
                try:
                    take(start, future.result())
                except (BrokenExecutor, SimulateError, KeyboardInterrupt):
                    raise
                except (Exception, CancelledError):
                    if attempts[start] >= _ATTEMPTS:
                        raise
                    submit(start)
    except BrokenExecutor as error:
        missing = [start for start in starts if start not in found]
        warnings.warn(
            f"the executor is broken ({error}); this process computes the {len(missing)} chunks that are missing",
            RuntimeWarning,
            stacklevel=4,
        )
        for start in missing:
            take(start, _computed(model, paths, rows[start : start + size], options))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return [found[start] for start in starts]


def _first(futures: Mapping[Future[_Chunk], int]) -> list[Future[_Chunk]]:
    """Wait for one or more futures; those of other libraries only say whether they are done."""
    if all(isinstance(future, Future) for future in futures):
        return list(wait(futures, return_when=FIRST_COMPLETED).done)
    ready = [future for future in futures if future.done()]
    return ready or [next(iter(futures))]


def _workers(executor: Any) -> int:
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return os.cpu_count() or 1
