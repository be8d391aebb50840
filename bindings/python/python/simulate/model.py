"""Simulations: loaded or built, looked at, run, analysed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from . import _native
from ._progress import Progress, callback
from ._values import Array, Value, array, overrides
from .blocks import PythonBlock
from .diagram import Block, Diagram
from .errors import Diagnostic, EngineError, RunError
from .linear import LinearSystem, OperatingPoint, Trim
from .result import Result
from .sweep import Sweep, run_sweep

__all__ = ["Model", "Signal", "load", "loads"]


class Signal(tuple[str, str, int]):
    """A signal that can be recorded: ``name``, ``path`` and ``width``."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self[0]

    @property
    def path(self) -> str:
        return self[1]

    @property
    def width(self) -> int:
        return self[2]


class Model(Diagram):
    """A simulation; its root model is the diagram to which blocks are added.

    Parameters
    ----------
    name : str
        The name of the root model.
    steps : int
        The number of steps of a run.
    delta : float
        The length of a step in seconds.
    solver : str, optional
        The solver of continuous states; ``"rk4"`` by default.

    Examples
    --------
    >>> import simulate as sim
    >>> m = sim.Model("Decay", steps=1000, delta=1e-3)
    >>> x = m.add("Math/Integrate", "x", Initial_Value=1)
    >>> rate = m.add("Math/Gain", "rate", Gain=-2)
    >>> wire = x >> rate >> x >> m.exit("y")
    >>> r = m.run()
    >>> float(r["y"][0])
    1.0
    """

    def __init__(
        self,
        name: str = "Main",
        *,
        steps: int = 0,
        delta: float = 1.0,
        solver: str | None = None,
    ) -> None:
        core = _native.ModelCore(name)
        attributes: list[tuple[str, str | None]] = [] if solver is None else [("solver", solver)]
        _native.set_simulation(core, steps=steps, delta=delta, attributes=attributes)
        self._begin(core, {})

    def _begin(self, core: _native.ModelCore, access: dict[str, Any]) -> None:
        super().__init__(core, core.about()[3])
        self._access = access

    @classmethod
    def _of(cls, path: str | None, content: bytes | None, access: dict[str, Any]) -> Model:
        blocks = [PythonBlock.of(block) for block in access.get("blocks", ())]
        names = [(block.group, block.name) for block in blocks]
        core = _native.ModelCore.load(path, content, **{**access, "blocks": names})
        model = cls.__new__(cls)
        model._begin(core, {**access, "blocks": blocks})
        return model

    def __reduce__(self) -> tuple[Any, ...]:
        used = set(self._core.used_blocks())
        blocks = [block for block in PythonBlock.known() if (block.group, block.name) in used]
        path = self._core.path
        return (_restored, (type(self), None if path is None else fspath(path), self.to_bytes(), {**self._access, "blocks": blocks}))

    def copy(self) -> Model:
        """Return a model that can be changed without changing this one."""
        kind, arguments = self.__reduce__()
        copied: Model = kind(*arguments)
        return copied

    def __repr__(self) -> str:
        steps, delta, solver, root = self._core.about()
        return f"<Model {root!r}: {len(self.blocks)} blocks, {steps} steps of {delta:g} s, solver {solver}>"

    # The simulation as a whole.

    @property
    def steps(self) -> int:
        """The number of steps of a run."""
        return self._core.about()[0]

    @steps.setter
    def steps(self, steps: int) -> None:
        _native.set_simulation(self._core, steps=steps)

    @property
    def delta(self) -> float:
        """The length of a step in seconds."""
        return self._core.about()[1]

    @delta.setter
    def delta(self, delta: float) -> None:
        _native.set_simulation(self._core, delta=delta)

    @property
    def solver(self) -> str:
        """The solver of continuous states."""
        return self._core.about()[2]

    @solver.setter
    def solver(self, solver: str) -> None:
        _native.set_simulation(self._core, attributes=[("solver", solver)])

    def configure(self, **attributes: str | None) -> None:
        """Set attributes of the simulation, such as ``loops="solve"``; None removes one."""
        _native.set_simulation(self._core, attributes=list(attributes.items()))

    @property
    def path(self) -> str | None:
        """The file of the model, if it has one."""
        path = self._core.path
        return None if path is None else fspath(path)

    @property
    def models(self) -> dict[str, Diagram]:
        """The models by name, in the order of the file."""
        return {name: Diagram(self._core, name) for name in _native.models(self._core)}

    def submodel(self, name: str) -> Diagram:
        """Add an empty model, which ``add`` then makes instances of."""
        _native.add_model(self._core, name)
        return Diagram(self._core, name)

    @property
    def signals(self) -> list[Signal]:
        """All signals that can be recorded."""
        return [Signal(row) for row in self._core.signals()]

    @property
    def engines(self) -> dict[str, str]:
        """The engines and what they are."""
        return dict(self._core.engines())

    def check(self) -> list[Diagnostic]:
        """Return all errors and warnings."""
        return self._core.check()

    def get(self, path: str) -> Any:
        """Return the value of an option, such as ``"PID.P"``, as it is used: expressions are computed."""
        value = _native.option_value(self._core, path)
        if isinstance(value, list) and value and isinstance(value[0], float):
            return value[0] if len(value) == 1 else np.array(value)
        return value

    def set(self, values: Mapping[str, Value] | None = None, **variables: Value) -> None:
        """Set options by path, or variables of the simulation by name; they stay set.

        Values for one run only are the argument ``set`` of :meth:`run`.
        """
        for path, value in {**(values or {}), **variables}.items():
            self._set(path, value)

    def undo(self) -> str | None:
        """Undo the last change and return what it was."""
        return self._core.undo()

    def redo(self) -> str | None:
        """Redo the last undone change and return what it was."""
        return self._core.redo()

    def to_bytes(self, format: str = "simx") -> bytes:
        """Return the model as a file of this extension: simx, json, bson or simb."""
        return self._core.to_bytes(format)

    def to_simx(self) -> str:
        """Return the model as the text of a canonical .simx file."""
        return self.to_bytes().decode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model in the format of the extension; blocks without a position are laid out first."""
        self._arrange_new()
        self._core.save(fspath(path))

    # Runs.

    def run(
        self,
        until: float | None = None,
        *,
        steps: int | None = None,
        set: Mapping[str, Value] | None = None,
        signals: Literal["exits", "all"] | Sequence[str] | None = None,
        engine: str = "auto",
        threads: int | None = None,
        resume: bytes | Result | OperatingPoint | None = None,
        stop_at_non_finite: bool = False,
        progress: Progress = None,
    ) -> Result:
        """Run the model. Other threads run meanwhile, and Ctrl+C ends the run.

        Parameters
        ----------
        until : float, optional
            The end in seconds; the steps that begin before it are run.
        steps : int, optional
            The number of steps instead; that of the model by default. With ``resume`` it counts from the begin of the
            first run.
        set : dict, optional
            Values of options by path or of variables by name, for this run.
        signals : "exits", "all" or list of str, optional
            What is recorded: names or paths. By default what the file marks: exits, inputs of scopes, named signals.
        engine, threads : str, int, optional
            The engine, one of :attr:`engines`, and the threads of ``"threaded"``. All give the same bits.
        resume : bytes, Result or OperatingPoint, optional
            Where the run continues.
        stop_at_non_finite : bool
            Whether the first infinite or not-a-number value is an error.
        progress : bool or callable, optional
            True for a bar, or a function of the completed steps and all.

        Returns
        -------
        Result

        Raises
        ------
        InvalidModelError
            If the model cannot run.
        RunError
            If a step fails; its ``result`` has the steps before.
        """
        count = self._count(until, steps)
        names = [signals] if isinstance(signals, str) else signals if signals is None else list(signals)
        core = _native.RunCore(
            self._core,
            names,
            engine=engine,
            threads=threads,
            set=overrides(set),
            resume=_checkpoint(resume),
            stop_at_non_finite=stop_at_non_finite,
        )
        try:
            core.advance(count, callback(progress))
        except RunError as error:
            error.result = Result(core)
            raise
        return Result(core)

    def _count(self, until: float | None, steps: int | None) -> int:
        if until is not None:
            if steps is not None:
                raise TypeError("give until or steps, not both")
            # Steps at n·delta before the end; the tolerance is for ends that are not exact multiples.
            return max(0, int(np.ceil(until / self.delta * (1 - 1e-12) - 1e-9)))
        return self.steps if steps is None else steps

    def stepper(
        self,
        inputs: str | Sequence[str] = (),
        outputs: str | Sequence[str] = (),
        *,
        set: Mapping[str, Value] | None = None,
        engine: str = "auto",
        resume: bytes | Result | OperatingPoint | None = None,
    ) -> _native.Stepper:
        """Return a run that is advanced step by step, with inputs given each time.

        Parameters
        ----------
        inputs : str or list of str
            Entries of the root model by name, or options such as ``"PID.P"``.
        outputs : str or list of str
            Signals by name or path.
        """
        listed = [[names] if isinstance(names, str) else list(names) for names in (inputs, outputs)]
        return _native.Stepper(
            self._core, *listed, engine=engine, set=overrides(set), resume=_checkpoint(resume)
        )

    def sweep(
        self,
        vary: Mapping[str, Iterable[float] | str] | Sequence[Mapping[str, float]],
        *,
        executor: Any = None,
        until: float | None = None,
        steps: int | None = None,
        signals: Literal["exits", "all"] | Sequence[str] = "exits",
        every: int | None = None,
        set: Mapping[str, Value] | None = None,
        draws: int = 1,
        seed: int = 0,
        engine: str = "auto",
        workers: int | None = None,
        chunk: int | None = None,
        progress: Progress = None,
    ) -> Sweep:
        """Run the model for every combination of values.

        Parameters
        ----------
        vary : dict or list of dict
            Options or variables with their values: a list, an array, or a text as for ``simulate sweep --vary`` such as
            ``"1:100:50:log"`` or ``"normal(0,1)"``. A list of dicts gives each run its own values.
        executor : concurrent.futures.Executor, optional
            Who computes: the processors of this machine by default, or anything with ``submit`` that returns futures,
            such as those of processes, Dask, Ray and MPI. The bits are the same.
        until, steps : float, int, optional
            The end of each run.
        signals : "exits", "all" or list of str
            What is kept.
        every : int, optional
            Keeps each so many steps and the last; by default only the last.
        draws, seed : int
            The number of runs for each combination, and the seed of random values.
        workers : int, optional
            The number of runs at a time on this machine.
        chunk : int, optional
            The number of runs that an executor is given at a time.
        progress : bool or callable, optional
            True for a bar, or a function of the completed runs and all.

        Returns
        -------
        Sweep
        """
        return run_sweep(
            self,
            vary,
            executor=executor,
            steps=self._count(until, steps),
            signals=signals,
            every=every,
            set=set,
            draws=draws,
            seed=seed,
            engine=engine,
            workers=workers,
            chunk=chunk,
            progress=callback(progress),
        )

    # Analysis.

    def linearize(
        self,
        inputs: str | Sequence[str],
        outputs: str | Sequence[str] | None = None,
        *,
        open: bool = False,
        at: int | OperatingPoint | Result | bytes | None = None,
        set: Mapping[str, Value] | None = None,
        pade: int = 3,
    ) -> LinearSystem:
        """Linearize the model with exact derivatives.

        Parameters
        ----------
        inputs : str or list of str
            Signals to which an input is added; an element of a vector has its index in brackets.
        outputs : str or list of str, optional
            Signals; the exits by default.
        open : bool
            Whether the readers of an input signal see the added input alone, so that the loop is opened there.
        at : int, OperatingPoint, Result or bytes, optional
            After so many steps, at an equilibrium, or at the end of a run; before the first step by default.
        set : dict, optional
            Values of options.
        pade : int
            The order of the Padé forms that stand for delays; the frequency response has the delays exactly.

        Returns
        -------
        LinearSystem
        """
        ins = [inputs] if isinstance(inputs, str) else list(inputs)
        outs = [outputs] if isinstance(outputs, str) else None if outputs is None else list(outputs)
        steps, resume = (at, None) if isinstance(at, int) else (0, _checkpoint(at))
        core = _native.linearize(
            self._core, ins, outs, opens=open, pade=pade, steps=steps, resume=resume, set=overrides(set)
        )
        names = outs if outs is not None else [block.title for block in self.blocks if block.kind == "exit"]
        return LinearSystem._of(core, ins, names)

    def trim(
        self,
        *,
        free: Sequence[str] = (),
        targets: Mapping[str, float] | None = None,
        fixed: Sequence[str] = (),
        moving: Sequence[str] = (),
        at: int | OperatingPoint | Result | bytes | None = None,
        set: Mapping[str, Value] | None = None,
    ) -> Trim:
        """Find the nearest equilibrium by Newton's method with exact derivatives.

        Parameters
        ----------
        free : list of str
            Options that may change, such as ``"Valve.Gain"``.
        targets : dict
            Values that signals have at the equilibrium.
        fixed, moving : list of str
            Blocks whose states keep their values, and whose states may keep changing.
        at, set
            As for :meth:`linearize`.

        Returns
        -------
        Trim
        """
        steps, resume = (at, None) if isinstance(at, int) else (0, _checkpoint(at))
        found = _native.trim(
            self._core,
            free=list(free),
            targets=list((targets or {}).items()),
            fixed=list(fixed),
            moving=list(moving),
            steps=steps,
            resume=resume,
            set=overrides(set),
        )
        params = {name: values[0] if len(values) == 1 else np.array(values) for name, values in zip(free, found["params"])}
        return Trim(
            point=OperatingPoint(found["checkpoint"]),
            states=dict(found["states"]),
            params=params,
            unbalanced=found["unbalanced"],
            residual=found["residual"],
            iterations=found["iterations"],
        )

    # Pictures.

    def picture(self, model: str | None = None) -> str:
        """Return a model, the root by default, as the text of an .svg file."""
        self._arrange_new()
        return _native.svg(self._core, model or self.name) or "<svg xmlns='http://www.w3.org/2000/svg'/>"

    def _repr_svg_(self) -> str | None:
        return self.picture() if _native.HAS_PICTURES and self.blocks else None

    def _arrange_new(self) -> None:
        for diagram in self.models.values():
            if any(block.position is None for block in diagram.blocks):
                diagram.arrange()


def _checkpoint(at: bytes | Result | OperatingPoint | None) -> bytes | None:
    return at.checkpoint if isinstance(at, (Result, OperatingPoint)) else at


def _restored(kind: type[Model], path: str | None, content: bytes, access: dict[str, Any]) -> Model:
    return kind._of(path, content, access)


def load(
    path: str | PathLike[str],
    *,
    skip_invalid_models: bool = False,
    allow_read: Sequence[str | PathLike[str]] = (),
    allow_write: Sequence[str | PathLike[str]] = (),
    allow_fmu: Sequence[str | PathLike[str]] = (),
    blocks: Sequence[Callable[..., Any] | type | PythonBlock] = (),
) -> Model:
    """Load a simulation: .simx, .json, .bson or .simb.

    Parameters
    ----------
    path : str or path
    skip_invalid_models : bool
        Whether one model block of each endless nesting is removed, instead of an error.
    allow_read, allow_write : list of paths
        Folders in which blocks may read and write files, besides that of the file.
    allow_fmu : list of paths
        FMUs whose code blocks may run, in a process of its own.
    blocks : list
        Blocks in Python that the file uses.

    Raises
    ------
    LoadError
        If the file cannot be read as a simulation. One that is only invalid in part is loaded; see ``Model.check``.
    """
    access = _access(skip_invalid_models, allow_read, allow_write, allow_fmu, blocks)
    return Model._of(fspath(path), None, access)


def loads(text: str | bytes, *, blocks: Sequence[Callable[..., Any] | type | PythonBlock] = ()) -> Model:
    """Load a simulation from the content of a file."""
    content = text.encode() if isinstance(text, str) else text
    return Model._of(None, content, _access(False, (), (), (), blocks))


def _access(
    skip_invalid_models: bool,
    allow_read: Sequence[str | PathLike[str]],
    allow_write: Sequence[str | PathLike[str]],
    allow_fmu: Sequence[str | PathLike[str]],
    blocks: Sequence[Callable[..., Any] | type | PythonBlock],
) -> dict[str, Any]:
    access: dict[str, Any] = {"skip_invalid_models": skip_invalid_models, "blocks": list(blocks)}
    for name, paths in (("allow_read", allow_read), ("allow_write", allow_write), ("allow_fmu", allow_fmu)):
        access[name] = [fspath(path) for path in paths]
    if access["allow_fmu"]:
        from .__main__ import worker_program

        program = worker_program()
        if program is None:
            raise EngineError("an FMU runs in a process of the program simulate-batch or simulate; none is on the path")
        access["fmu_program"] = program
    return access
