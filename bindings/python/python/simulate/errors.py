"""Exceptions and diagnostics.

Every exception of this package is a :class:`SimulateError` and knows where the problem is, as far as that is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "AnalysisError",
    "CheckpointError",
    "Diagnostic",
    "EditError",
    "EngineError",
    "FileError",
    "InvalidModelError",
    "LoadError",
    "PathError",
    "RunError",
    "SimulateError",
]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error or a warning about a model.

    Attributes
    ----------
    severity : str
        ``"error"``: the model does not run; ``"warning"``: it does.
    code : str
        A stable code, such as ``"unknown-block"``; ``simulate explain CODE`` says more.
    message, help : str
        What is wrong, and what to do.
    file, line, column : str, int, int or None
        The place in the file, while the model is as it was loaded.
    model, block, input, output, subject : str or None
        The model, the id of the block, the port, and the option or attribute.
    """

    severity: str
    code: str
    message: str
    help: str = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    model: str | None = None
    block: str | None = None
    input: str | None = None
    output: str | None = None
    subject: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        block = " ".join(part for part in (self.model, self.block) if part)
        where = ", ".join(part for part in (place, block) if part)
        return f"{self.severity}[{self.code}] {where + ': ' if where else ''}{self.message}"


class SimulateError(Exception):
    """The base of all exceptions of this package.

    Attributes
    ----------
    file, line, column : str, int, int or None
        The place in the file.
    model, block : str or None
        The model, and the block as a path or an id.
    """

    file: str | None
    line: int | None
    column: int | None
    model: str | None
    block: str | None
    code: str | None
    help: str | None

    def __init__(self, message: str = "", **attributes: Any) -> None:
        super().__init__(message)
        for name in ("file", "line", "column", "model", "block", "code", "help"):
            setattr(self, name, attributes.pop(name, None))
        for name, value in attributes.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        # KeyError would write its message in quotation marks.
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> tuple[Any, ...]:
        # A value that cannot be pickled, such as a partial result with an engine, is left out.
        kept = {name: value for name, value in self.__dict__.items() if name != "result"}
        return (_restored, (type(self), str(self), kept))


def _restored(kind: type[SimulateError], message: str, attributes: dict[str, Any]) -> SimulateError:
    return kind(message, **attributes)


class LoadError(SimulateError):
    """A file cannot be read as a simulation."""


class InvalidModelError(SimulateError):
    """A model cannot run; ``diagnostics`` lists all errors and warnings."""

    diagnostics: list[Diagnostic]

    def __init__(self, message: str = "", **attributes: Any) -> None:
        self.diagnostics = attributes.pop("diagnostics", [])
        super().__init__(message, **attributes)


class PathError(SimulateError, KeyError):
    """There is no such signal, block, option or variable, or its value cannot be set."""


class EditError(SimulateError, ValueError):
    """A change of a model is refused; the model is as it was."""


class RunError(SimulateError, RuntimeError):
    """A step cannot be completed; ``result`` has the steps before it, if the run was recorded."""

    step: int | None
    time: float | None
    problem: str | None
    result: Any

    def __init__(self, message: str = "", **attributes: Any) -> None:
        for name in ("step", "time", "problem", "result"):
            setattr(self, name, attributes.pop(name, None))
        super().__init__(message, **attributes)


class EngineError(SimulateError):
    """An engine does not exist or cannot run a model exactly."""


class AnalysisError(SimulateError):
    """A linearization or the search for an equilibrium fails."""


class CheckpointError(SimulateError):
    """A checkpoint is damaged or of another model."""


class FileError(SimulateError, OSError):
    """A file cannot be read or written."""
