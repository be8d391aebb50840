"""Linear systems and equilibria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._values import Array, array

__all__ = ["LinearSystem", "Margins", "OperatingPoint", "Trim"]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A state of a model between two steps, for ``at=`` and ``resume=``."""

    checkpoint: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Trim:
    """An equilibrium.

    Attributes
    ----------
    point : OperatingPoint
        For ``Model.linearize(at=…)`` and ``Model.run(resume=…)``.
    states : dict
        The value of each element of each state.
    params : dict
        The values of the free options.
    unbalanced : list of str
        States that cannot be balanced, since nothing that is free influences their rates.
    residual : float
        The largest remaining rate or difference.
    iterations : int
    """

    point: OperatingPoint
    states: Mapping[str, float]
    params: Mapping[str, Any]
    unbalanced: Sequence[str]
    residual: float
    iterations: int


@dataclass(frozen=True, slots=True)
class Margins:
    """The gain margin as a factor, the phase margin in degrees, and their frequencies in rad/s."""

    gain: float
    gain_at: float | None
    phase: float
    phase_at: float | None


class LinearSystem:
    """The system ``ẋ = A·x + B·u``, ``y = C·x + D·u``; with a sample time ``x⁺`` in place of ``ẋ``.

    It unpacks as ``A, B, C, D``, so that ``scipy.signal.StateSpace(*system)`` and ``control.ss(*system)`` take it.

    Attributes
    ----------
    A, B, C, D : numpy.ndarray
    dt : float or None
        The sample time in seconds; None for a continuous system.
    states, inputs, outputs : list of str
    point : numpy.ndarray
        The values of the states at the operating point.
    delays : dict
        Blocks that delay by a time, in seconds. The matrices have Padé forms of them, the frequency response is exact.
    still : list of str
        Blocks that are treated as constant.
    left_out : int
        The number of states without effect on the outputs, which are omitted.
    """

    def __init__(
        self,
        A: npt.ArrayLike,
        B: npt.ArrayLike,
        C: npt.ArrayLike,
        D: npt.ArrayLike,
        dt: float | None = None,
    ) -> None:
        self.A, self.B, self.C, self.D = (np.atleast_2d(np.asarray(part, dtype=float)) for part in (A, B, C, D))
        self.dt = dt
        self.states: list[str] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.point: Array = np.empty(0)
        self.delays: dict[str, float] = {}
        self.still: list[str] = []
        self.left_out = 0
        self._core: _native.LinearCore | None = None

    @classmethod
    def _of(cls, core: _native.LinearCore, inputs: list[str], outputs: list[str]) -> LinearSystem:
        matrices = [array(column).reshape(rows, columns) for rows, columns, column in core.matrices()]
        system = cls.__new__(cls)
        system.A, system.B, system.C, system.D = matrices
        system.dt = core.period
        system.states, system.inputs, system.outputs = core.states, inputs, outputs
        system.point = array(core.point)
        system.delays = dict(core.delays)
        system.still, system.left_out = core.still, core.left_out
        system._core = core
        return system

    def __iter__(self) -> Iterator[Array]:
        return iter((self.A, self.B, self.C, self.D))

    def __repr__(self) -> str:
        kind = "continuous" if self.dt is None else f"every {self.dt:g} s"
        return f"<LinearSystem: {len(self.A)} states, {self.inputs} → {self.outputs}, {kind}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # The exact response with delays is computed by the model, which is not pickled.
        state = {name: value for name, value in self.__dict__.items() if name != "_core"}
        return (_restored, (state,))

    def _channel(self, input: int | str, output: int | str) -> tuple[int, int]:
        ends = []
        for end, names in ((input, self.inputs), (output, self.outputs)):
            ends.append(names.index(end) if isinstance(end, str) else end)
        return ends[0], ends[1]

    def _of_model(self) -> _native.LinearCore:
        if self._core is None:
            raise ValueError("a system that was pickled or made of matrices has no model; use control.ss(*system)")
        return self._core

    def poles(self) -> npt.NDArray[np.complex128]:
        """Return the eigenvalues of ``A``."""
        if self._core is None:
            return np.linalg.eigvals(self.A).astype(np.complex128)
        return np.array(self._core.poles() or [], dtype=np.complex128)

    def zeros(self, input: int | str = 0, output: int | str = 0) -> npt.NDArray[np.complex128]:
        """Return the zeros from an input to an output."""
        return np.array(self._of_model().zeros(*self._channel(input, output)) or [], dtype=np.complex128)

    def response(
        self, frequencies: npt.ArrayLike, input: int | str = 0, output: int | str = 0
    ) -> npt.NDArray[np.complex128]:
        """Return the exact frequency response, with delays as such.

        Parameters
        ----------
        frequencies : array_like
            In rad/s.
        input, output : int or str
            The channel.

        Returns
        -------
        numpy.ndarray
            Complex values; not-a-number at a pole.
        """
        omega = np.asarray(frequencies, dtype=float)
        real, imaginary = self._of_model().response(*self._channel(input, output), omega.ravel().tolist())
        return (array(real) + 1j * array(imaginary)).reshape(omega.shape)

    def bode(
        self, frequencies: npt.ArrayLike | None = None, input: int | str = 0, output: int | str = 0, *, count: int = 400
    ) -> tuple[Array, Array, Array]:
        """Return frequencies in rad/s, magnitudes in decibels and phases in degrees without jumps."""
        if frequencies is None:
            low, high = self._of_model().span(*self._channel(input, output))
            frequencies = np.geomspace(low, high, count)
        omega = np.asarray(frequencies, dtype=float)
        values = self.response(omega, input, output)
        return omega, 20 * np.log10(np.abs(values)), np.degrees(np.unwrap(np.angle(values)))

    def margins(self, input: int | str = 0, output: int | str = 0) -> Margins:
        """Return the margins of the open loop that the channel is."""
        return Margins(*self._of_model().margins(*self._channel(input, output)))

    def steady_gain(self, input: int | str = 0, output: int | str = 0) -> float:
        """Return the gain at frequency 0; infinite if there is none."""
        return self._of_model().steady_gain(*self._channel(input, output))

    def to_control(self) -> Any:
        """Return a ``control.StateSpace`` with the names of states, inputs and outputs, ``_`` for dots."""
        import control

        # python-control's names have no dots.
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        plain = {kind: [name.replace(".", "_") for name in of] for kind, of in names.items()}
        return control.ss(*self, 0 if self.dt is None else self.dt, **plain)

    def plot(self, input: int | str = 0, output: int | str = 0, *, axes: Any = None) -> Any:
        """Draw the Bode plot of a channel with matplotlib and return the two axes."""
        import matplotlib.pyplot as plt

        omega, decibels, degrees = self.bode(None, input, output)
        if axes is None:
            _, axes = plt.subplots(2, 1, sharex=True)
        for ax, values, label in zip(axes, (decibels, degrees), ("magnitude / dB", "phase / °")):
            ax.semilogx(omega, values)
            ax.set_ylabel(label)
            ax.grid(True, which="both", alpha=0.3)
        axes[-1].set_xlabel("frequency / rad/s")
        return axes


def _restored(state: dict[str, Any]) -> LinearSystem:
    system = LinearSystem.__new__(LinearSystem)
    system.__dict__.update(state)
    system._core = None
    return system
