"""Values of options as the texts of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

import numpy as np
import numpy.typing as npt

Value = Union[str, bool, int, float, Iterable[float], npt.NDArray[Any]]
Array = npt.NDArray[np.float64]


def text(value: Any) -> str:
    """Return a number or a text as it is written in a file, with the same bits."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return repr(float(value))


def texts(value: Value) -> list[str]:
    """Return the values of an option."""
    if isinstance(value, (str, bool, int, float, np.generic)):
        return [text(value)]
    if isinstance(value, np.ndarray):
        return [text(item) for item in value.ravel()]
    return [text(item) for item in value]


def overrides(values: Mapping[str, Value] | None) -> list[str]:
    """Return ``PATH=VALUE`` texts."""
    return [f"{path}={','.join(texts(value))}" for path, value in (values or {}).items()]


def array(column: Any) -> Array:
    """Return the numbers of a native column as a read-only array, without a copy."""
    values: Array = np.frombuffer(column, dtype=np.float64) if len(column) else np.empty(0)
    return values if column.width == 1 else values.reshape(-1, column.width)
