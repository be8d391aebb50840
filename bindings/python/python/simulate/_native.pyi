"""The native part of simulate; the package around it is what users see."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypedDict, final

from .errors import Diagnostic

__version__: str
HAS_PICTURES: bool

_Progress = Callable[[int, int], object] | None
_Rows = tuple[int, int, Column]

class BlockRow(TypedDict):
    id: int
    kind: str
    group: str
    name: str
    title: str
    inputs: list[str]
    outputs: list[str]
    options: list[tuple[str, list[str]]]
    position: tuple[float, float] | None

class ParamRow(TypedDict):
    name: str
    doc: str
    unit: str
    kind: str
    default: list[str]
    choices: list[str]

class DefinitionRow(TypedDict):
    group: str
    name: str
    title: str
    doc: str
    formula: str
    inputs: list[str]
    outputs: list[str]
    params: list[ParamRow]

class TrimRow(TypedDict):
    checkpoint: bytes
    states: list[tuple[str, float]]
    params: list[list[float]]
    unbalanced: list[str]
    residual: float
    iterations: int

@final
class Column:
    @property
    def width(self) -> int: ...
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class ModelCore:
    def __new__(cls, root: str) -> ModelCore: ...
    @staticmethod
    def load(
        path: str | PathLike[str] | None,
        content: bytes | None = None,
        *,
        skip_invalid_models: bool = False,
        allow_read: Sequence[str] = ...,
        allow_write: Sequence[str] = ...,
        allow_fmu: Sequence[str] = ...,
        fmu_program: str | None = None,
        blocks: Sequence[tuple[str, str]] = ...,
    ) -> ModelCore: ...
    @property
    def path(self) -> PathLike[str] | None: ...
    @property
    def revision(self) -> int: ...
    def about(self) -> tuple[int, float, str, str]: ...
    def to_bytes(self, extension: str) -> bytes: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def use_block(self, group: str, name: str) -> None: ...
    def used_blocks(self) -> list[tuple[str, str]]: ...
    def check(self) -> list[Diagnostic]: ...
    def signals(self) -> list[tuple[str, str, int]]: ...
    def engines(self) -> list[tuple[str, str]]: ...
    def undo(self) -> str | None: ...
    def redo(self) -> str | None: ...

@final
class RunCore:
    def __new__(
        cls,
        model: ModelCore,
        signals: Sequence[str] | None,
        *,
        engine: str = "auto",
        threads: int | None = None,
        set: Sequence[str] = ...,
        resume: bytes | None = None,
        stop_at_non_finite: bool = False,
        writes_files: bool = True,
    ) -> RunCore: ...
    def advance(self, until: int, progress: _Progress = None) -> None: ...
    def span(self) -> tuple[int, int, float]: ...
    def times(self) -> Column: ...
    def engine(self) -> tuple[str, str | None]: ...
    def signals(self) -> list[tuple[str, str, int, list[str]]]: ...
    def take_columns(self) -> list[Column]: ...
    def recompute(self, name: str) -> tuple[str, Column]: ...
    def exits(self) -> dict[str, list[float] | None]: ...
    def events(self) -> tuple[list[tuple[int, float, str, str, str]], int]: ...
    def ended_by(self) -> str | None: ...
    def checkpoint(self) -> bytes: ...

@final
class Stepper:
    """A model that is stepped from Python; ``Model.stepper`` makes it."""

    def __new__(
        cls,
        model: ModelCore,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        engine: str = "auto",
        set: Sequence[str] = ...,
        resume: bytes | None = None,
    ) -> Stepper: ...
    def step(self, inputs: float | Sequence[Any] | None = None, steps: int = 1) -> float | tuple[float, ...]:
        """Run steps with the inputs held and return the outputs of the last one."""
    def reset(self) -> None:
        """Go back to where the run began."""
    @property
    def steps(self) -> int:
        """The number of completed steps."""
    @property
    def time(self) -> float:
        """The time of the next step in seconds."""
    @property
    def is_over(self) -> bool:
        """Whether a block has ended or paused the run."""
    def checkpoint(self) -> bytes:
        """Return all values between two steps."""
    def restore(self, checkpoint: bytes) -> None:
        """Go to a checkpoint of this model."""

@final
class SweepPart:
    @property
    def failures(self) -> list[str | None]: ...
    @property
    def counts(self) -> list[int]: ...
    @property
    def steps(self) -> list[int]: ...
    @property
    def signals(self) -> list[tuple[str, int]]: ...
    @property
    def columns(self) -> list[Column]: ...
    @property
    def delta(self) -> float: ...

@final
class LinearCore:
    @property
    def period(self) -> float | None: ...
    @property
    def step(self) -> int: ...
    @property
    def left_out(self) -> int: ...
    @property
    def states(self) -> list[str]: ...
    @property
    def point(self) -> Column: ...
    @property
    def delays(self) -> list[tuple[str, float]]: ...
    @property
    def still(self) -> list[str]: ...
    def matrices(self) -> tuple[_Rows, _Rows, _Rows, _Rows]: ...
    def poles(self) -> list[complex] | None: ...
    def zeros(self, input: int, output: int) -> list[complex] | None: ...
    def response(self, input: int, output: int, frequencies: Sequence[float]) -> tuple[Column, Column]: ...
    def span(self, input: int, output: int) -> tuple[float, float]: ...
    def margins(self, input: int, output: int) -> tuple[float, float | None, float, float | None]: ...
    def steady_gain(self, input: int, output: int) -> float: ...

def linearize(
    core: ModelCore,
    inputs: Sequence[str],
    outputs: Sequence[str] | None,
    *,
    opens: bool = False,
    pade: int = 3,
    steps: int = 0,
    resume: bytes | None = None,
    set: Sequence[str] = ...,
) -> LinearCore: ...
def trim(
    core: ModelCore,
    *,
    free: Sequence[str] = ...,
    targets: Sequence[tuple[str, float]] = ...,
    fixed: Sequence[str] = ...,
    moving: Sequence[str] = ...,
    steps: int = 0,
    resume: bytes | None = None,
    set: Sequence[str] = ...,
) -> TrimRow: ...
def sweep(
    model: ModelCore,
    paths: Sequence[str],
    rows: Sequence[Sequence[float]],
    *,
    signals: Sequence[str] | None,
    steps: int | None,
    set: Sequence[str] = ...,
    every: int | None = None,
    engine: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> SweepPart: ...
def spaced(text: str) -> list[float]: ...
def rows_of(varied: Sequence[tuple[str, str | list[float]]], draws: int, seed: int) -> list[list[float]]: ...
def set_simulation(
    core: ModelCore,
    *,
    steps: int | None = None,
    delta: float | None = None,
    attributes: Sequence[tuple[str, str | None]] = ...,
) -> None: ...
def add_model(core: ModelCore, name: str) -> None: ...
def set_variable(core: ModelCore, name: str, value: str | None, model: str | None = None) -> None: ...
def add_block(
    core: ModelCore,
    model: str,
    kind: str,
    name: str,
    *,
    label: str | None = None,
    options: Sequence[tuple[str, Sequence[str]]] = ...,
    attributes: Sequence[tuple[str, str]] = ...,
    position: tuple[float, float] | None = None,
) -> int: ...
def set_option(core: ModelCore, model: str, id: int, name: str, values: Sequence[str] | None) -> None: ...
def set_path(core: ModelCore, text: str) -> None: ...
def option_value(core: ModelCore, path: str) -> Any: ...
def set_attribute(core: ModelCore, model: str, id: int, name: str, value: str | None) -> None: ...
def remove_blocks(core: ModelCore, model: str, ids: Sequence[int]) -> None: ...
def connect(
    core: ModelCore,
    model: str,
    from_id: int,
    output: str | None,
    to_id: int,
    input: str | None,
    label: str | None = None,
) -> None: ...
def disconnect(core: ModelCore, model: str, id: int, input: str) -> None: ...
def models(core: ModelCore) -> list[str]: ...
def blocks(core: ModelCore, model: str) -> list[BlockRow]: ...
def connections(core: ModelCore, model: str) -> list[tuple[int, str, int, str, str | None]]: ...
def library() -> list[DefinitionRow]: ...
def define_block(definition: dict[str, Any]) -> None: ...
def svg(core: ModelCore, model: str) -> str | None: ...
def arrange(core: ModelCore, model: str) -> bool: ...
def save_table(
    path: str, integers: Sequence[tuple[str, list[int]]], numbers: Sequence[tuple[str, list[float]]]
) -> None: ...
def batch(arguments: Sequence[str]) -> int: ...
