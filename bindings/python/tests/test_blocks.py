"""Blocks in Python."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import simulate as sim
from conftest import make_decay


@sim.block
def stick(v: float, *, level: float = 0.2) -> float:
    """Returns dry friction"""
    return level if v > 0 else -level if v < 0 else 0.0


@sim.block(outputs={"sum": 1, "both": 2})
def moments(t: float, a: Any, b: float) -> tuple[float, Sequence[float]]:
    return float(np.sum(a)) + b, [t, b]


@sim.block
class Lag:
    """Follows its input with a time constant."""

    x0 = [1.0]
    feedthrough = False

    def output(self, t: float, x: Any) -> float:
        return float(x[0])

    def derivative(self, t: float, x: Any, u: float, *, T: float = 0.5) -> Any:
        return (u - x) / T


@sim.block
class Counter:
    x0 = [0.0, 10.0]

    def output(self, t: float, x: Any, u: float) -> float:
        return float(x[0] + u)

    def update(self, t: float, x: Any, u: float) -> Any:
        return [x[0] + 1, x[1]]


def test_a_function_is_a_block() -> None:
    m = sim.Model(steps=3, delta=1)
    m.add("Var/Clock") >> m.add("Math/Bias", Bias=-1) >> m.add(stick, "friction") >> m.exit("y")
    assert m.run()["y"].tolist() == [-0.2, 0, 0.2]
    assert m.run(set={"friction.level": 3})["y"].tolist() == [-3, 0, 3]
    assert m.sweep({"friction.level": [1.0, 2.0]})["y"].tolist() == [1, 2]


def test_vectors_and_several_outputs() -> None:
    m = sim.Model(steps=2, delta=0.5)
    block = m.add(moments)
    m.connect(m.add("Var/Static", Value=[1, 2, 3]), block.into("a"))
    m.connect(m.add("Var/Static", Value=7), block.into("b"))
    block.out("sum") >> m.exit("s")
    block.out("both") >> m.exit("v")
    r = m.run()
    assert r["s"].tolist() == [13, 13] and r["v"].tolist() == [[0, 7], [0.5, 7]]


@pytest.mark.parametrize("engine", ["auto", "compiled", "threaded", "flat", "simple"])
def test_a_class_has_a_state_that_the_solver_integrates(engine: str) -> None:
    def loop(kind: Any, **options: float) -> np.ndarray:  # type: ignore[type-arg]
        m = sim.Model(steps=50, delta=0.1)
        error, lag = m.add("Math/Sum", Signs="+-"), m.add(kind, **options)
        m.add("Var/Static", Value=3) >> error >> lag >> m.exit("y")
        m.connect(lag, error)
        return m.run(engine=engine)["y"]

    # The same block of the library, in whose formula the operations stand in the same order.
    own = loop(Lag)
    wanted = loop("Continuous/PT1", Gain=1, options={"Time Constant": 0.5, "Initial Value": 1})
    assert own == pytest.approx(wanted, rel=1e-12)


def test_a_discrete_state() -> None:
    m = sim.Model(steps=4, delta=1)
    m.add("Var/Static", Value=0.5) >> m.add(Counter) >> m.exit("n")
    assert m.run()["n"].tolist() == [0.5, 1.5, 2.5, 3.5]
    r = m.run(steps=2)
    assert m.run(steps=4, resume=r)["n"].tolist() == [2.5, 3.5]


def test_an_exception_is_the_cause_of_the_failed_step() -> None:
    @sim.block
    def refuses(t: float, u: float) -> float:
        if t >= 2:
            raise ZeroDivisionError("two is enough")
        return u

    m = sim.Model(steps=5, delta=1)
    m.add("Var/Clock") >> m.add(refuses, "r") >> m.exit("y")
    with pytest.raises(sim.RunError, match="two is enough") as caught:
        m.run()
    assert caught.value.step == 2 and isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.result["y"].tolist() == [0, 1]


def test_a_wrong_number_of_values_is_an_error() -> None:
    @sim.block
    def two(u: float) -> tuple[float, float]:
        return u, u

    m = sim.Model(steps=1, delta=1)
    m.add("Var/Static") >> m.add(two) >> m.exit("y")
    with pytest.raises(sim.RunError, match="returned 2 numbers instead of 1"):
        m.run()
    with pytest.raises(sim.EditError, match="is not a block"):
        m.add(len)


def test_a_model_with_such_blocks_is_saved_and_goes_to_workers() -> None:
    m = sim.Model(steps=3, delta=1)
    m.add("Var/Static", Value=2) >> m.add(stick, "friction") >> m.exit("y")
    text = m.to_simx()
    assert 'group="Python" name="stick"' in text
    assert sim.loads(text, blocks=[stick]).run()["y"].tolist() == [0.2] * 3
    assert [found.code for found in sim.loads(text).check() if found.severity == "error"] == ["unknown-block"]
    assert pickle.loads(pickle.dumps(m)).run()["y"].tolist() == [0.2] * 3
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        found = m.sweep({"friction.level": [1.0, 5.0]}, executor=processes)
    assert found["y"].tolist() == [1, 5]


def test_a_later_definition_replaces_an_earlier_one() -> None:
    def defined(factor: float) -> Any:
        @sim.block(name="again")
        def again(u: float) -> float:
            return factor * u

        return again

    for factor in (2.0, 3.0):
        m = sim.Model(steps=1, delta=1)
        m.add("Var/Static", Value=1) >> m.add(defined(factor)) >> m.exit("y")
        assert m.run()["y"].tolist() == [factor]


def test_other_models_are_untouched() -> None:
    assert make_decay().run().engine == "compiled"


def test_functions_that_cannot_be_made_are_the_cause() -> None:
    @sim.block
    class Broken:
        x0 = [0.0]

        def __init__(self) -> None:
            raise LookupError("no such table")

        def output(self, t: float, x: Any) -> float:
            return 0.0

        def update(self, t: float, x: Any) -> Any:
            return x

    m = sim.Model(steps=1, delta=1)
    m.add(Broken) >> m.exit("y")
    with pytest.raises(sim.RunError, match="no such table") as caught:
        m.run()
    assert isinstance(caught.value.__cause__, LookupError)
