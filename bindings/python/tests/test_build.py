"""Models from code: blocks, wires, sub-models, layout, files, pictures; errors of files."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import simulate as sim
from conftest import EXAMPLES, make_decay, make_loop


def test_a_model_is_written_and_read_again(tmp_path: Path) -> None:
    m = make_loop()
    m.save(tmp_path / "loop.simx")
    text = (tmp_path / "loop.simx").read_text()
    again = sim.load(tmp_path / "loop.simx")
    assert again.to_simx() == text
    assert np.array_equal(again.run()["y"], m.run()["y"])
    # All blocks were laid out, from left to right along the wires.
    places = {block.title: block.position for block in again.blocks}
    assert None not in places.values()
    x = [places[name][0] for name in ("setpoint", "error", "PI", "plant", "y")]  # type: ignore[index]
    assert x == sorted(x) and len(set(places.values())) == len(places)


@pytest.mark.parametrize("format", ["simx", "json", "bson", "simb"])
def test_all_formats_hold_the_same(format: str) -> None:
    m = make_loop()
    again = sim.loads(m.to_bytes(format))
    assert again.to_simx() == m.to_simx()


def test_sub_models_and_their_instances() -> None:
    m = sim.Model("Two", steps=1, delta=1)
    twice = m.submodel("Twice")
    twice.variable("k", 2)
    twice.entry("u") >> twice.add("Math/Gain", Gain="k") >> twice.exit("v")
    source = m.add("Var/Static", Value=5)
    first, second = m.add(twice), m.add(twice, "ten", k=10)
    source >> first >> second >> m.exit("y")
    assert m.run()["y"].tolist() == [100]
    assert [block.kind for block in m.blocks] == ["block", "model", "model", "exit"]
    assert m["ten"].inputs == ["u"] and m["ten"].outputs == ["v"]
    assert list(m.models) == ["Two", "Twice"]


def test_names_of_options_are_found() -> None:
    m = sim.Model()
    x = m.add("Math/Integrate", initial_value=3)
    assert x.options == {"Initial Value": ["3"]}
    assert x.set(Initial_Value=[1, 0.1]).options == {"Initial Value": ["1", "0.1"]}
    with pytest.raises(sim.EditError, match="no option “Gain”; its options are: Initial Value"):
        m.add("Math/Integrate", Gain=1)
    with pytest.raises(sim.EditError, match="there is no block Math/Integrat; similar ones are: .*Math/Integrate"):
        m.add("Math/Integrat")
    assert len(m.blocks) == 1


def test_changes_are_undone() -> None:
    m = make_decay()
    before = m.to_simx()
    m.set({"rate.Gain": -3})
    assert m.get("rate.Gain") == -3
    assert m.undo() is not None and m.to_simx() == before
    assert m.redo() is not None and m.get("rate.Gain") == -3
    m.remove(m["rate"])
    assert [block.title for block in m.blocks] == ["x", "y"]


def test_an_algebraic_loop_is_refused_with_its_hops() -> None:
    m = sim.Model(steps=1)
    a, b = m.add("Math/Gain", "a"), m.add("Math/Gain", "b")
    a >> b
    with pytest.raises(sim.EditError, match="algebraic loop: .*a.*b"):
        b >> a
    # Solved: y = u + y/2 is y = 2 u, for two gains of 1 and 1/2.
    m = sim.Model(steps=1)
    m.configure(loops="solve")
    total, half = m.add("Math/Sum", Signs="++"), m.add("Math/Gain", "half", Gain=0.5)
    m.add("Var/Static", Value=3) >> total >> half >> total >> m.exit("y")
    assert m.check() == []
    assert m.run()["y"].tolist() == pytest.approx([6], rel=1e-12)


def test_a_picture_is_svg() -> None:
    text = make_loop().picture()
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    letters = "".join(root.itertext())
    for title in ("error", "plant", "setpoint"):
        assert title in letters
    assert make_loop()._repr_svg_() == text
    assert sim.Model()._repr_svg_() is None


def test_the_library_is_listed() -> None:
    found = {f"{row['group']}/{row['name']}": row for row in sim.library("gain")}
    gain = found["Math/Gain"]
    assert gain["inputs"] == ["Input"] and gain["outputs"] == ["Output"]
    assert [param["name"] for param in gain["params"]] == ["Gain"]
    assert len(sim.library()) > 200


def test_errors_have_file_line_and_block(tmp_path: Path) -> None:
    file = tmp_path / "broken.simx"
    text = (EXAMPLES / "dc_motor.simx").read_text().replace('name="Gain" label="P"', 'name="Gian" label="P"')
    file.write_text(text)
    m = sim.load(file)
    errors = [found for found in m.check() if found.severity == "error"]
    assert [error.code for error in errors] == ["unknown-block"]
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "Gian" in line)
    error = errors[0]
    assert (error.file, error.line, error.model, error.block) == (str(file), line, "PID", "#1")
    assert "Gian" in error.message and str(file) in str(error)
    with pytest.raises(sim.InvalidModelError) as caught:
        m.run()
    assert (caught.value.line, caught.value.block, caught.value.code) == (line, "#1", "unknown-block")
    assert error in caught.value.diagnostics
    # A repaired model runs.
    file.write_text(text.replace("Gian", "Gain"))
    repaired = sim.load(file)
    assert repaired.check() == [] and len(repaired.run(steps=10).time) == 10


def test_a_mistake_in_code_has_line_and_column() -> None:
    text = """<simulation steps="2" delta="1" root="M"><model name="M">
        <block id="1" group="Var" name="Static"><option name="Value"><value>2</value></option></block>
        <block id="2" group="User" name="Function"><option name="Code"><value>function y = f(u)
  y = u + k;
