"""The results of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._values import Array, array
from .errors import PathError

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import xarray

__all__ = ["Event", "Result"]


@dataclass(frozen=True, slots=True)
class Event:
    """A report of an assertion block.

    Attributes
    ----------
    step, time : int, float
        The step, and the time at its begin in seconds.
    block : str
        The path of the block.
    reaction : str
        ``"warn"``, ``"pause"`` or ``"stop"``.
    message : str
    """

    step: int
    time: float
    block: str
    reaction: str
    message: str


class Result(Mapping[str, Array]):
    """Recorded signals by name, as read-only NumPy arrays.

    ``result["Motor.speed"]`` has a value for each step, or a row for each step of a vector. A signal that was not
    recorded is computed when it is asked for, by repeating the run, whose bits do not depend on what is recorded. That
    is not possible after pickling.

    Attributes
    ----------
    time : numpy.ndarray
        The time of each step in seconds.
    delta : float
        The length of a step in seconds.
    steps : int
        The number of completed steps, those before a checkpoint included.
    engine : str
        The engine that ran the model.
    engine_reason : str or None
        Why a faster engine was not chosen.
    exits : dict
        The value of each exit of the root model after the last step; None where it was never set.
    events, events_left_out : list of Event, int
        Reports of blocks, and how many more there were.
    ended_by : str or None
        ``"pause"``, ``"stop"`` or ``"finish"`` if a block ended the run.
    checkpoint : bytes
        All values between two steps, for ``Model.run(resume=…)``.
    """

    def __init__(self, core: _native.RunCore) -> None:
        self._core: _native.RunCore | None = core
        first, self.steps, self.delta = core.span()
        self.first = first
        self.time: Array = array(core.times())
        self.engine, self.engine_reason = core.engine()
        self.exits: dict[str, list[float] | None] = core.exits()
        events, self.events_left_out = core.events()
        self.events: list[Event] = [Event(*event) for event in events]
        self.ended_by: str | None = core.ended_by()
        self._arrays: dict[str, Array] = {}
        self._paths: dict[str, str] = {}
        self._elements: dict[str, list[str]] = {}
        for (name, path, _, elements), column in zip(core.signals(), core.take_columns()):
            self._arrays[name] = array(column)
            self._paths[path] = name
            self._elements[name] = elements
        self._checkpoint: bytes | None = None

    @property
    def checkpoint(self) -> bytes:
        if self._checkpoint is None:
            if self._core is None:
                raise ValueError("a result that was pickled has a checkpoint only if it was read before")
            self._checkpoint = self._core.checkpoint()
        return self._checkpoint

    def __getitem__(self, name: str) -> Array:
        found = self._arrays.get(name)
        if found is None and name in self._paths:
            found = self._arrays[self._paths[name]]
        if found is not None:
            return found
        if name == "time":
            return self.time
        if self._core is None:
            raise PathError(f"“{name}” was not recorded; the signals are: {', '.join(self._arrays)}")
        path, column = self._core.recompute(name)
        values = array(column)
        # The element names of a signal that was not selected are those of a plain vector.
        self._elements[name] = [name] if column.width == 1 else [f"{name}[{k}]" for k in range(column.width)]
        self._arrays[name] = values
        self._paths.setdefault(path, name)
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._arrays))

    def __len__(self) -> int:
        return len(self._arrays)

    def __contains__(self, name: object) -> bool:
        return name in self._arrays or name in self._paths

    def __repr__(self) -> str:
        names = ", ".join(self._arrays)
        return f"<Result: {len(self.time)} steps of {self.delta:g} s, engine {self.engine}: {names}>"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in self.__dict__.items() if name != "_core"}
        return (_restored, (state,))

    def columns(self) -> dict[str, Array]:
        """Return a column for each element of each signal, without copies, by the names that files have."""
        columns: dict[str, Array] = {}
        for name, values in self._arrays.items():
            if values.ndim == 1:
                columns[name] = values
            else:
                columns.update({element: values[:, k] for k, element in enumerate(self._elements[name])})
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a column for each element, indexed by time."""
        import pandas

        return pandas.DataFrame(self.columns(), index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> xarray.Dataset:
        """Return a data set with a variable for each signal and the coordinate ``time``."""
        import xarray

        variables: dict[str, Any] = {}
        for name, values in self._arrays.items():
            dims = ("time",) if values.ndim == 1 else ("time", f"{name} element")
            variables[name] = (dims, values)
        return xarray.Dataset(variables, coords={"time": self.time}, attrs={"delta": self.delta, "engine": self.engine})

    def to_arrow(self) -> pyarrow.Table:
        """Return an Arrow table; its numbers are those of the arrays, without a copy where they are contiguous."""
        import pyarrow

        return pyarrow.table({"time": self.time, **self.columns()})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the signals to a file in the format of its extension: .csv, .parquet, .npz or .mat.

        Arrow's or NumPy's own functions write ``to_arrow()`` or the arrays with their own options.
        """
        steps = range(self.first, self.first + len(self.time))
        columns = {"time": self.time, **self.columns()}
        numbers = [(name, values.tolist()) for name, values in columns.items()]
        _native.save_table(fspath(path), [("step", list(steps))], numbers)

    def plot(self, names: str | Sequence[str] | None = None, *, ax: Any = None) -> Any:
        """Draw signals over time with matplotlib.

        Parameters
        ----------
        names : str or list of str, optional
            The signals; all recorded ones by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots()
        for name in [names] if isinstance(names, str) else list(names or self._arrays):
            values = self[name]
            labels = self._elements.get(name, [name])
            for k, label in enumerate(labels):
                ax.plot(self.time, values if values.ndim == 1 else values[:, k], label=label)
        ax.set_xlabel("time / s")
        ax.grid(True, alpha=0.3)
        ax.legend()
        return ax


def _restored(state: dict[str, Any]) -> Result:
    result = Result.__new__(Result)
    result.__dict__.update(state)
    result._core = None
    # Pickled arrays are their own; results are never written to.
    for values in [result.time, *result._arrays.values()]:
        values.setflags(write=False)
    return result
