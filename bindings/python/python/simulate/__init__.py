"""Simulate: block diagrams of dynamic systems, run, swept and analysed from Python.

>>> import simulate as sim
>>> m = sim.Model("Loop", steps=500, delta=0.01)
>>> error = m.add("Math/Sum", "error", Signs="+-")
>>> plant = m.add("Continuous/Transfer Function", "plant", Numerator=[2], Denominator=[1, 1])
>>> pid = m.add("Math/Gain", "P", Gain=4)
>>> wire = m.add("Var/Step", "setpoint") >> error >> pid >> plant >> m.exit("y")
>>> m.connect(plant, error)
>>> m.run()["y"].shape
(500,)
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._native import Stepper
from .blocks import PythonBlock, block
from .diagram import Block, Diagram, Input, Output
from .env import Env
from .errors import (
    AnalysisError,
    CheckpointError,
    Diagnostic,
    EditError,
    EngineError,
    FileError,
    InvalidModelError,
    LoadError,
    PathError,
    RunError,
    SimulateError,
)
from .linear import LinearSystem, Margins, OperatingPoint, Trim
from .model import Model, Signal, load, loads
from .result import Event, Result
from .sweep import Sweep, geomspace, linspace, normal, uniform

__version__: str = _native.__version__

__all__ = [
    "AnalysisError",
    "Block",
    "CheckpointError",
    "Diagnostic",
    "Diagram",
    "EditError",
    "EngineError",
    "Env",
    "Event",
    "FileError",
    "Input",
    "InvalidModelError",
    "LinearSystem",
    "LoadError",
    "Margins",
    "Model",
    "OperatingPoint",
    "Output",
    "PathError",
    "PythonBlock",
    "Result",
    "RunError",
    "Signal",
    "SimulateError",
    "Stepper",
    "Sweep",
    "Trim",
    "block",
    "geomspace",
    "library",
    "linspace",
    "load",
    "loads",
    "normal",
    "uniform",
]


def library(search: str = "") -> list[dict[str, Any]]:
    """Return the blocks of the library whose names or summaries contain a text.

    Each has ``group``, ``name``, ``title``, ``doc``, ``formula``, ``inputs``, ``outputs`` and ``params``.
    """
    wanted = search.lower()
    rows: list[dict[str, Any]] = [dict(row) for row in _native.library()]
    return [row for row in rows if any(wanted in str(row[key]).lower() for key in ("group", "name", "title", "doc"))]