end</value></option></block>
        <exit id="3" name="y"/>
        <connection from="1" output="Output" to="2" input="u"/><connection from="2" output="y" to="3" input="Input"/>
        </model></simulation>"""
    errors = [found for found in sim.loads(text).check() if found.severity == "error"]
    assert [(error.model, error.block) for error in errors] == [("M", "#2")]
    assert "line 2, column 11: there is no variable or function “k”" in errors[0].message
    assert sim.loads(text.replace("+ k", "+ 1")).run()["y"].tolist() == [3, 3]


def test_arguments_of_code_with_a_value_are_parameters() -> None:
    m = sim.Model("M", steps=2, delta=1)
    f = m.add("User/Function", "f", kp=3, Code="function y = f(u, kp, offset)\n  y = kp * u + offset;\nend")
    f.set(offset=[1, 2])
    m.add("Var/Static", Value=2) >> f >> m.exit("y")
    assert m.run()["y"].tolist() == [[7, 8], [7, 8]]
    m.set({"f.kp": 4})
    assert (m.get("f.kp"), m.run()["y"].tolist()) == (4, [[9, 10], [9, 10]])
    with pytest.raises(sim.EditError, match="no option “ki”; its options are: .*kp, offset"):
        f.set(ki=1)


def test_a_file_that_is_no_simulation(tmp_path: Path) -> None:
    file = tmp_path / "no.simx"
    file.write_text("<simulation>\n  <model name='M'>\n</simulation>")
    with pytest.raises(sim.LoadError) as caught:
        sim.load(file)
    assert caught.value.file == str(file) and caught.value.line == 3
    with pytest.raises(sim.LoadError, match="cannot be read"):
        sim.load(tmp_path / "nowhere.simx")


def test_variables(decay: sim.Model) -> None:
    decay.variable("k", -4)
    decay.set({"rate.Gain": "k/2"})
    assert decay.get("rate.Gain") == -2
    usual = decay.run()["y"]
    decay.set(k=-8)
    assert decay.get("rate.Gain") == -4
    assert np.array_equal(decay.run(set={"k": -4})["y"], usual)
