"""Models as diagrams: blocks and wires, and how they are built from code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import _native
from ._values import Value, texts
from .blocks import PythonBlock
from .errors import EditError

__all__ = ["Block", "Diagram", "Input", "Output"]


class Diagram:
    """A model of a simulation."""

    def __init__(self, core: _native.ModelCore, name: str) -> None:
        self._core = core
        self.name = name

    def __repr__(self) -> str:
        return f"<Diagram {self.name!r}: {len(self.blocks)} blocks>"

    @property
    def blocks(self) -> list[Block]:
        """The blocks, in the order of the file."""
        return [Block(self, row) for row in _native.blocks(self._core, self.name)]

    @property
    def connections(self) -> list[tuple[int, str, int, str, str | None]]:
        """The wires: id of the source, output, id of the target, input, name of the signal."""
        return _native.connections(self._core, self.name)

    def __getitem__(self, key: str | int) -> Block:
        """Return a block by its title or its id."""
        found = [block for block in self.blocks if key in (block.id, block.title, f"#{block.id}")]
        if len(found) == 1:
            return found[0]
        if not found:
            raise KeyError(f"there is no block {key!r} in “{self.name}”")
        raise KeyError(f"several blocks in “{self.name}” are called {key!r}; use an id")

    def add(
        self,
        kind: str | Diagram | PythonBlock | Callable[..., Any] | type,
        name: str | None = None,
        /,
        *,
        options: Mapping[str, Value] | None = None,
        position: tuple[float, float] | None = None,
        attributes: Mapping[str, str] | None = None,
        **more: Value,
    ) -> Block:
        """Add a block and return it.

        Parameters
        ----------
        kind : str, Diagram or block in Python
            ``"Math/Gain"``, a name of the library (see :func:`simulate.library`); a sub-model; a function or class with
            the decorator :func:`simulate.block`.
        name : str, optional
            The title, by which paths name the block.
        options : dict, optional
            Options by name. Keyword arguments are options too, with ``_`` for a space: ``Initial_Value=1``.
        position : (float, float), optional
            The top left corner in pixels; without it the block is laid out when the model is saved or drawn.
        attributes : dict, optional
            Further attributes of the block's tag.
        """
        if isinstance(kind, Diagram):
            group, block = "model", kind.name
        elif isinstance(kind, str):
            group, _, block = kind.partition("/")
            if not block:
                raise EditError(f"“{kind}”: expected GROUP/NAME, such as Math/Gain")
        else:
            used = PythonBlock.of(kind)
            self._core.use_block(used.group, used.name)
            group, block = used.group, used.name
        values = [(option, texts(value)) for option, value in {**(options or {}), **more}.items()]
        number = _native.add_block(
            self._core,
            self.name,
            group,
            block,
            label=name,
            options=values,
            attributes=list((attributes or {}).items()),
            position=position,
        )
        return self[number]

    def entry(self, name: str, initial: Value | None = None, **attributes: str) -> Block:
        """Add an entry: an input of the model, in the root model a value that can be given from outside."""
        return self._boundary("entry", name, initial, attributes)

    def exit(self, name: str, initial: Value | None = None, **attributes: str) -> Block:
        """Add an exit: an output of the model."""
        return self._boundary("exit", name, initial, attributes)

    def _boundary(self, kind: str, name: str, initial: Value | None, attributes: Mapping[str, str]) -> Block:
        options = [] if initial is None else [("Initial Value", texts(initial))]
        return self[
            _native.add_block(self._core, self.name, kind, name, options=options, attributes=list(attributes.items()))
        ]

    def variable(self, name: str, value: Value | None) -> None:
        """Set a variable of this model, an option of its instances; in the root model a variable of the simulation."""
        of = None if self.name == self._core.about()[3] else self.name
        _native.set_variable(self._core, name, None if value is None else ",".join(texts(value)), of)

    def connect(
        self,
        source: Block | Output,
        target: Block | Input,
        *,
        name: str | None = None,
    ) -> None:
        """Connect an output to an input.

        Parameters
        ----------
        source : Block or Output
            A block with one output, or ``block.out("Output")``.
        target : Block or Input
            ``block.into("Input")``, or a block, whose first free input is taken.
        name : str, optional
            The name of the signal.
        """
        output = source if isinstance(source, Output) else Output(source, None)
        into = target if isinstance(target, Input) else Input(target, None)
        _native.connect(
            self._core, self.name, output.block.id, output.name, into.block.id, into.name, label=name
        )

    def disconnect(self, target: Input) -> None:
        """Remove the wire to an input."""
        _native.disconnect(self._core, self.name, target.block.id, target.name or target.block.inputs[0])

    def remove(self, *blocks: Block) -> None:
        """Remove blocks with their wires."""
        _native.remove_blocks(self._core, self.name, [block.id for block in blocks])

    def arrange(self) -> bool:
        """Lay out all blocks along their wires from left to right; return whether any has moved."""
        return _native.arrange(self._core, self.name)

    def _set(self, path: str, value: Value) -> None:
        _native.set_path(self._core, f"{path}={','.join(texts(value))}")


class Block:
    """A block of a diagram.

    ``a >> b`` connects the only output of ``a`` to the first free input of ``b`` and returns ``b``.

    Attributes
    ----------
    id : int
    kind : str
        ``"entry"``, ``"exit"``, ``"model"`` or ``"block"``.
    group, name, title : str
        The name in the library, and what the diagram shows.
    inputs, outputs : list of str
    options : dict
        Those that the file has, as texts.
    position : (float, float) or None
    """

    def __init__(self, diagram: Diagram, row: _native.BlockRow) -> None:
        self.diagram = diagram
        self.id = row["id"]
        self.kind = row["kind"]
        self.group = row["group"]
        self.name = row["name"]
        self.title = row["title"]
        self.inputs = row["inputs"]
        self.outputs = row["outputs"]
        self.options: dict[str, list[str]] = dict(row["options"])
        self.position = row["position"]

    def __repr__(self) -> str:
        kind = f"{self.group}/{self.name}" if self.group else self.kind
        return f"<Block #{self.id} {self.title!r} ({kind})>"

    def out(self, output: str | int) -> Output:
        """Return an output by name or number."""
        return Output(self, self.outputs[output] if isinstance(output, int) else output)

    def into(self, input: str | int) -> Input:
        """Return an input by name or number."""
        return Input(self, self.inputs[input] if isinstance(input, int) else input)

    def set(self, values: Mapping[str, Value] | None = None, **more: Value) -> Block:
        """Set options, and return the block."""
        for name, value in {**(values or {}), **more}.items():
            _native.set_option(self.diagram._core, self.diagram.name, self.id, name, texts(value))
        self.options = self.diagram[self.id].options
        return self

    def __rshift__(self, target: Block | Input) -> Block:
        self.diagram.connect(self, target)
        return target.block if isinstance(target, Input) else target


class Output:
    """An output of a block."""

    def __init__(self, block: Block, name: str | None) -> None:
        self.block = block
        self.name = name

    def __rshift__(self, target: Block | Input) -> Block:
        self.block.diagram.connect(self, target)
        return target.block if isinstance(target, Input) else target


class Input:
    """An input of a block."""

    def __init__(self, block: Block, name: str | None) -> None:
        self.block = block
        self.name = name
