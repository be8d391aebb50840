"""Blocks whose functions are in Python.

Such a block costs some microseconds for each call, a thousand times as much as one of the library. Its functions are
called several times in a step by most solvers, on whatever thread, and must depend on their arguments alone: what a block
keeps from step to step is its state.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, overload

import numpy as np

from . import _native
from .errors import EditError

__all__ = ["PythonBlock", "block"]

Made = TypeVar("Made", bound=Callable[..., Any])


class PythonBlock:
    """A block in Python; :func:`block` makes it."""

    _known: ClassVar[dict[tuple[str, str], PythonBlock]] = {}

    def __init__(
        self,
        made: Any,
        *,
        name: str,
        group: str,
        inputs: Sequence[str],
        outputs: Mapping[str, int],
        params: Mapping[str, Any],
    ) -> None:
        self.made = made
        # The function as it came from another process.
        self.packed: bytes | None = None
        self.name = name
        self.group = group
        self.inputs = list(inputs)
        self.outputs = dict(outputs)
        self.params = {key: np.atleast_1d(np.asarray(value, dtype=float)).tolist() for key, value in params.items()}
        self._define()

    def _define(self) -> None:
        kind = self.made
        is_class = isinstance(kind, type)
        discrete = np.atleast_1d(getattr(kind, "x0", [])).astype(float).tolist() if hasattr(kind, "update") else []
        continuous = np.atleast_1d(getattr(kind, "x0", [])).astype(float).tolist() if hasattr(kind, "derivative") else []
        if discrete and continuous:
            raise EditError(f"“{self.name}” has both update and derivative; a block has one kind of state")
        if is_class and not (discrete or continuous):
            raise EditError(f"“{self.name}” needs x0 and either update or derivative")
        _native.define_block(
            {
                "group": self.group,
                "name": self.name,
                "doc": (inspect.getdoc(kind) or "Calls a function in Python").splitlines()[0].rstrip("."),
                "inputs": self.inputs,
                "outputs": list(self.outputs.items()),
                "params": list(self.params.items()),
                "discrete": discrete,
                "continuous": continuous,
                "feedthrough": bool(getattr(kind, "feedthrough", True)) if self.inputs else False,
                "bind": self._bind,
            }
        )
        PythonBlock._known[(self.group, self.name)] = self

    @classmethod
    def of(cls, made: Any) -> PythonBlock:
        """Return the block of a decorated function or class."""
        if isinstance(made, cls):
            return made
        arguments = getattr(made, "__simulate_block__", None)
        if not isinstance(arguments, dict):
            raise EditError(f"{made!r} is not a block; use the decorator simulate.block")
        known = cls._known.get((arguments["group"], arguments["name"]))
        # Another function may have taken the name meanwhile.
        return known if known is not None and known.made is made else cls(made, **arguments)

    @classmethod
    def known(cls) -> list[PythonBlock]:
        """Return the blocks that were defined in this process."""
        return list(cls._known.values())

    def __reduce__(self) -> tuple[Any, ...]:
        made: Any = self.made
        # A function of a notebook or a script is not found by its name in another process.
        if getattr(made, "__module__", "__main__") == "__main__" or "<locals>" in getattr(made, "__qualname__", ""):
            import cloudpickle

            made = _Packed(cloudpickle.dumps(made))
        return (_restored, (made, self._arguments()))

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("name", "group", "inputs", "outputs", "params")}

    def _bind(self, inputs: list[int], params: list[int], delta: float) -> _Bound:
        return _Bound(self, inputs, params)


class _Packed:
    def __init__(self, content: bytes) -> None:
        self.content = content


def _restored(made: Any, arguments: dict[str, Any]) -> PythonBlock:
    known = PythonBlock._known.get((arguments["group"], arguments["name"]))
    packed = made.content if isinstance(made, _Packed) else None
    # A worker may have an earlier definition of the name.
    if known is not None and (known.made is made or (packed is not None and known.packed == packed)):
        return known
    if packed is not None:
        import pickle

        made = pickle.loads(packed)
    block = PythonBlock(made, **arguments)
    block.packed = packed
    return block


class _Bound:
    """The functions of a block for some widths. Values come and go as flat lists: time, inputs, parameters, states."""

    def __init__(self, block: PythonBlock, inputs: list[int], params: list[int]) -> None:
        self.inputs, self.params = inputs, params
        self.names = list(block.params)
        self.made = block.made
        self.is_function = not isinstance(block.made, type)
        self.instance = None if self.is_function else block.made()
        self.feedthrough = bool(getattr(block.made, "feedthrough", True))
        functions = [block.made] if self.is_function else [getattr(self.instance, name, None) for name in METHODS]
        self.accepted = [_keywords(function) if function else set() for function in functions]
        self.has_time = self.is_function and next(iter(inspect.signature(block.made).parameters), "") == "t"

    def _split(self, values: list[float], widths: list[int], at: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        for width in widths:
            found.append(values[at] if width == 1 else np.array(values[at : at + width]))
            at += width
        return found, at

    def _arguments(
        self, values: list[float], has_inputs: bool, function: int
    ) -> tuple[float, list[Any], dict[str, Any], Any]:
        inputs, at = self._split(values, self.inputs if has_inputs else [], 1)
        params, at = self._split(values, self.params, at)
        accepted = self.accepted[function]
        given = {name: value for name, value in zip(self.names, params) if name in accepted}
        return values[0], inputs, given, np.array(values[at:])

    def output(self, values: list[float]) -> list[float]:
        time, inputs, params, state = self._arguments(values, self.feedthrough, 0)
        if self.is_function:
            found = self.made(time, *inputs, **params) if self.has_time else self.made(*inputs, **params)
        else:
            found = self.instance.output(time, state, *inputs, **params)  # type: ignore[union-attr]
        return _flat(found)

    def update(self, values: list[float]) -> list[float]:
        time, inputs, params, state = self._arguments(values, True, 1)
        return _flat(self.instance.update(time, state, *inputs, **params))  # type: ignore[union-attr]

    def derivative(self, values: list[float]) -> list[float]:
        time, inputs, params, state = self._arguments(values, True, 2)
        return _flat(self.instance.derivative(time, state, *inputs, **params))  # type: ignore[union-attr]


METHODS = ("output", "update", "derivative")


def _keywords(function: Callable[..., Any]) -> set[str]:
    return {name for name, of in inspect.signature(function).parameters.items() if of.kind == of.KEYWORD_ONLY}


def _flat(found: Any) -> list[float]:
    if isinstance(found, (int, float)):
        return [float(found)]
    if isinstance(found, np.ndarray):
        return [float(value) for value in found.ravel()]
    if isinstance(found, (tuple, list)):
        return [value for part in found for value in _flat(part)]
    return [float(found)]


@overload
def block(made: Made, /) -> Made: ...


@overload
def block(
    *,
    name: str | None = None,
    group: str = "Python",
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | Mapping[str, int] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Callable[[Made], Made]: ...


def block(
    made: Any = None,
    /,
    *,
    name: str | None = None,
    group: str = "Python",
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | Mapping[str, int] | None = None,
    params: Mapping[str, Any] | None = None,
) -> Any:
    """Make a function or a class a block, as a decorator.

    A function returns the outputs for the inputs: ``def f(t, a, b, *, k=2.0)``. Its arguments are the inputs; a first
    argument ``t`` is the time; keyword arguments with a default are options, which runs can set and vary. Inputs are
    numbers, or arrays if they are vectors.

    A class has a state: ``x0`` with its initial values, ``output(self, t, x, …)``, and either ``update(self, t, x, …)``,
    which returns the state of the next step, or ``derivative(self, t, x, …)``, which the solver integrates. With
    ``feedthrough = False`` the outputs depend on the state alone, ``output(self, t, x)``, so that the block may close a
    loop.

    Parameters
    ----------
    name, group : str
        The name of the block; that of the function by default, in the group ``"Python"``.
    inputs : list of str
        The names of the inputs; those of the arguments by default.
    outputs : list of str or dict
        The names of the outputs, with their numbers of elements in a dict; ``"Output"`` by default.
    params : dict
        Options with their defaults; those of the keyword arguments by default.

    Examples
    --------
    >>> import simulate as sim
    >>> @sim.block
    ... def friction(v, *, level=0.2):
    ...     return level if v > 0 else -level if v < 0 else 0.0
    >>> m = sim.Model(steps=1)
    >>> wire = m.add("Var/Static", Value=3) >> m.add(friction, level=0.5) >> m.exit("force")
    >>> float(m.run()["force"][0])
    0.5
    """

    def decorate(made: Any) -> Any:
        function = made.derivative if hasattr(made, "derivative") else made.update if hasattr(made, "update") else made
        arguments = list(inspect.signature(function).parameters.values())
        if isinstance(made, type):
            # Without self, the time and the state.
            arguments = arguments[3:]
        elif arguments and arguments[0].name == "t":
            arguments = arguments[1:]
        if isinstance(made, type):
            # The methods may have other options.
            for method in (getattr(made, name) for name in METHODS if hasattr(made, name)):
                further = inspect.signature(method).parameters.values()
                arguments += [argument for argument in further if argument.kind == argument.KEYWORD_ONLY]
        plain = [argument.name for argument in arguments if argument.kind != argument.KEYWORD_ONLY]
        options = {argument.name: argument.default for argument in arguments if argument.kind == argument.KEYWORD_ONLY}
        listed = outputs if outputs is not None else ["Output"]
        found = PythonBlock(
            made,
            name=name or made.__name__,
            group=group,
            inputs=plain if inputs is None else inputs,
            outputs=listed if isinstance(listed, Mapping) else dict.fromkeys(listed, 1),
            params=options if params is None else params,
        )
        # Plain values, so that the function can still be pickled.
        made.__simulate_block__ = found._arguments()
        return made

    return decorate if made is None else decorate(made)
