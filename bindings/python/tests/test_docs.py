"""The samples of the documentation, the docstrings and the notebook run; types are complete."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import simulate as sim

HERE = Path(__file__).parent
PACKAGE = Path(sim.__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize(
    ("page", "least"), [(HERE.parent / "README.md", 30), (HERE.parents[2] / "assets" / "manual" / "python.md", 15)]
)
def test_the_pages(page: Path, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    examples = HERE.parents[2] / "assets" / "examples"
    (tmp_path / "dc_motor.simx").write_bytes((examples / "dc_motor.simx").read_bytes())
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS)
    assert found.attempted > least and found.failed == 0


@pytest.mark.parametrize("name", ["", ".model", ".blocks", ".diagram", ".result", ".sweep", ".linear", ".env"])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"simulate{name}"), optionflags=FLAGS).failed == 0


def test_everything_public_has_a_docstring() -> None:
    missing = []
    for name in sim.__all__:
        thing = getattr(sim, name)
        if not thing.__doc__:
            missing.append(name)
        if isinstance(thing, type) and thing.__module__.startswith("simulate") and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                is_described = callable(value) or isinstance(value, property)
                if not member.startswith("_") and is_described and not getattr(value, "__doc__", None):
                    missing.append(f"{name}.{member}")
    # Attributes that the docstring of their class describes.
    known = {"Signal.name", "Signal.path", "Signal.width", "Result.checkpoint"}
    assert sorted(set(missing) - known) == []


def test_the_notebook(tmp_path: Path) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(HERE / "controller.ipynb", as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    done = client.execute()
    shown = [output for cell in done.cells for output in cell.get("outputs", [])]
    assert any("image/svg+xml" in output.get("data", {}) for output in shown), "the diagram is drawn"
    texts = "".join(output.get("text", "") for output in shown)
    assert "greatest difference to python-control" in texts


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_finds_no_fault_in_the_example_and_the_package(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    check = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path))
    run(*check, str(HERE / "typed_example.py"))
    # Not all of the packages that it may use are typed.
    run(*check, "--ignore-missing-imports", "-p", "simulate")


def test_the_stub_is_the_module(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    allowed = tmp_path / "allowed"
    # Shapes of dictionaries, which exist for the type checker alone; and what every extension class has.
    allowed.write_text("simulate._native.(BlockRow|ParamRow|DefinitionRow|TrimRow).*\nsimulate._native.Column.__buffer__\nsimulate._native.__all__\n")
    run(sys.executable, "-m", "mypy.stubtest", "simulate._native", "--allowlist", str(allowed), "--ignore-unused-allowlist")


def test_pyright() -> None:
    pyright = Path(sys.executable).parent / "pyright"
    if not pyright.exists():
        pytest.skip("pyright is not installed")
    os.environ.setdefault("PYRIGHT_PYTHON_IGNORE_WARNINGS", "1")
    run(str(pyright), "--pythonpath", sys.executable, str(HERE / "typed_example.py"))


def test_the_typed_example_runs() -> None:
    run(sys.executable, "typed_example.py")
